//! Exports spans to a collector with OTLP; off by default.
//!
//! Spans wait in a bounded queue and are sent in batches from a separate thread. If the collector is slow or
//! unreachable and the queue is full, spans are dropped; calls never wait.

mod exporter;
mod parent;

use std::sync::OnceLock;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SdkTracerProvider};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::{Layer, Registry};

use exporter::Exporter;
pub use exporter::{BadCollector, Collector};
pub(crate) use parent::RequestSpan;

/// Maximum time at shutdown for the last spans to be sent.
const LAST_SPANS: Duration = Duration::from_secs(5);

/// Exporter of the process's spans; there is one, as for its log.
static TRACES: OnceLock<SdkTracerProvider> = OnceLock::new();

/// Returns whether spans are exported.
pub(crate) fn is_on() -> bool {
    TRACES.get().is_some()
}

/// Returns the layer that exports this project's spans; no events and no spans of other crates.
pub(crate) fn layer(collector: Collector) -> Option<Box<dyn Layer<Registry> + Send + Sync>> {
    let resource = Resource::builder_empty().with_attributes([
        KeyValue::new("service.name", "palyrad"),
        KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
    ]);
    // Queue size, batch size and interval are those of the OpenTelemetry standard and its variables.
    let processor = BatchSpanProcessor::builder(Exporter::new(collector)).build();
    let provider =
        SdkTracerProvider::builder().with_resource(resource.build()).with_span_processor(processor).build();
    let tracer = provider.tracer("palyra");
    TRACES.set(provider).ok()?;
    let layer = tracing_opentelemetry::layer()
        .with_tracer(tracer)
        .with_location(false)
        .with_threads(false)
        .with_level(false)
        .with_target(false)
        .with_tracked_inactivity(false);
    let ours = filter_fn(|metadata| metadata.is_span() && metadata.target().starts_with("palyra"));
    Some(layer.with_filter(ours).boxed())
}

/// Starts exporting spans on the server's runtime; earlier spans are not exported.
pub(crate) fn begin() {
    if is_on() {
        exporter::threads(tokio::runtime::Handle::current());
    }
}

/// Exports the remaining spans, with a short timeout for an unreachable collector.
pub(crate) async fn end() {
    let Some(provider) = TRACES.get() else { return };
    let ending = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(LAST_SPANS));
    if let Ok(Err(error)) = ending.await {
        tracing::debug!(%error, "cannot export the remaining spans");
    }
}

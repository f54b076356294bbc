//! Exports batches of spans with OTLP over HTTP, through the egress guard.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use palyra_common::capabilities::HttpRule;
use palyra_egress::{ByteBudget, EgressConfig, EgressContext, EgressGuard, IpNet, OutgoingRequest};
use prost::Message;
use tokio::runtime::Handle;

/// Path of traces below a collector, according to OTLP.
const PATH: &str = "/v1/traces";
/// Maximum time for an exchange with the collector.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum bytes of a request and its response.
const MAX_EXCHANGE: u64 = 16 << 20;
/// The operator names the collector, so it may have any address.
const ANYWHERE: [&str; 2] = ["0.0.0.0/0", "::/0"];

/// The server's runtime, because the batch thread has no network runtime.
static THREADS: OnceLock<Handle> = OnceLock::new();

/// Sets the runtime on which spans are exported.
pub(super) fn threads(handle: Handle) {
    let _ = THREADS.set(handle);
}

/// URL of the OTLP endpoint of a collector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collector {
    url: String,
    rule: HttpRule,
}

/// Error of a text that is not the URL of a collector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid collector address `{text}`: {reason}; use a form such as `http://127.0.0.1:4318`")]
pub struct BadCollector {
    text: String,
    reason: String,
}

impl fmt::Display for Collector {
    /// Formats the collector as on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.strip_suffix(PATH).unwrap_or(&self.url))
    }
}

impl FromStr for Collector {
    type Err = BadCollector;

    fn from_str(text: &str) -> Result<Self, BadCollector> {
        let bad = |reason: String| BadCollector { text: text.chars().take(200).collect(), reason };
        if text.contains([' ', '*', '#', '?']) || !text.contains("://") {
            return Err(bad("it is not a URL without a query".into()));
        }
        let url = format!("{}{PATH}", text.trim_end_matches('/'));
        let rule = format!("POST {url}").parse::<HttpRule>().map_err(|error| bad(error.to_string()))?;
        Ok(Self { url, rule })
    }
}

/// Exports batches to a collector.
#[derive(Debug)]
pub(super) struct Exporter {
    collector: Collector,
    resource: ResourceAttributesWithSchema,
    away: AtomicBool,
}

impl Exporter {
    pub(super) fn new(collector: Collector) -> Self {
        Self { collector, resource: ResourceAttributesWithSchema::default(), away: AtomicBool::new(false) }
    }

    /// Logs the first failure, and the first success after it.
    fn tell(&self, sent: &Result<(), String>) {
        let away = sent.is_err();
        if self.away.swap(away, Ordering::Relaxed) == away {
            return;
        }
        match sent {
            Ok(()) => tracing::info!(collector = self.collector.url, "span export resumed"),
            Err(reason) => {
                tracing::warn!(collector = self.collector.url, reason, "span export failed");
            }
        }
    }
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let request = ExportTraceServiceRequest {
            resource_spans: group_spans_by_resource_and_scope(batch, &self.resource),
        };
        let Some(threads) = THREADS.get() else { return Ok(()) };
        let sending = threads.spawn(post(self.collector.clone(), request.encode_to_vec()));
        let sent = sending.await.map_err(|error| error.to_string()).flatten();
        self.tell(&sent);
        sent.map_err(OTelSdkError::InternalFailure)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.resource = resource.into();
    }
}

async fn post(collector: Collector, body: Vec<u8>) -> Result<(), String> {
    static GUARD: OnceLock<Result<EgressGuard, String>> = OnceLock::new();
    let guard = GUARD.get_or_init(|| {
        EgressGuard::new(EgressConfig::default()).map_err(|error| format!("the network: {error}"))
    });
    let guard = guard.as_ref().map_err(Clone::clone)?;
    let request = OutgoingRequest {
        method: "POST".into(),
        url: collector.url,
        headers: vec![
            ("content-type".into(), "application/x-protobuf".into()),
            ("user-agent".into(), concat!("palyra/", env!("CARGO_PKG_VERSION")).into()),
        ],
        body: body.into(),
        timeout: Some(TIMEOUT),
    };
    let request = guard.authorize(&[collector.rule], request).map_err(|error| error.to_string())?;
    let allow_addresses: Vec<IpNet> = ANYWHERE.iter().filter_map(|range| range.parse().ok()).collect();
    let context = EgressContext {
        owner: "palyra:traces",
        allow_addresses: &allow_addresses,
        injections: &[],
        guarded: &[],
        budget: &ByteBudget::new(MAX_EXCHANGE),
    };
    match guard.send(request, &context).await.map_err(|error| error.to_string())?.status {
        200..=299 => Ok(()),
        status => Err(format!("the server answered {status}")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_a_url_without_its_path() {
        for (text, url) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("http://localhost:4318/", "http://localhost:4318/v1/traces"),
            ("https://otel.example.com/otlp", "https://otel.example.com/otlp/v1/traces"),
        ] {
            assert_eq!(text.parse::<Collector>().unwrap().url, url);
        }
        for bad in ["", "localhost:4318", "ftp://a.example", "http://a.example/?x=1", "http://a b/"] {
            assert!(bad.parse::<Collector>().is_err(), "{bad}");
        }
    }
}

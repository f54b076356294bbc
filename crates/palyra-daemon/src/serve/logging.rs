//! The log on standard error, and spans to a collector. No secret gets into either, because none ever gets into a field.

use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Registry, fmt};

use super::ServeArgs;
use crate::traces;

/// Starts the log of this process; a filter that cannot be read is an error, and a second start changes nothing.
pub fn start_logging(args: &ServeArgs) -> Result<(), String> {
    let filter =
        EnvFilter::builder().parse(&args.log).map_err(|error| format!("`--log {}`: {error}", args.log))?;
    let lines = fmt::layer().with_writer(std::io::stderr).with_target(false);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match args.log_json {
        true => lines.json().flatten_event(true).with_filter(filter).boxed(),
        false => lines.with_filter(filter).boxed(),
    };
    let spans = args.otlp_endpoint.clone().and_then(traces::layer);
    let layers: Vec<_> = std::iter::once(lines).chain(spans).collect();
    // Another log of this process goes on.
    drop(tracing_subscriber::registry().with(layers).try_init());
    Ok(())
}

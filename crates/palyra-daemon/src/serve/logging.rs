//! The log on standard error, and the export of spans. Secrets never get into a field, and so into neither of them.

use std::sync::Mutex;

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Registry, fmt};

use super::ServeArgs;
use super::log_file::LogFile;
use crate::traces;

/// Starts the log of this process. Fails for an invalid filter; a second call has no effect.
pub fn start_logging(args: &ServeArgs) -> Result<(), String> {
    let filter = filter(args)?;
    let writer = match &args.log_file {
        None => BoxMakeWriter::new(std::io::stderr),
        Some(path) => {
            let refused = |error| format!("cannot write the log file `{}`: {error}", path.display());
            BoxMakeWriter::new(Mutex::new(LogFile::open(path).map_err(refused)?))
        }
    };
    let lines = fmt::layer().with_writer(writer).with_target(false);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = if args.log_json {
        lines.json().flatten_event(true).with_filter(filter).boxed()
    } else {
        lines.with_filter(filter).boxed()
    };
    let spans = args.otlp_endpoint.clone().and_then(traces::layer);
    let layers: Vec<_> = std::iter::once(lines).chain(spans).collect();
    // Fails if this process has a subscriber already, which then stays in use.
    drop(tracing_subscriber::registry().with(layers).try_init());
    Ok(())
}

/// Parses the filter of `--log`.
pub(super) fn filter(args: &ServeArgs) -> Result<EnvFilter, String> {
    let parse = |text: &str| {
        EnvFilter::builder().parse(text).map_err(|error| format!("`--log {}`: {error}", args.log))
    };
    let filter = parse(&args.log)?;
    match filter.max_level_hint() {
        Some(level) if level <= LevelFilter::WARN => Ok(filter),
        // The MCP library logs three lines per request at `info`; a filter that names it still gets them.
        _ => parse(&format!("rmcp=warn,{}", args.log)),
    }
}

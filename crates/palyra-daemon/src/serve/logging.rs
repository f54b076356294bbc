//! The log: structured, on standard error, without secrets, because none ever gets into a field.

use tracing_subscriber::EnvFilter;

use super::ServeArgs;

/// Starts the log of this process; a filter that cannot be read is an error, and a second start changes nothing.
pub fn start_logging(args: &ServeArgs) -> Result<(), String> {
    let filter =
        EnvFilter::builder().parse(&args.log).map_err(|error| format!("`--log {}`: {error}", args.log))?;
    let builder =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    let started = match args.log_json {
        true => builder.json().flatten_event(true).try_init(),
        false => builder.try_init(),
    };
    // Another log of this process goes on.
    drop(started);
    Ok(())
}

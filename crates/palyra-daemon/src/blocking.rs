//! Runs blocking work, such as reading files and waiting for the writer, outside of the async workers.

use palyra_api::Problem;
use palyra_common::ErrorCode;

/// Runs `work` off the async workers.
///
/// # Errors
///
/// An `internal` problem if `work` panicked, or if the runtime shut down before it began.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))
}

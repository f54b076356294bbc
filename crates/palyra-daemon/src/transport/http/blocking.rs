//! The one way to work that blocks: the state reads files and waits for its writer.

use palyra_common::ErrorCode;
use std::sync::Arc;

use palyra_api::Problem;

use super::answer::Failure;
use crate::app::App;

/// Does something with the app off the async workers.
pub(super) async fn blocking<T, E>(
    app: &Arc<App>,
    work: impl FnOnce(&App) -> Result<T, E> + Send + 'static,
) -> Result<T, Failure>
where
    T: Send + 'static,
    E: Into<Failure> + Send + 'static,
{
    let app = Arc::clone(app);
    match tokio::task::spawn_blocking(move || work(&app)).await {
        Ok(done) => done.map_err(Into::into),
        Err(error) => Err(Problem::new(ErrorCode::Internal, error.to_string()).into()),
    }
}

//! Runs blocking work of a handler.

use std::sync::Arc;

use super::answer::Failure;
use crate::app::App;

/// Runs `work` outside of the async workers; its error becomes the response of the handler.
pub(super) async fn blocking<T, E>(
    app: &Arc<App>,
    work: impl FnOnce(&App) -> Result<T, E> + Send + 'static,
) -> Result<T, Failure>
where
    T: Send + 'static,
    E: Into<Failure> + Send + 'static,
{
    let app = Arc::clone(app);
    crate::blocking::blocking(move || work(&app)).await?.map_err(Into::into)
}

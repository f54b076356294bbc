//! The trait every provider implements.

use crate::error::ModelError;
use crate::event::ModelEvent;
use crate::request::ModelRequest;
use futures::stream::BoxStream;

/// The events of one answer.
///
/// No request is sent before the first poll. The last item is [`ModelEvent::Finished`] or an error.
pub type ModelStream = BoxStream<'static, Result<ModelEvent, ModelError>>;

/// A source of model responses.
pub trait ModelProvider: Send + Sync {
    /// Sends a request to a model and streams its answer.
    ///
    /// Retries happen inside, and only before the first event; a returned error is final for this request.
    /// Dropping the stream closes the connection.
    fn stream(&self, request: ModelRequest) -> ModelStream;
}

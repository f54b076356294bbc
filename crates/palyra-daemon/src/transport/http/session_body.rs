//! A streamed response that ends with its console session.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::FutureExt;
use http_body::{Frame, SizeHint};
use tokio_util::sync::WaitForCancellationFutureOwned;

use crate::app::App;
use crate::console::LiveSession;

/// Ends a response of unknown length, which is a stream, as soon as its session is revoked or signed out, and with the
/// next event after the session expired.
pub(super) fn end_with_session(response: Response, app: &Arc<App>, session: LiveSession) -> Response {
    response.map(|body| match http_body::Body::size_hint(&body).exact() {
        Some(_) => body,
        None => {
            let LiveSession { session_id, ended } = session;
            let ended = Box::pin(ended.cancelled_owned());
            Body::new(SessionBody { body, app: Arc::clone(app), session_id, ended })
        }
    })
}

struct SessionBody {
    body: Body,
    app: Arc<App>,
    session_id: String,
    ended: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl http_body::Body for SessionBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.ended.poll_unpin(context).is_ready() {
            return Poll::Ready(None);
        }
        let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(context));
        let now = self.app.expiry_now_ms();
        Poll::Ready(frame.filter(|_| self.app.console().is_open(&self.session_id, now)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

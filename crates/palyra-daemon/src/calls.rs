//! Completes a call to its receipt after its caller was dropped.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use palyra_plugins_runtime::CancelToken;
use tracing::Instrument;
use tracing::instrument::Instrumented;

/// A call that its waiting caller drives; without one it is cancelled and finishes itself up to its receipt.
pub(crate) struct Attended<T: Send + 'static> {
    call: Option<Instrumented<BoxFuture<'static, T>>>,
    token: CancelToken,
}

impl<T: Send + 'static> Attended<T> {
    pub(crate) fn new(token: CancelToken, call: impl Future<Output = T> + Send + 'static) -> Self {
        // In the span of the caller; boxed first, because it is large and would be copied into each wrapper.
        let call: BoxFuture<'static, T> = Box::pin(call);
        Self { call: Some(call.in_current_span()), token }
    }
}

impl<T: Send + 'static> Future for Attended<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let Some(call) = &mut self.call else { return Poll::Pending };
        let polled = Pin::new(call).poll(context);
        if polled.is_ready() {
            self.call = None;
        }
        polled
    }
}

impl<T: Send + 'static> Drop for Attended<T> {
    fn drop(&mut self) {
        let Some(call) = self.call.take() else { return };
        self.token.cancel();
        // Without a runtime the call is dropped, and the next owner closes its run as interrupted.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(call);
        }
    }
}

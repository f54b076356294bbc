//! The calls under way: each can be ended, and a stop waits for all of them.

use std::collections::HashMap;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use palyra_plugins_runtime::CancelToken;
use tokio::sync::Notify;
use tracing::Instrument;
use tracing::instrument::Instrumented;

/// The calls under way.
#[derive(Clone)]
pub(crate) struct Calls {
    running: Arc<Mutex<Running>>,
    /// Told whenever the last one has ended.
    none_left: Arc<Notify>,
}

#[derive(Default)]
struct Running {
    next: u64,
    tokens: HashMap<u64, CancelToken>,
}

/// One call; when this is gone, the call has ended.
pub(crate) struct CallPermit {
    calls: Calls,
    number: u64,
}

/// A call that whoever waits for it carries out; when nobody does any more, it is ended and carries itself out to
/// its receipt.
pub(crate) struct Attended<T: Send + 'static> {
    call: Option<Instrumented<BoxFuture<'static, T>>>,
    token: CancelToken,
}

impl Calls {
    pub(crate) fn new() -> Self {
        Self { running: Arc::default(), none_left: Arc::default() }
    }

    /// Notes a call that begins.
    pub(crate) fn begin(&self) -> (CallPermit, CancelToken) {
        let token = CancelToken::default();
        let mut running = self.running();
        let number = running.next;
        running.next += 1;
        running.tokens.insert(number, token.clone());
        (CallPermit { calls: self.clone(), number }, token)
    }

    /// How many are under way.
    pub(crate) fn count(&self) -> usize {
        self.running().tokens.len()
    }

    /// Waits until none is.
    pub(crate) async fn drained(&self) {
        loop {
            // Listens before it looks, so that nothing ends in between.
            let mut none_left = pin!(self.none_left.notified());
            none_left.as_mut().enable();
            if self.count() == 0 {
                return;
            }
            none_left.await;
        }
    }

    /// Ends all that are under way.
    pub(crate) fn cancel_all(&self) {
        self.running().tokens.values().for_each(CancelToken::cancel);
    }

    fn running(&self) -> std::sync::MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        let mut running = self.calls.running();
        running.tokens.remove(&self.number);
        if running.tokens.is_empty() {
            self.calls.none_left.notify_waiters();
        }
    }
}

impl<T: Send + 'static> Attended<T> {
    pub(crate) fn new(token: CancelToken, call: impl Future<Output = T> + Send + 'static) -> Self {
        // In the span of whoever calls; boxed first, because it is large and would be copied into each wrapper.
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
        // Without a runtime the call is dropped, and its run closed as interrupted.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(call);
        }
    }
}

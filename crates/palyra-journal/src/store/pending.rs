//! A result that is available later: tasks await it, threads block on it.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use tokio::sync::oneshot;

/// A result of the writer: `.await` it on any runtime, or block a thread with [`Pending::wait`].
///
/// Dropping it does not take the request back.
#[must_use = "the request is made, but only the answer says whether it was kept"]
pub struct Pending<T> {
    answer: Answer<T>,
    /// The result if the writer has stopped.
    closed: fn() -> T,
}

enum Answer<T> {
    Ready(Option<T>),
    Awaited(oneshot::Receiver<T>),
}

/// The sender of the result, held by the writer.
pub(super) struct Reply<T>(oneshot::Sender<T>);

impl<T> Reply<T> {
    pub(super) fn send(self, answer: T) {
        // The caller may have dropped the receiver; the change is committed anyway.
        let _ = self.0.send(answer);
    }
}

impl<T> Pending<T> {
    pub(super) fn new(closed: fn() -> T) -> (Reply<T>, Self) {
        let (reply, receiver) = oneshot::channel();
        (Reply(reply), Self { answer: Answer::Awaited(receiver), closed })
    }

    /// Blocks the calling thread until the result is available. Async code must `.await` instead.
    pub fn wait(self) -> T {
        wait_for(self)
    }
}

impl<T, E: From<crate::JournalError>> Pending<Result<T, E>> {
    pub(super) fn ready(answer: Result<T, E>) -> Self {
        Self { answer: Answer::Ready(Some(answer)), closed: || Err(crate::JournalError::Closed.into()) }
    }
}

impl<T> Unpin for Pending<T> {}

impl<T> Future for Pending<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let this = self.get_mut();
        match &mut this.answer {
            Answer::Ready(answer) => Poll::Ready(answer.take().unwrap_or_else(this.closed)),
            Answer::Awaited(receiver) => {
                Pin::new(receiver).poll(context).map(|answer| answer.unwrap_or_else(|_| (this.closed)()))
            }
        }
    }
}

impl<T> std::fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pending")
    }
}

/// Runs a future to its end on this thread.
///
/// The future is polled without tokio's cooperative budget. A thread that blocks inside a runtime would use the budget
/// up and then be woken again and again without a result, because only the runtime renews it.
pub(super) fn wait_for<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(tokio::task::unconstrained(future));
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

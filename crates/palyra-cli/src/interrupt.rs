//! Ctrl-C and SIGTERM: the first cancels the run gracefully, the second ends the process.

use palyra_plugins_runtime::CancelToken;
use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// The exit code of an interrupted command.
pub(crate) const INTERRUPTED: u8 = 130;

/// Listens for signals until the process ends.
pub(crate) struct Interrupt {
    cancel: CancelToken,
    happened: watch::Receiver<bool>,
}

impl Interrupt {
    /// Installs the handlers; after this, signals no longer end the process.
    pub(crate) fn listen() -> io::Result<Self> {
        let signals = [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?];
        let cancel = CancelToken::default();
        let (tell, happened) = watch::channel(false);
        tokio::spawn(obey(signals, cancel.clone(), tell));
        Ok(Self { cancel, happened })
    }

    /// Returns the token that is cancelled by the signal.
    pub(crate) fn token(&self) -> CancelToken {
        self.cancel.clone()
    }

    /// Returns whether a signal was received.
    pub(crate) fn happened(&self) -> bool {
        *self.happened.borrow()
    }

    /// Waits for `work`; returns `None`, and drops `work`, if a signal is received first.
    pub(crate) async fn or<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut happened = self.happened.clone();
        tokio::select! {
            biased;
            // The sender lives in a task that never ends, so this only resolves after a signal.
            _ = happened.wait_for(|happened| *happened) => None,
            result = work => Some(result),
        }
    }
}

async fn obey([mut interrupt, mut terminate]: [Signal; 2], cancel: CancelToken, tell: watch::Sender<bool>) {
    loop {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        if tell.send_replace(true) {
            std::process::exit(i32::from(INTERRUPTED));
        }
        cancel.cancel();
    }
}

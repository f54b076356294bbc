//! SIGINT and SIGTERM: the first stops gracefully, the second ends the process.

use std::future::Future;
use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Exit code after a second signal.
const INTERRUPTED: i32 = 130;

/// Installs the handlers; the future resolves with the first signal.
pub(super) fn stop() -> io::Result<impl Future<Output = ()> + Send> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let (tell, received) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        let mut tell = Some(tell);
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            match tell.take() {
                Some(tell) => drop(tell.send(())),
                None => std::process::exit(INTERRUPTED),
            }
        }
    });
    Ok(async move {
        let _ = received.await;
    })
}

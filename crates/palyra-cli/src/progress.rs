//! A line on the terminal for work that takes longer than a second.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use tokio::time::{Instant, interval_at};

/// Work that is done sooner needs no line.
const PATIENCE: Duration = Duration::from_secs(1);
/// Back to the start of the line, and nothing on it.
const ERASE: &str = "\r\x1b[2K";

/// Waits for `work`, telling `terminal` once a second how long it has been going on.
pub(crate) async fn with_progress<T>(
    what: &str,
    mut terminal: Option<impl Write>,
    work: impl Future<Output = T>,
) -> T {
    let started = Instant::now();
    let mut seconds = interval_at(started + PATIENCE, PATIENCE);
    let mut drawn = false;
    tokio::pin!(work);
    loop {
        tokio::select! {
            biased;
            result = &mut work => {
                if let Some(terminal) = terminal.as_mut().filter(|_| drawn) {
                    draw(terminal, ERASE);
                }
                return result;
            }
            _ = seconds.tick() => {
                if let Some(terminal) = &mut terminal {
                    draw(terminal, &format!("{ERASE}{what}… {} s", started.elapsed().as_secs()));
                    drawn = true;
                }
            }
        }
    }
}

/// The same for work that blocks its thread.
pub(crate) fn with_progress_blocking<T>(
    what: &str,
    terminal: Option<impl Write + Send>,
    work: impl FnOnce() -> T,
) -> T {
    let Some(mut terminal) = terminal else { return work() };
    let (working, ended) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut seconds = 0_u64;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PATIENCE) {
                seconds += 1;
                draw(&mut terminal, &format!("{ERASE}{what}… {seconds} s"));
            }
            if seconds > 0 {
                draw(&mut terminal, ERASE);
            }
        });
        let result = work();
        drop(working);
        result
    })
}

/// A terminal that has gone away is no reason to stop working.
fn draw(terminal: &mut impl Write, text: &str) {
    let _ = terminal.write_all(text.as_bytes()).and_then(|()| terminal.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn shown(length: Duration) -> String {
        let mut terminal = Vec::new();
        with_progress("compiling", Some(&mut terminal), tokio::time::sleep(length)).await;
        String::from_utf8(terminal).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn short_work_shows_nothing_and_long_work_cleans_up() {
        assert_eq!(shown(Duration::from_millis(900)).await, "");
        assert_eq!(
            shown(Duration::from_millis(2_500)).await,
            "\r\x1b[2Kcompiling… 1 s\r\x1b[2Kcompiling… 2 s\r\x1b[2K"
        );
    }
}

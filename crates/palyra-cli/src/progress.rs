//! A progress line on the terminal for work that takes longer than a second.

use crate::output::fitting_line;
use parking_lot::{Mutex, MutexGuard};
use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use tokio::time::{Instant, Interval, interval_at};

/// Delay before the line appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// Returns to the start of the line and erases it.
pub(crate) const ERASE: &str = "\r\x1b[2K";

/// Waits for `work`, and shows the elapsed time on `terminal` once a second.
pub(crate) async fn with_progress<T>(
    what: &str,
    terminal: Option<impl Write>,
    work: impl Future<Output = T>,
) -> T {
    with_progress_of(async || what.to_owned(), terminal, work).await
}

/// Shows progress like [`with_progress`]; `what` is called once per second, and only if a line is shown.
pub(crate) async fn with_progress_of<T>(
    what: impl AsyncFn() -> String,
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
            what = asked(&mut seconds, &what), if terminal.is_some() => {
                if let Some(terminal) = &mut terminal {
                    draw(terminal, &line_of(&what, started.elapsed().as_secs()));
                    drawn = true;
                }
            }
        }
    }
}

/// Returns the current activity after the next second.
async fn asked(seconds: &mut Interval, what: &impl AsyncFn() -> String) -> String {
    seconds.tick().await;
    what().await
}

/// Shows progress for work that blocks its thread.
pub(crate) fn with_progress_blocking<T>(
    what: &str,
    terminal: Option<impl Write + Send>,
    work: impl FnOnce() -> T,
) -> T {
    with_progress_between(what, terminal, |_| work())
}

/// Shows progress for blocking work that prints remarks: it passes them to its argument, which clears the line while
/// they are printed.
pub(crate) fn with_progress_between<T>(
    what: &str,
    terminal: Option<impl Write + Send>,
    work: impl FnOnce(&dyn Fn(&dyn Fn())) -> T,
) -> T {
    let Some(terminal) = terminal else { return work(&|say| say()) };
    let line = Mutex::new(Line { terminal, seconds: 0 });
    let (working, ended) = channel::<()>();
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            // It is the thread that waits.
            let ended = ended;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PATIENCE) {
                lock(&line).tick(what);
            }
        });
        let result = work(&|say| {
            let mut line = lock(&line);
            line.erase();
            say();
        });
        drop(working);
        result
    });
    lock(&line).erase();
    result
}

/// A progress line with its start time.
struct Line<W> {
    terminal: W,
    seconds: u64,
}

impl<W: Write> Line<W> {
    fn tick(&mut self, what: &str) {
        self.seconds += 1;
        draw(&mut self.terminal, &line_of(what, self.seconds));
    }

    /// Erases the line; the next one starts at zero.
    fn erase(&mut self) {
        if self.seconds > 0 {
            draw(&mut self.terminal, ERASE);
        }
        self.seconds = 0;
    }
}

/// Formats the activity and its duration, truncated because a wrapped line could not be erased.
fn line_of(what: &str, seconds: u64) -> String {
    ERASE.to_owned() + &fitting_line(&format!("{what}… {seconds} s"))
}

fn lock<T>(line: &Mutex<T>) -> MutexGuard<'_, T> {
    line.lock()
}

/// Writes to the terminal; an error is ignored, because the work has to continue without a terminal.
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

    #[test]
    fn progress_line_is_cleared_while_a_step_prints() {
        let mut line = Line { terminal: Vec::new(), seconds: 0 };
        line.erase();
        line.tick("checking");
        line.tick("checking");
        line.erase();
        line.terminal.extend_from_slice(b"ok  archive\n");
        line.tick("checking");
        let shown = String::from_utf8(line.terminal).unwrap();
        assert_eq!(
            shown,
            "\r\x1b[2Kchecking… 1 s\r\x1b[2Kchecking… 2 s\r\x1b[2Kok  archive\n\r\x1b[2Kchecking… 1 s"
        );
    }

    #[test]
    fn remarks_print_with_and_without_a_terminal() {
        for terminal in [None, Some(Vec::new())] {
            let count = std::cell::Cell::new(0);
            let result = with_progress_between("checking", terminal, |tell| {
                tell(&|| count.set(count.get() + 1));
                7
            });
            assert_eq!((result, count.get()), (7, 1));
        }
    }
}

//! Running a program to its end, within a time limit, and keeping the end of its output.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::error::GuestkitError;

const TAIL_BYTES: u64 = 16 * 1024;
const TAIL_LINES: usize = 60;

/// Runs `command` and returns its standard output.
///
/// Output goes to unnamed files instead of pipes, because a grandchild can keep a pipe open after the end.
pub(crate) fn run(step: &str, mut command: Command, limit: Duration) -> Result<Vec<u8>, GuestkitError> {
    let start = |source| GuestkitError::StepStart { step: step.to_owned(), source };
    let mut stdout = tempfile::tempfile().map_err(start)?;
    let mut stderr = tempfile::tempfile().map_err(start)?;
    command
        .stdin(Stdio::null())
        .stdout(stdout.try_clone().map_err(start)?)
        .stderr(stderr.try_clone().map_err(start)?);
    let child = command.spawn().map_err(start)?;
    match wait(child, limit).map_err(start)? {
        Some(status) if status.success() => {
            let mut bytes = Vec::new();
            stdout.seek(SeekFrom::Start(0)).map_err(start)?;
            stdout.read_to_end(&mut bytes).map_err(start)?;
            Ok(bytes)
        }
        Some(status) => Err(GuestkitError::StepFailed {
            step: step.to_owned(),
            status: status.to_string(),
            output: tails(&mut stdout, &mut stderr),
        }),
        None => Err(GuestkitError::StepTimedOut {
            step: step.to_owned(),
            seconds: limit.as_secs(),
            output: tails(&mut stdout, &mut stderr),
        }),
    }
}

/// Returns the path of `program` on PATH.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|directory| directory.join(program)).find(|path| is_executable(path))
}

/// Returns whether `path` is an executable file.
pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Waits for the program, and kills it after the limit, in which case the result is `None`.
fn wait(mut child: Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(100));
    }
}

fn tails(stdout: &mut File, stderr: &mut File) -> String {
    let parts = [tail(stdout), tail(stderr)];
    parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn tail(file: &mut File) -> String {
    let length = file.seek(SeekFrom::End(0)).unwrap_or(0);
    let mut bytes = Vec::new();
    let read = file
        .seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))
        .and_then(|_| file.take(TAIL_BYTES).read_to_end(&mut bytes));
    if read.is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    // The first line of a part is seldom a whole one.
    let lines: Vec<&str> = text.lines().skip(usize::from(length > TAIL_BYTES)).collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        command
    }

    #[test]
    fn stdout_of_a_good_run_comes_back() {
        let output = run("echo", shell("echo one; echo two >&2"), Duration::from_secs(10)).unwrap();
        assert_eq!(output, b"one\n");
    }

    #[test]
    fn a_failure_carries_its_status_and_the_last_lines() {
        let script = "i=0; while [ $i -lt 200 ]; do echo line $i; i=$((i+1)); done; exit 3";
        let error = run("counting", shell(script), Duration::from_secs(10)).unwrap_err();
        let GuestkitError::StepFailed { status, output, .. } = &error else { panic!("{error:?}") };
        assert!(status.contains('3'), "{status}");
        assert_eq!(output.lines().count(), TAIL_LINES);
        assert!(output.ends_with("line 199"), "{output}");
    }

    #[test]
    fn a_program_that_does_not_end_is_stopped_even_if_its_child_lives_on() {
        let before = Instant::now();
        let error =
            run("waiting", shell("sleep 5 & echo begun; wait"), Duration::from_millis(50)).unwrap_err();
        assert!(matches!(&error, GuestkitError::StepTimedOut { .. }), "{error:?}");
        assert!(before.elapsed() < Duration::from_secs(4));
    }

    #[test]
    fn a_missing_program_is_a_start_error() {
        let error = run("nothing", Command::new("/nonexistent/tool"), Duration::from_secs(1)).unwrap_err();
        assert!(matches!(error, GuestkitError::StepStart { .. }));
    }

    #[test]
    fn programs_are_found_on_the_path_only_when_executable() {
        assert!(find_program("sh").is_some());
        assert!(find_program("no-such-program-anywhere").is_none());
        assert!(!is_executable(Path::new("/")));
    }
}

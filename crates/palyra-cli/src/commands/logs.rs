//! `palyra logs`: the log of a daemon that runs in the background.

use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Printer, Remark, Reply};
use crate::program::CommandPrefix;
use crate::state;
use clap::Args;
use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_daemon::serve::{MAX_LOG_BYTES, log_path, previous_log_path};
use serde::Serialize;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra logs
  palyra logs -f -n 10";

const MORE: &str = "\
A daemon started by `palyra up -d`, or by a command that needed one, logs to a file in the state root. A daemon
in the foreground logs to its standard error, unless it was started with `--log-file`.";

/// Interval at which a follower checks for new lines.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Maximum bytes to read; the last line of a log file can exceed its limit.
const MOST_BYTES: u64 = 2 * MAX_LOG_BYTES;

/// Show the log of the daemon
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct LogsArgs {
    /// Number of lines from the end
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 50)]
    lines: usize,

    /// Keep showing lines as they are written, until interrupted
    #[arg(short, long)]
    follow: bool,
}

/// Lines of the log.
#[derive(Serialize)]
struct LogLines {
    file: PathBuf,
    lines: Vec<String>,
}

pub(crate) fn run(args: &LogsArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match execute(args, globals, &printer) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

fn execute(args: &LogsArgs, globals: &Globals, printer: &Printer) -> Result<(), CliError> {
    if globals.url.is_some() {
        return Err(CliError::usage_with_hint(
            "`palyra logs` reads a file of this machine and cannot be combined with `--url`",
            "run it on the machine where the daemon runs",
        ));
    }
    let path = log_path(&state::root(globals)?);
    let failed = |path: &Path| CliError::io(format!("cannot read the log `{}`", path.display()));
    let mut log = match File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(no_log(&path, globals)?),
        opened => opened.map_err(failed(&path))?,
    };
    let mut text = String::new();
    // The end of the log may still be in the previous file.
    if let Ok(previous) = File::open(previous_log_path(&path)) {
        read_text(previous, &mut text).map_err(failed(&path))?;
    }
    let read = read_text(&log, &mut text).map_err(failed(&path))?;
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().skip(lines.len().saturating_sub(args.lines));
    let shown = LogLines { file: path.clone(), lines: last.map(|line| (*line).to_owned()).collect() };
    if !args.follow {
        printer.reply(&shown);
        return Ok(());
    }
    let mut reads = printer.stream(&shown)?;
    let mut place = Place { read, inode: inode(&log), rest: String::new() };
    while reads {
        std::thread::sleep(POLL_INTERVAL);
        let lines = place.more(&mut log, &path).map_err(failed(&path))?;
        if !lines.is_empty() {
            reads = printer.stream(&LogLines { file: path.clone(), lines })?;
        }
    }
    Ok(())
}

/// Position of a follower in the log.
struct Place {
    read: u64,
    inode: Option<u64>,
    /// Beginning of a line that is not complete yet.
    rest: String,
}

impl Place {
    /// Returns the complete lines written since the last call; a rotated log is read to its end first.
    fn more(&mut self, log: &mut File, path: &Path) -> io::Result<Vec<String>> {
        self.read_on(log)?;
        if let Ok(current) = File::open(path)
            && inode(&current) != self.inode
        {
            *log = current;
            (self.read, self.inode) = (0, inode(log));
            self.read_on(log)?;
        }
        let end = self.rest.rfind('\n').map_or(0, |end| end + 1);
        let whole: String = self.rest.drain(..end).collect();
        Ok(whole.lines().map(str::to_owned).collect())
    }

    fn read_on(&mut self, log: &mut File) -> io::Result<()> {
        log.seek(SeekFrom::Start(self.read))?;
        self.read += read_text(&*log, &mut self.rest)?;
        Ok(())
    }
}

fn read_text(file: impl Read, text: &mut String) -> io::Result<u64> {
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    text.push_str(&String::from_utf8_lossy(&bytes));
    Ok(read as u64)
}

fn inode(file: &File) -> Option<u64> {
    file.metadata().ok().map(|metadata| metadata.ino())
}

fn no_log(path: &Path, globals: &Globals) -> Result<CliError, CliError> {
    let message = format!("log file `{}` does not exist", path.display());
    let hint = format!(
        "a daemon in the foreground logs to its terminal; start one in the background with `{}`",
        CommandPrefix::new(globals)?.command("up -d")
    );
    Ok(Problem::new(ErrorCode::NotFound, message).hint(hint).into())
}

impl Reply for LogLines {
    const SCHEMA: &'static str = "palyra.logs/v1";

    fn data(&self) -> String {
        // The daemon escapes untrusted text, so a log never contains terminal escape sequences.
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn talk(&self) -> Vec<Remark> {
        if self.lines.is_empty() {
            vec![Remark::Note(format!("the log `{}` is empty", self.file.display()))]
        } else {
            Vec::new()
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.lines.iter().map(|line| json!({ "line": line })).collect())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn follower_reads_whole_lines_across_a_rotation() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("palyrad.log");
        let mut writer = File::create(&path).unwrap();
        let mut log = File::open(&path).unwrap();
        let mut place = Place { read: 0, inode: inode(&log), rest: String::new() };
        writer.write_all(b"one\ntw").unwrap();
        assert_eq!(place.more(&mut log, &path).unwrap(), ["one"]);
        writer.write_all(b"o\nthree\n").unwrap();
        std::fs::rename(&path, previous_log_path(&path)).unwrap();
        std::fs::write(&path, "four\n").unwrap();
        assert_eq!(place.more(&mut log, &path).unwrap(), ["two", "three", "four"]);
        assert_eq!(place.more(&mut log, &path).unwrap(), Vec::<String>::new());
    }
}

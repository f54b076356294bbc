//! Output for people and programs: data on standard output, remarks on standard error.

mod display;
mod human;
mod json;
mod json_layout;
mod reply;
pub(crate) mod shapes;
pub(crate) mod skills;
mod table;
mod units;
mod warnings;

pub(crate) use display::{Display, fitted, fitting_line, moment, timestamp, when, when_text};
pub(crate) use json_layout::{compact as compact_json, pretty as pretty_json};
pub(crate) use reply::{Remark, Reply};
pub(crate) use table::{facts, table};
pub(crate) use units::{
    bytes as byte_count, counted, duration as duration_text, milliseconds as milliseconds_text,
};
pub(crate) use warnings::Warnings;

use crate::cli::{Globals, OutputForm};
use crate::commands::run::FinishedRun;
use crate::error::{CliError, Failure};
use crate::progress::ERASE;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Prints results and errors in the requested format.
#[derive(Clone, Copy)]
pub(crate) struct Printer {
    form: OutputForm,
    talk: Talk,
}

/// Verbosity on standard error.
#[derive(Clone, Copy)]
struct Talk {
    quiet: bool,
    verbose: bool,
    trace: bool,
}

impl Printer {
    /// Creates a printer for the global flags.
    pub(crate) fn new(globals: &Globals, trace: bool) -> Self {
        Self { form: globals.form(), talk: Talk { quiet: globals.quiet, verbose: globals.verbose, trace } }
    }

    /// Creates a printer for commands that only print data or an error.
    pub(crate) fn plain(form: OutputForm) -> Self {
        Self { form, talk: Talk { quiet: false, verbose: false, trace: false } }
    }

    /// Returns whether `--verbose` is set.
    pub(crate) fn is_verbose(&self) -> bool {
        self.talk.verbose
    }

    /// Writes data unchanged.
    pub(crate) fn data(&self, bytes: &[u8]) -> ExitCode {
        match write_data(bytes) {
            Ok(()) => ExitCode::SUCCESS,
            Err(source) => {
                let error = CliError::Io { what: "cannot write to standard output".into(), source };
                self.fail(&error.into(), &[])
            }
        }
    }

    /// Prints the reply or the error of a command; returns its exit code.
    pub(crate) fn finish<R: Reply>(&self, outcome: Result<R, CliError>) -> ExitCode {
        match outcome {
            Ok(reply) => self.reply(&reply),
            Err(error) => self.fail(&error.into(), &[]),
        }
    }

    /// Prints the reply of a command; returns its exit code.
    pub(crate) fn reply<R: Reply>(&self, reply: &R) -> ExitCode {
        match (self.form, reply.lines()) {
            (OutputForm::Human, _) => {
                let written = self.data(reply.data().as_bytes());
                self.remark(&reply.talk());
                written
            }
            (OutputForm::Ndjson, Some(lines)) => self.data(json::lines(R::SCHEMA, &lines).as_bytes()),
            _ => self.data(json::reply_document(reply).as_bytes()),
        }
    }

    /// Prints remarks to standard error, unless `--quiet` is set.
    pub(crate) fn remark(&self, remarks: &[Remark]) {
        if self.form == OutputForm::Human && !self.talk.quiet {
            say(&human::remarks(remarks));
        }
    }

    /// Prints a remark between two updates of the progress line.
    pub(crate) fn remark_over_progress(&self, remark: Remark) {
        if self.terminal().is_some() {
            say(ERASE);
        }
        self.remark(&[remark]);
    }

    /// Returns whether a person reads the output, rather than a program.
    pub(crate) fn is_for_person(&self) -> bool {
        self.form == OutputForm::Human
    }

    /// Prints the subject of a question, regardless of `--quiet`.
    pub(crate) fn show(&self, text: &str) {
        say(text);
    }

    /// Writes data as it arrives; returns whether the reader is still there.
    pub(crate) fn stream<R: Reply>(&self, reply: &R) -> Result<bool, CliError> {
        let text = match (self.form, reply.lines()) {
            (OutputForm::Human, _) => reply.data(),
            (_, Some(lines)) => json::lines(R::SCHEMA, &lines),
            (_, None) => json::reply_document(reply),
        };
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            Err(source) => Err(CliError::Io { what: "cannot write to standard output".into(), source }),
            Ok(()) => Ok(true),
        }
    }

    /// Prints a successful run.
    pub(crate) fn run(&self, run: &FinishedRun, warnings: &[String]) -> ExitCode {
        if self.form != OutputForm::Human {
            return self.data(json::run_document(run, warnings).as_bytes());
        }
        let shown = run.result().map(|result| json_layout::pretty(&result) + "\n");
        let written = shown.map_or(ExitCode::SUCCESS, |text| self.data(text.as_bytes()));
        if !self.talk.quiet {
            say(&(human::warnings(warnings) + &human::run(run, self.talk)));
        }
        written
    }

    /// Prints an error, with the facts about the run that failed.
    pub(crate) fn fail(&self, failure: &Failure, warnings: &[String]) -> ExitCode {
        let text = match (self.form, &failure.run) {
            (OutputForm::Json | OutputForm::Ndjson, _) => json::error_document(failure, warnings),
            (OutputForm::Human, _) if self.talk.quiet => human::error(&failure.error),
            (OutputForm::Human, run) => {
                let run = run.as_ref().map(|run| human::run(run, self.talk)).unwrap_or_default();
                human::warnings(warnings) + &run + &human::error(&failure.error)
            }
        };
        say(&text);
        ExitCode::from(failure.error.exit_code())
    }

    /// Returns the terminal for a progress line, if there is one.
    pub(crate) fn terminal(&self) -> Option<io::Stderr> {
        let talks = self.form == OutputForm::Human && !self.talk.quiet;
        Some(io::stderr()).filter(|stderr| talks && stderr.is_terminal())
    }
}

/// Writes data; a reader that closed the pipe, such as `head`, is not an error.
fn write_data(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Prints to standard error, without styles if they are disabled; a closed stream is ignored.
fn say(text: &str) {
    let _ = anstream::stderr().write_all(text.as_bytes());
}

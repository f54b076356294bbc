//! What people and programs see: data on standard output, talk on standard error.

mod human;
mod json;
mod json_layout;
mod units;
mod warnings;

pub(crate) use warnings::Warnings;

use crate::cli::{Globals, OutputForm};
use crate::commands::run::FinishedRun;
use crate::error::{CliError, Failure};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Draws results and failures in the form that was asked for.
pub(crate) struct Printer {
    form: OutputForm,
    talk: Talk,
}

/// How much is said on standard error.
#[derive(Clone, Copy)]
struct Talk {
    quiet: bool,
    verbose: bool,
    trace: bool,
}

impl Printer {
    /// As the flags say.
    pub(crate) fn new(globals: Globals, trace: bool) -> Self {
        Self { form: globals.form(), talk: Talk { quiet: globals.quiet, verbose: globals.verbose, trace } }
    }

    /// For commands that only have data or an error.
    pub(crate) fn plain(form: OutputForm) -> Self {
        Self { form, talk: Talk { quiet: false, verbose: false, trace: false } }
    }

    /// Writes data as it is.
    pub(crate) fn data(&self, bytes: &[u8]) -> ExitCode {
        match write_data(bytes) {
            Ok(()) => ExitCode::SUCCESS,
            Err(source) => {
                let error = CliError::Io { what: "standard output cannot be written".into(), source };
                self.fail(&error.into(), &[])
            }
        }
    }

    /// Shows a run that went well.
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

    /// Shows what went wrong, and what is known of the run that it ended.
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

    /// The terminal on which progress may be drawn.
    pub(crate) fn terminal(&self) -> Option<io::Stderr> {
        let talks = self.form == OutputForm::Human && !self.talk.quiet;
        Some(io::stderr()).filter(|stderr| talks && stderr.is_terminal())
    }
}

/// A reader that has read enough, such as `head`, is not an error.
fn write_data(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Styles are taken out where they are not wanted; when nobody listens there is nobody to tell.
fn say(text: &str) {
    let _ = anstream::stderr().write_all(text.as_bytes());
}

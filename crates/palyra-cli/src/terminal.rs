//! Prompts on a terminal.

use crate::cli::Globals;
use crate::error::CliError;
use palyra_common::SecretValue;
use palyra_vault::Passphrase;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use std::io::{self, BufRead, IsTerminal, Write};
use zeroize::Zeroizing;

/// A terminal for prompts: standard input is one, and `--no-input` was not given.
#[derive(Clone, Copy)]
pub(crate) struct Terminal(());

impl Terminal {
    /// Returns the terminal, or `None` without one or with `--no-input`.
    pub(crate) fn of_person(globals: &Globals) -> Option<Self> {
        (!globals.no_input && io::stdin().is_terminal()).then_some(Self(()))
    }

    /// Reads a secret without echo; empty input cancels the command.
    pub(crate) fn secret(&mut self, what: &str) -> Result<SecretValue, CliError> {
        let typed = rpassword::prompt_password(format!("{what}: ")).map(Zeroizing::new);
        let typed = typed.map_err(CliError::io("cannot read from the terminal"))?;
        if typed.is_empty() { Err(CliError::Cancelled) } else { Ok(SecretValue::new(typed.as_bytes())) }
    }

    /// Reads a passphrase without echo.
    pub(crate) fn passphrase(&mut self, what: &str) -> Result<Passphrase, CliError> {
        let typed = self.secret(what)?;
        Passphrase::new(typed.expose()).map_err(|error| CliError::File(error.into()))
    }

    /// Reads a new passphrase twice without echo.
    pub(crate) fn new_passphrase(&mut self, what: &str) -> Result<Passphrase, CliError> {
        let first = self.secret(&format!("new {what}"))?;
        if self.secret(&format!("new {what} again"))? != first {
            return Err(CliError::usage("the two passphrases differ"));
        }
        Passphrase::new(first.expose()).map_err(|error| CliError::File(error.into()))
    }

    /// Asks a yes-or-no question; every answer except yes means no.
    pub(crate) fn agrees(&mut self, question: &str) -> Result<bool, CliError> {
        let asked = |error| CliError::Io { what: "cannot use the terminal".into(), source: error };
        let mut stderr = anstream::stderr();
        write!(stderr, "{question} [y/N] ").and_then(|()| stderr.flush()).map_err(asked)?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer).map_err(asked)?;
        Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
    }

    /// Reads a line; returns `None` at the end of the input.
    pub(crate) fn line(&mut self, question: &str) -> Result<Option<String>, CliError> {
        let asked = |error| CliError::Io { what: "cannot use the terminal".into(), source: error };
        let mut stderr = anstream::stderr();
        write!(stderr, "{question}").and_then(|()| stderr.flush()).map_err(asked)?;
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer).map_err(asked)?;
        Ok((read > 0).then(|| answer.trim_end_matches(['\n', '\r']).to_owned()))
    }

    /// Reads a line while a connection to the daemon is open.
    pub(crate) async fn line_between(mut self, question: String) -> Result<Option<String>, CliError> {
        off_the_threads(move || self.line(&question)).await
    }

    /// Waits until a line is typed or the input ends; a read does not block afterwards.
    pub(crate) async fn typed(self) -> Result<(), CliError> {
        // A short wait, because the thread that waits outlives this future when it is dropped.
        const WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        let is_typed = || {
            let input = io::stdin();
            let mut waited = [PollFd::new(&input, PollFlags::IN)];
            let ready = retry_on_intr(|| poll(&mut waited, Some(&WAIT))).map_err(io::Error::from);
            ready.map(|ready| ready > 0).map_err(CliError::io("cannot read from the terminal"))
        };
        while !off_the_threads(is_typed).await? {}
        Ok(())
    }

    /// Reads a secret while a connection to the daemon is open.
    pub(crate) async fn secret_between(mut self, what: String) -> Result<SecretValue, CliError> {
        off_the_threads(move || self.secret(&what)).await
    }

    /// Asks a yes-or-no question while a connection is open, without blocking its threads.
    pub(crate) async fn agrees_between(mut self, question: String) -> Result<bool, CliError> {
        off_the_threads(move || self.agrees(&question)).await
    }
}

/// Calls [`confirm`] while a connection to the daemon is open.
pub(crate) async fn confirm_between(globals: &Globals, question: String) -> Result<(), CliError> {
    let (yes, person) = (globals.yes, Terminal::of_person(globals));
    off_the_threads(move || decide(yes, person, &question)).await
}

/// Fails unless the user confirms, or `--yes` is set.
pub(crate) fn confirm(globals: &Globals, question: &str) -> Result<(), CliError> {
    decide(globals.yes, Terminal::of_person(globals), question)
}

fn decide(yes: bool, person: Option<Terminal>, question: &str) -> Result<(), CliError> {
    if yes {
        return Ok(());
    }
    let Some(mut terminal) = person else {
        let message = format!("not a terminal, so this needs confirmation: {question}");
        return Err(CliError::usage_with_hint(message, "add `--yes` to confirm"));
    };
    if terminal.agrees(question)? { Ok(()) } else { Err(CliError::Cancelled) }
}

async fn off_the_threads<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CliError> + Send + 'static,
) -> Result<T, CliError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(CliError::Setup(error.to_string())))
}

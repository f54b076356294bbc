//! `palyra` without a command: the state of this machine, and first steps.

use super::status::{self, Status};
use crate::cli::Globals;
use crate::output::{Printer, Remark, Reply};
use crate::program::CommandPrefix;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Serialize)]
struct StartPage {
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    /// Suggested commands by topic, each with a description.
    #[serde(skip)]
    groups: Vec<(&'static str, Vec<(String, &'static str)>)>,
    #[serde(skip)]
    problem: Option<String>,
}

/// Prints the page; an unreachable daemon is part of the shown state, not an error.
pub(crate) fn run(globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    let prefix = match CommandPrefix::new(globals) {
        Ok(prefix) => prefix,
        Err(error) => return printer.fail(&error.into(), &[]),
    };
    let (status, problem) = match status::execute(globals) {
        Ok(status) => (Some(status), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let running = status.as_ref().is_some_and(Status::running);
    let rows = |commands: &[(&str, &'static str)]| -> Vec<(String, &'static str)> {
        commands.iter().map(|(words, about)| (prefix.command(words), *about)).collect()
    };
    let first = if running {
        ("status", "Show the daemon, skills and pending approvals")
    } else {
        ("up -d", "Start the daemon and install the example skills")
    };
    let groups = vec![
        (
            "Start here",
            rows(&[
                first,
                ("tools list", "List the tools you can run"),
                ("run palyra.counter_wat.add step=5", "Run a tool"),
                ("runs show latest", "Show what the last run did"),
            ]),
        ),
        (
            "More",
            rows(&[
                ("help", "List all commands"),
                ("help run", "Explain one command"),
                ("doctor", "Check this machine and the state root"),
            ]),
        ),
    ];
    printer.reply(&StartPage { version: env!("CARGO_PKG_VERSION"), status, groups, problem })
}

impl Reply for StartPage {
    const SCHEMA: &'static str = "palyra.start/v1";

    fn data(&self) -> String {
        let mut text = format!("palyra {}: run signed skills in a WebAssembly sandbox\n\n", self.version);
        text.push_str(&self.status.as_ref().map(Reply::data).unwrap_or_default());
        for (title, commands) in &self.groups {
            text.push_str(&format!("\n{title}:\n"));
            let width = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or_default();
            for (command, about) in commands {
                text.push_str(&format!("  {command:<width$}  {about}\n"));
            }
        }
        text
    }

    fn talk(&self) -> Vec<Remark> {
        self.problem.iter().cloned().map(Remark::Warning).collect()
    }
}

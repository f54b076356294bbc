//! `palyra runs events`, once or until the run ends.

use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::interrupt::INTERRUPTED;
use crate::output::{Printer, Remark, Reply};
use clap::{ArgAction, Args};
use palyra_api::runs::{RunEnd, RunLine};
use palyra_api::{ClientError, TransportError};
use palyra_common::redact::escape_untrusted;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra runs events run_0123456789abcdef0123
  palyra runs events latest --follow";

/// Show the log lines and messages of a run
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct EventsArgs {
    /// Run id, a unique prefix of it, or `latest`
    run: String,

    /// Keep showing new lines until the run ends
    #[arg(long, action = ArgAction::SetTrue)]
    follow: bool,
}

#[derive(Serialize)]
struct Lines {
    run_id: String,
    lines: Vec<RunLine>,
}

pub(super) fn run(args: &EventsArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    if !args.follow {
        return printer.finish(kept(args, globals));
    }
    let followed = client::ask(globals, "runs events", async |client| {
        let run_id = client::run_id(&client, &args.run).await?;
        follow(&client, &run_id, printer).await.map(|end| (run_id, end))
    });
    match followed {
        Ok((run_id, end)) => {
            let end = end.map(|end| Remark::Note(format!("{run_id} {}", escape_untrusted(&end.status))));
            printer.remark(&end.into_iter().collect::<Vec<_>>());
            ExitCode::SUCCESS
        }
        // Only following was interrupted; the run continues.
        Err(CliError::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

fn kept(args: &EventsArgs, globals: &Globals) -> Result<Lines, CliError> {
    client::ask(globals, "runs events", async |client| {
        let run_id = client::run_id(&client, &args.run).await?;
        let mut all = client.run_lines(&run_id, None).await?;
        while let Some(after) = all.next {
            let more = client.run_lines(&run_id, Some(after)).await?;
            all.lines.extend(more.lines);
            all.next = more.next;
        }
        Ok::<_, ClientError>(Lines { run_id, lines: all.lines })
    })
}

/// Prints lines as they arrive; returns the end of the run, or `None` if the reader closed its pipe.
async fn follow(client: &AnyClient, run_id: &str, printer: &Printer) -> Result<Option<RunEnd>, ClientError> {
    let mut stream = client.follow_run(run_id).await?;
    while let Some(event) = stream.next().await? {
        match event.event.as_deref() {
            Some("line") => {
                let lines = Lines { run_id: run_id.to_owned(), lines: vec![read(&event.data)?] };
                let reads = printer.stream(&lines);
                if !reads.map_err(|error| ClientError::Protocol(error.to_string()))? {
                    return Ok(None);
                }
            }
            Some("missed") => {
                let missed: Value = read(&event.data)?;
                printer.remark(&[Remark::Warning(format!("{} lines were missed", missed["missed"]))]);
                print_stream_event(printer, missed)?;
            }
            Some("finished") => {
                let end: RunEnd = read(&event.data)?;
                print_stream_event(printer, json!({ "finished": end.status }))?;
                return Ok(Some(end));
            }
            _ => {}
        }
    }
    Err(ClientError::Transport(TransportError::Broken("the stream ended before the run did".into())))
}

/// Prints an event of the stream for programs, and a remark for people on standard error.
fn print_stream_event(printer: &Printer, event: Value) -> Result<(), ClientError> {
    let printed = printer.stream(&StreamEvent(event));
    printed.map(drop).map_err(|error| ClientError::Protocol(error.to_string()))
}

/// An event of the stream other than a line: missed lines, or the end.
#[derive(Serialize)]
struct StreamEvent(Value);

impl Reply for StreamEvent {
    const SCHEMA: &'static str = Lines::SCHEMA;

    fn data(&self) -> String {
        String::new()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(vec![self.0.clone()])
    }
}

fn read<T: DeserializeOwned>(data: &str) -> Result<T, ClientError> {
    serde_json::from_str(data).map_err(|error| ClientError::Protocol(error.to_string()))
}

impl Reply for Lines {
    const SCHEMA: &'static str = "palyra.runs.events/v1";

    fn data(&self) -> String {
        self.lines
            .iter()
            .map(|line| format!("{:<7}  {}\n", line.kind, escape_untrusted(&line.text)))
            .collect()
    }

    fn talk(&self) -> Vec<Remark> {
        if self.lines.is_empty() { vec![Remark::Note("no log lines".into())] } else { Vec::new() }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.lines.iter().map(|line| json!(line)).collect())
    }
}

//! `palyra journal tail`, once or until interrupted.
//!
//! A follower does not own the state: a daemon does, started if none is running, so that other commands can use it
//! too.

use super::events;
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::interrupt::INTERRUPTED;
use crate::output::{Printer, Remark, Reply, counted};
use clap::{ArgAction, Args};
use palyra_api::events::Event;
use palyra_api::journal::JournalQuery;
use palyra_api::{ClientError, TransportError};
use serde::Serialize;
use serde_json::Value;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra journal tail
  palyra journal tail --count 3 --follow";

/// Show the latest events, oldest first
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct TailArgs {
    /// Number of events
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    count: u16,

    /// Keep showing new events until interrupted
    #[arg(short, long, action = ArgAction::SetTrue)]
    follow: bool,
}

#[derive(Serialize)]
struct Tail {
    #[serde(serialize_with = "events::as_objects")]
    events: Vec<Event>,
    /// Number of events in the journal.
    size: u64,
}

pub(super) fn run(args: &TailArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    if !args.follow {
        let latest = async |client: AnyClient| latest(&client, args.count).await;
        return printer.finish(client::ask(globals, "journal tail", latest));
    }
    match client::stay(globals, async |client| follow(&client, args.count, printer).await) {
        Ok(()) => ExitCode::SUCCESS,
        Err(CliError::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

async fn latest(client: &AnyClient, count: u16) -> Result<Tail, ClientError> {
    let query = JournalQuery { limit: Some(count), newest_first: true, ..JournalQuery::default() };
    let page = client.journal(&query).await?;
    Ok(Tail { events: page.events.into_iter().rev().collect(), size: page.head.size })
}

/// Prints events until the output is closed.
async fn follow(client: &AnyClient, count: u16, printer: &Printer) -> Result<(), CliError> {
    let first = latest(client, count).await?;
    let mut stream = client.events(&[], first.size.checked_sub(1)).await?;
    let mut shown = first;
    while printer.stream(&shown)? {
        let event = stream.next().await?.ok_or_else(|| TransportError::Broken("it stopped".into()))?;
        let event: Event =
            serde_json::from_str(&event.data).map_err(|error| ClientError::Protocol(error.to_string()))?;
        shown = Tail { size: event.sequence + 1, events: vec![event] };
    }
    Ok(())
}

impl Reply for Tail {
    const SCHEMA: &'static str = "palyra.journal.tail/v1";

    fn data(&self) -> String {
        self.events.iter().map(events::line).collect()
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note(format!("{} in all", counted(self.size, "event")))]
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.events.iter().map(events::object).collect())
    }
}

//! `palyra journal tail`, once or for as long as somebody watches.
//!
//! Following does not keep the state root: it is opened, read and given back whenever its files changed, so
//! that the commands that make events can run.

use super::events;
use crate::cli::Globals;
use crate::error::CliError;
use crate::interrupt::{INTERRUPTED, Interrupt};
use crate::output::{Printer, Remark, Reply};
use crate::state;
use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args};
use palyra_common::env_vars::{PALYRA_JOURNAL_TAIL_COUNT, PALYRA_JOURNAL_TAIL_FOLLOW};
use palyra_state::StateRoot;
use palyra_state::journal::{Query, RecordedEvent};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Most events that are read at once.
const PAGE: usize = 1_000;

const EXAMPLE: &str = "\
Example:
  palyra journal tail
  palyra journal tail --count 3 --follow";

/// Show the latest events, oldest first.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct TailArgs {
    /// How many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    #[arg(env = PALYRA_JOURNAL_TAIL_COUNT, hide_env_values = true)]
    count: u16,

    /// Go on showing events as other commands write them, until interrupted
    #[arg(short, long, action = ArgAction::SetTrue)]
    #[arg(env = PALYRA_JOURNAL_TAIL_FOLLOW, hide_env_values = true, value_parser = FalseyValueParser::new())]
    follow: bool,
}

#[derive(Serialize)]
struct Tail {
    #[serde(serialize_with = "as_objects")]
    events: Vec<RecordedEvent>,
    /// How many events the journal has.
    size: u64,
}

pub(super) fn run(args: &TailArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    let newest = Query { newest_first: true, limit: usize::from(args.count), ..Query::default() };
    let first = read(globals, &newest).map(|mut tail| {
        tail.events.reverse();
        tail
    });
    if !args.follow {
        return printer.finish(first);
    }
    match first.and_then(|first| follow(globals, printer, first)) {
        Ok(code) => code,
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

/// Opens the state for one reading; nothing is changed by it.
fn read(globals: &Globals, query: &Query) -> Result<Tail, CliError> {
    let state = state::open(globals, "journal tail")?;
    let page = state.journal().query(query)?;
    Ok(Tail { events: page.events, size: page.head.size })
}

fn follow(globals: &Globals, printer: &Printer, first: Tail) -> Result<ExitCode, CliError> {
    let mut threads = tokio::runtime::Builder::new_current_thread();
    let threads = threads.enable_all().build().map_err(CliError::io("no threads can be started"))?;
    threads.block_on(async {
        let interrupt = Interrupt::listen().map_err(CliError::io("signals cannot be heard"))?;
        let root = state::root(globals)?;
        let mut size = first.size;
        let mut seen = None;
        if !printer.stream(&first)? {
            return Ok(ExitCode::SUCCESS);
        }
        while interrupt.or(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
            if seen.is_some() && seen == marks(&root) {
                continue;
            }
            let tail = read(globals, &Query { from_sequence: Some(size), limit: PAGE, ..Query::default() })?;
            size = tail.events.last().map_or(size, |event| event.leaf.sequence + 1);
            // A page that is full may have a successor, so the files count as changed.
            seen = marks(&root).filter(|_| size == tail.size);
            if !tail.events.is_empty() && !printer.stream(&tail)? {
                return Ok(ExitCode::SUCCESS);
            }
        }
        Ok(ExitCode::from(INTERRUPTED))
    })
}

/// Length and time of the database and its log: they change with every commit.
type Marks = [Option<(u64, SystemTime)>; 2];

fn marks(root: &StateRoot) -> Option<Marks> {
    let mark = |path: &Path| {
        let metadata = path.metadata().ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    let database = root.database();
    let marks = [mark(&database), mark(&database.with_file_name("state.db-wal"))];
    marks.iter().any(Option::is_some).then_some(marks)
}

fn as_objects<S: serde::Serializer>(recorded: &[RecordedEvent], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(recorded.iter().map(events::object))
}

impl Reply for Tail {
    const SCHEMA: &'static str = "palyra.journal.tail/v1";

    fn data(&self) -> String {
        self.events.iter().map(events::line).collect()
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note(format!("{} events in all", self.size))]
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.events.iter().map(events::object).collect())
    }
}

//! Queries for events.

use super::blocks::{self, BLOCK, Summary};
use super::nodes::StoredNodes;
use super::rows::{self, EVENT_COLUMNS, HeadRow, Stored};
use super::{JournalStore, Leaf};
use crate::event::Term;
use crate::proof::{InclusionProof, prove_inclusion};
use crate::tree::NodeSource as _;
use crate::{Damage, EventKind, JournalError, NewEvent, TreeHead};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use serde::Serialize;

/// Maximum number of events in one page.
const MAX_PAGE: usize = 1_000;

/// Filters and order of events. Every filter that is set must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Minimum sequence, inclusive.
    pub from_sequence: Option<u64>,
    /// Maximum sequence, exclusive.
    pub before_sequence: Option<u64>,
    /// Minimum time in milliseconds, inclusive, by the authors' clocks.
    pub from_ms: Option<u64>,
    /// Maximum time in milliseconds, exclusive, by the authors' clocks.
    pub before_ms: Option<u64>,
    /// The accepted kinds; empty accepts any.
    pub kinds: Vec<EventKind>,
    /// The id of the skill that events are about.
    pub skill: Option<String>,
    /// The id of the run that events belong to.
    pub run: Option<String>,
    /// Whether the newest events come first.
    pub newest_first: bool,
    /// Maximum number of events, clamped to 1 to 1,000.
    pub limit: usize,
    /// Whether each event has a verified inclusion proof.
    pub with_proofs: bool,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            from_sequence: None,
            before_sequence: None,
            from_ms: None,
            before_ms: None,
            kinds: Vec::new(),
            skill: None,
            run: None,
            newest_first: false,
            limit: 100,
            with_proofs: false,
        }
    }
}

/// An event with its position in the tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordedEvent {
    /// The sequence of the event and the hash of its leaf.
    #[serde(flatten)]
    pub leaf: Leaf,
    /// The event as written, after redaction.
    #[serde(flatten)]
    pub event: NewEvent,
    /// The inclusion proof under the page's head, if the query requests it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<InclusionProof>,
}

/// Some of the matching events, with the query for the next ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The matching events, in the order of the query.
    pub events: Vec<RecordedEvent>,
    /// The head of the journal when the page was read.
    pub head: TreeHead,
    /// Number of the oldest events that are in segment files and were not searched.
    pub archived: u64,
    /// The query for the next page; `None` if this is the last one.
    pub next: Option<Query>,
}

impl JournalStore {
    /// Finds events. Blocks the calling thread. A row that was changed since it was written is an error.
    ///
    /// Committed events that are not announced yet are omitted, so that no reader sees a change before
    /// [`JournalTransaction::before_announcement`](crate::JournalTransaction::before_announcement) published it.
    pub fn query(&self, query: &Query) -> Result<Page, JournalError> {
        let announced = self.head();
        self.read(|connection| find(connection, query, announced))
    }
}

fn find(connection: &Connection, query: &Query, announced: TreeHead) -> Result<Page, JournalError> {
    let HeadRow { head: stored, archived } = rows::read_head(connection)?;
    let head = if announced.size < stored.size { announced } else { stored };
    let limit = query.limit.clamp(1, MAX_PAGE);
    let mut search = Search { connection, query, wanted: limit + 1, events: Vec::new() };
    let first = query.from_sequence.unwrap_or(0).max(archived);
    let end = query.before_sequence.unwrap_or(head.size).min(head.size);
    search.run(first, end, head.size)?;
    let mut events = search.events;
    let more = events.len() > limit;
    events.truncate(limit);
    if query.with_proofs {
        prove(connection, head, &mut events)?;
    }
    let next = more.then(|| following(query, &events)).flatten();
    Ok(Page { events, head, archived, next })
}

/// A search: visits blocks in order, reads those that may contain a match, and stops when it has enough events.
struct Search<'a> {
    connection: &'a Connection,
    query: &'a Query,
    wanted: usize,
    events: Vec<RecordedEvent>,
}

impl Search<'_> {
    fn run(&mut self, first: u64, end: u64, size: u64) -> Result<(), JournalError> {
        if first >= end {
            return Ok(());
        }
        let query = self.query;
        let any_time = query.from_ms.is_none() && query.before_ms.is_none();
        if any_time && query.kinds.is_empty() && query.skill.is_none() && query.run.is_none() {
            return self.scan(first, end);
        }
        // The last events have no summary yet and are always scanned.
        let summarised = size / BLOCK * BLOCK;
        if query.newest_first {
            self.scan(first.max(summarised), end)?;
        }
        if first < summarised {
            let blocks = (first / BLOCK, end.min(summarised).div_ceil(BLOCK));
            blocks::each_summary(self.connection, blocks, query.newest_first, |block, summary| {
                if may_match(query, &summary) {
                    self.scan(first.max(block * BLOCK), end.min((block + 1) * BLOCK))?;
                }
                Ok(self.events.len() < self.wanted)
            })?;
        }
        if query.newest_first { Ok(()) } else { self.scan(first.max(summarised), end) }
    }

    /// Adds the matching events in `first..end`, until there are enough.
    fn scan(&mut self, first: u64, end: u64) -> Result<(), JournalError> {
        let wanted = self.wanted - self.events.len();
        if first >= end || wanted == 0 {
            return Ok(());
        }
        let (sql, values) = statement(self.query, first, end, wanted);
        let failed = || JournalError::sqlite("find events");
        let mut statement = self.connection.prepare_cached(&sql).map_err(failed())?;
        let mut found = statement.query(params_from_iter(values)).map_err(failed())?;
        let mut scratch = Vec::new();
        while let Some(row) = found.next().map_err(failed())? {
            self.events.push(recorded(&Stored::read(row)?, &mut scratch)?);
        }
        Ok(())
    }
}

fn may_match(query: &Query, summary: &Summary) -> bool {
    query.from_ms.is_none_or(|from| summary.last_ms >= from)
        && query.before_ms.is_none_or(|before| summary.first_ms < before)
        && query.run.as_deref().is_none_or(|run| summary.may_hold(Term::Run(run)))
        && query.skill.as_deref().is_none_or(|skill| summary.may_hold(Term::Skill(skill)))
        && blocks::may_hold_kind(summary, &query.kinds)
}

fn statement(query: &Query, first: u64, end: u64, limit: usize) -> (String, Vec<Value>) {
    let mut sql = format!("SELECT {EVENT_COLUMNS} FROM journal_event WHERE seq >= ? AND seq < ?");
    let mut values = vec![number(first), number(end)];
    let mut filter = |condition: &str, value: Option<Value>| {
        if let Some(value) = value {
            sql.push_str(condition);
            values.push(value);
        }
    };
    filter(" AND run = ?", query.run.clone().map(Value::Text));
    filter(" AND skill = ?", query.skill.clone().map(Value::Text));
    filter(" AND at_ms >= ?", query.from_ms.map(number));
    filter(" AND at_ms < ?", query.before_ms.map(number));
    if !query.kinds.is_empty() {
        let marks = vec!["?"; query.kinds.len()].join(", ");
        sql.push_str(&format!(" AND kind IN ({marks})"));
        values.extend(query.kinds.iter().map(|kind| Value::Text(kind.as_str().to_owned())));
    }
    sql.push_str(if query.newest_first { " ORDER BY seq DESC LIMIT ?" } else { " ORDER BY seq LIMIT ?" });
    values.push(number(limit as u64));
    (sql, values)
}

/// Returns the event of a row after verifying the hash of the row.
pub(super) fn recorded(stored: &Stored<'_>, scratch: &mut Vec<u8>) -> Result<RecordedEvent, JournalError> {
    let sequence = stored.sequence;
    let hash = stored.checked_hash(scratch)?;
    Ok(RecordedEvent { leaf: Leaf { sequence, hash }, event: stored.fields.event()?, proof: None })
}

fn prove(connection: &Connection, head: TreeHead, events: &mut [RecordedEvent]) -> Result<(), JournalError> {
    let mut nodes = StoredNodes::new(connection, head.size);
    for RecordedEvent { leaf, proof, .. } in events {
        *proof = Some(checked_proof(&mut nodes, *leaf, head)?);
    }
    Ok(())
}

/// Returns a verified proof, or the damage of the row or of the nodes.
pub(super) fn checked_proof(
    nodes: &mut StoredNodes<'_>,
    leaf: Leaf,
    head: TreeHead,
) -> Result<InclusionProof, JournalError> {
    let Leaf { sequence, hash: found } = leaf;
    let proof = prove_inclusion(nodes, sequence, head)?;
    if proof.verify(&found).is_ok() {
        return Ok(proof);
    }
    match nodes.node(0, sequence)? {
        expected if expected != found => Err(Damage::EventChanged { sequence, expected, found }.into()),
        _ => Err(Damage::NodesChanged { sequence, level: 0 }.into()),
    }
}

fn following(query: &Query, events: &[RecordedEvent]) -> Option<Query> {
    let last = events.last()?.leaf.sequence;
    let mut next = query.clone();
    if query.newest_first {
        next.before_sequence = Some(last)
    } else {
        next.from_sequence = Some(last + 1)
    }
    Some(next)
}

fn number(number: u64) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

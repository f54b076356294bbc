//! Appends to the journal compared with a bare insert, and to a long journal compared with a short one.
//!
//! Whole times of turns are compared, not medians of appends, so that what SQLite does only now and then counts.

use super::Bench;
use crate::row::Measured;
use anyhow::Result;
use palyra_journal::{CheckpointSigner, EventKind, JournalOptions, JournalStore, NewEvent};
use rusqlite::{Connection, params};
use serde_json::json;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

/// Number of events per commit, on both sides.
const GROUP: u64 = 64;
/// Number of events per turn.
const TURN: u64 = 64 * GROUP;

/// Compares appends with plain inserts. The baseline inserts the same fields in the same groups into a table with no
/// index besides its key, with write-ahead logging and `synchronous=NORMAL`.
pub async fn against_insert(bench: &Bench) -> Result<Measured> {
    let turns = bench.pick(20, 100);
    // Waiting for an answer blocks the thread.
    tokio::task::spawn_blocking(move || measure_inserts(turns)).await?
}

pub async fn growth(bench: &Bench) -> Result<Measured> {
    let (events, turns) = bench.pick((100_000, 10), (1_000_000, 40));
    tokio::task::spawn_blocking(move || measure_growth(events, turns)).await?
}

fn measure_inserts(turns: u64) -> Result<Measured> {
    let directory = tempfile::tempdir()?;
    let (store, bare) =
        (journal(&directory.path().join("ours.db"))?, bare(&directory.path().join("bare.db"))?);
    let (mut ours, mut baseline) = (0.0, 0.0);
    append(&store, 0..TURN)?;
    insert(&bare, 0..TURN)?;
    for turn in 1..=turns {
        ours += append(&store, turn * TURN..(turn + 1) * TURN)?;
        baseline += insert(&bare, turn * TURN..(turn + 1) * TURN)?;
    }
    Ok(per_event(ours, baseline, turns, None))
}

fn measure_growth(events: u64, turns: u64) -> Result<Measured> {
    let directory = tempfile::tempdir()?;
    let (large, small) =
        (journal(&directory.path().join("large.db"))?, journal(&directory.path().join("small.db"))?);
    for first in (0..events).step_by(TURN as usize) {
        append(&large, first..first + TURN)?;
    }
    append(&small, 0..1_000)?;
    let (mut late, mut early) = (0.0, 0.0);
    for turn in 0..turns {
        early += append(&small, 1_000 + turn * TURN..1_000 + (turn + 1) * TURN)?;
        late += append(&large, events + turn * TURN..events + (turn + 1) * TURN)?;
    }
    let note = format!("after {events} events, beside one that began with 1,000");
    Ok(per_event(late, early, turns, Some(note)))
}

fn per_event(ours: f64, baseline: f64, turns: u64, note: Option<String>) -> Measured {
    let events = (turns * TURN) as f64;
    Measured { ours: ours / events, baseline: Some(baseline / events), note }
}

/// Returns a receipt as the call pipeline writes it.
fn receipt(number: u64) -> NewEvent {
    NewEvent::new(EventKind::RunCompleted, 1_700_000_000_000 + number)
        .actor("owner")
        // Scattered like random identifiers, so that no index profits from their order.
        .run(format!("run_{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .skill(format!("acme.skill-{}", number % 20))
        .subject(format!("acme.skill_{}.echo", number % 20))
        .details(json!({
            "payload": "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
            "input": "sha256:fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
            "fuel": number * 31, "wall_us": 1_234, "exit": "ok",
        }))
}

fn journal(path: &Path) -> Result<JournalStore> {
    let signer = CheckpointSigner::from_seed("palyra.bench/journal", &[7; 32])?;
    let options = JournalOptions { max_group: GROUP as usize, ..JournalOptions::new(signer) };
    Ok(JournalStore::create(path, options)?)
}

/// Appends events that are created beforehand; returns the microseconds until the last one is acknowledged.
fn append(store: &JournalStore, numbers: Range<u64>) -> Result<f64> {
    let events: Vec<NewEvent> = numbers.map(receipt).collect();
    let started = Instant::now();
    let pending: Vec<_> = events.into_iter().map(|event| store.append(event)).collect();
    // The last answer first: a single wait for the whole turn, because the baseline waits once.
    for answer in pending.into_iter().rev() {
        answer.wait()?;
    }
    Ok(started.elapsed().as_secs_f64() * 1e6)
}

fn bare(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.execute_batch(
        "CREATE TABLE event (seq INTEGER PRIMARY KEY, at_ms INTEGER, kind TEXT, actor TEXT, run TEXT,
         skill TEXT, subject TEXT, details TEXT) STRICT",
    )?;
    Ok(connection)
}

fn insert(connection: &Connection, numbers: Range<u64>) -> Result<f64> {
    let events: Vec<NewEvent> = numbers.map(receipt).collect();
    let started = Instant::now();
    for group in events.chunks(GROUP as usize) {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut insert = connection.prepare_cached(
            "INSERT INTO event (at_ms, kind, actor, run, skill, subject, details)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for event in group {
            let NewEvent { kind, at_ms, actor, run, skill, subject, details } = event;
            let details = details.to_string();
            insert.execute(params![at_ms, kind.as_str(), actor, run, skill, subject, details])?;
        }
        drop(insert);
        connection.execute_batch("COMMIT")?;
    }
    Ok(started.elapsed().as_secs_f64() * 1e6)
}

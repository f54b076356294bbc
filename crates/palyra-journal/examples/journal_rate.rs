//! Measures how fast the journal appends, compared with a plain SQLite insert in the same mode. Prints one JSON row per
//! line.
//!
//! ```sh
//! cargo run --release -p palyra-journal --example journal_rate
//! ```
//!
//! The baseline inserts the same fields of the same events into a table with no index except its key, in the same
//! groups, with write-ahead logging and `synchronous=NORMAL`. The two sides run in short turns one after the other, so
//! that other load affects both equally. Their total times are compared, so that occasional work of SQLite counts.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement ends at the first error")]

use palyra_journal::{CheckpointSigner, EventKind, JournalOptions, JournalStore, NewEvent};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// Number of events per commit, on both sides.
const GROUP: u64 = 64;
/// Number of events per turn.
const TURN: u64 = 64 * GROUP;

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let events: u64 = std::env::args().nth(1).map_or(1_000_000, |count| count.parse().unwrap());
    against_bare_insert(directory.path(), events.min(400_000));
    flatness(directory.path(), events);
}

fn against_bare_insert(directory: &Path, events: u64) {
    let store = journal(&directory.join("ours.db"));
    let bare = bare(&directory.join("bare.db"));
    let (mut ours, mut baseline) = (Vec::new(), Vec::new());
    let (mut our_work, mut baseline_work) = (Vec::new(), Vec::new());
    for first in (0..events).step_by(TURN as usize) {
        let start = processor_time();
        ours.push(append_turn(&store, first));
        let middle = processor_time();
        baseline.push(insert_turn(&bare, first));
        our_work.push((middle - start) / TURN as f64);
        baseline_work.push((processor_time() - middle) / TURN as f64);
    }
    row("journal_append", mean(&ours), mean(&baseline), 2.0);
    row("journal_append_processor_time", mean(&our_work), mean(&baseline_work), 2.0);
}

/// Compares a journal of a million events with one of a thousand, in turns.
fn flatness(directory: &Path, events: u64) {
    let (large, small) = (journal(&directory.join("large.db")), journal(&directory.join("small.db")));
    for first in (0..events).step_by(TURN as usize) {
        append_turn(&large, first);
    }
    append(&small, 0..1_000);
    let (mut late, mut early) = (Vec::new(), Vec::new());
    for turn in 0..40 {
        early.push(append_turn(&small, 1_000 + turn * TURN));
        late.push(append_turn(&large, events + turn * TURN));
    }
    row("journal_append_flat_1k_to_1m", mean(&late), mean(&early), 1.2);
}

fn row(name: &str, ours: f64, baseline: f64, goal: f64) {
    let round = |number: f64| (number * 1_000.0).round() / 1_000.0;
    let ratio = ours / baseline;
    let row: Value = json!({
        "name": name, "ours": round(ours), "baseline": round(baseline), "unit": "us/event",
        "ratio": round(ratio), "goal": goal, "ok": ratio <= goal,
    });
    println!("{row}");
}

/// Returns the processor time of all threads in microseconds, which does not depend on other processes.
fn processor_time() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let nanoseconds = threads.map(|thread| -> f64 {
        let text = std::fs::read_to_string(thread.join("schedstat")).unwrap();
        text.split(' ').next().unwrap().parse().unwrap()
    });
    nanoseconds.sum::<f64>() / 1e3
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Returns a receipt like those of the call pipeline.
fn receipt(number: u64) -> NewEvent {
    NewEvent::new(EventKind::RunCompleted, 1_700_000_000_000 + number)
        .actor("owner")
        // Scattered, as random identifiers are: no index may depend on their order.
        .run(format!("run_{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .skill(format!("acme.skill-{}", number % 20))
        .subject(format!("acme.skill_{}.echo", number % 20))
        .details(json!({
            "payload": "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
            "input": "sha256:fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
            "fuel": number * 31, "wall_us": 1_234, "exit": "ok",
        }))
}

fn journal(path: &Path) -> JournalStore {
    let signer = CheckpointSigner::from_seed("palyra.bench/journal", &[7; 32]).unwrap();
    let options = JournalOptions { max_group: GROUP as usize, ..JournalOptions::new(signer) };
    JournalStore::create(path, options).unwrap()
}

/// Microseconds per event over one turn.
fn append_turn(store: &JournalStore, first: u64) -> f64 {
    append(store, first..first + TURN) / TURN as f64
}

/// Appends prepared events; returns the microseconds until the last is acknowledged.
fn append(store: &JournalStore, numbers: std::ops::Range<u64>) -> f64 {
    let events: Vec<NewEvent> = numbers.map(receipt).collect();
    let start = Instant::now();
    let pending: Vec<_> = events.into_iter().map(|event| store.append(event)).collect();
    // The last answer first: one wait for the whole turn, as the baseline has none.
    for answer in pending.into_iter().rev() {
        answer.wait().unwrap();
    }
    start.elapsed().as_secs_f64() * 1e6
}

fn bare(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.pragma_update(None, "synchronous", "NORMAL").unwrap();
    connection
        .execute_batch(
            "CREATE TABLE event (seq INTEGER PRIMARY KEY, at_ms INTEGER, kind TEXT, actor TEXT, run TEXT,
             skill TEXT, subject TEXT, details TEXT) STRICT",
        )
        .unwrap();
    connection
}

fn insert_turn(connection: &Connection, first: u64) -> f64 {
    let events: Vec<NewEvent> = (first..first + TURN).map(receipt).collect();
    let start = Instant::now();
    for group in events.chunks(GROUP as usize) {
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        let mut insert = connection
            .prepare_cached(
                "INSERT INTO event (at_ms, kind, actor, run, skill, subject, details)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )
            .unwrap();
        for event in group {
            let NewEvent { kind, at_ms, actor, run, skill, subject, details } = event;
            let details = details.to_string();
            insert.execute(params![at_ms, kind.as_str(), actor, run, skill, subject, details]).unwrap();
        }
        drop(insert);
        connection.execute_batch("COMMIT").unwrap();
    }
    start.elapsed().as_secs_f64() * 1e6 / TURN as f64
}

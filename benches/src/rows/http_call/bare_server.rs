//! A minimal server for comparison: a handler that makes the call and inserts one row.

use super::Bench;
use crate::bare::BareCore;
use crate::clients::Target;
use anyhow::Result;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use bytes::Bytes;
use rusqlite::{Connection, params};
use std::sync::{Arc, mpsc};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Maximum number of rows per commit, as in the journal.
const GROUP: usize = 64;

/// A server without Palyra that runs the same module and stores its output.
pub struct BareServer {
    pub target: Target,
    serving: JoinHandle<()>,
    _directory: tempfile::TempDir,
}

#[derive(Clone)]
struct Shared {
    module: Arc<BareCore>,
    rows: mpsc::Sender<Row>,
}

/// A call to record, with the channel to acknowledge it.
struct Row {
    text: String,
    done: oneshot::Sender<()>,
}

impl BareServer {
    pub async fn start(bench: &Bench) -> Result<Self> {
        let guests = &bench.ours.guests;
        let directory = tempfile::tempdir()?;
        let loaded = bench.ours.runtime.load(&guests.echo_core).await?;
        let module = BareCore::new(bench.ours.runtime.engine(loaded.class()), &guests.echo_core)?;
        let shared = Shared { module: Arc::new(module), rows: writer(&directory)? };
        let router = Router::new().route("/call", post(handle)).with_state(shared);
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let input = &guests.input_256_object;
        let target = Target {
            address: listener.local_addr()?,
            path: "/call",
            authorization: None,
            body: Bytes::from(input.to_string()),
            expected: input.to_string(),
        };
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                eprintln!("the bare server ended: {error}");
            }
        });
        Ok(Self { target, serving, _directory: directory })
    }
}

impl Drop for BareServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn handle(State(shared): State<Shared>, body: String) -> Result<Vec<u8>, StatusCode> {
    let input: Arc<str> = body.into();
    let output = shared.module.call(&input).await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let (done, written) = oneshot::channel();
    let text = String::from_utf8_lossy(&output).into_owned();
    shared.rows.send(Row { text, done }).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    written.await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(output)
}

/// Starts a thread that inserts all queued rows in one transaction and then notifies their senders.
fn writer(directory: &tempfile::TempDir) -> Result<mpsc::Sender<Row>> {
    let connection = Connection::open(directory.path().join("calls.db"))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.execute_batch("CREATE TABLE call (number INTEGER PRIMARY KEY, output TEXT) STRICT")?;
    let (sender, rows) = mpsc::channel::<Row>();
    std::thread::Builder::new().name("bare-writer".into()).spawn(move || {
        while let Ok(first) = rows.recv() {
            let group: Vec<Row> = std::iter::once(first).chain(rows.try_iter().take(GROUP - 1)).collect();
            if let Err(error) = insert(&connection, &group) {
                eprintln!("the bare table: {error}");
                return;
            }
            for row in group {
                let _ = row.done.send(());
            }
        }
    })?;
    Ok(sender)
}

fn insert(connection: &Connection, group: &[Row]) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let mut insert = connection.prepare_cached("INSERT INTO call (output) VALUES (?1)")?;
    for row in group {
        insert.execute(params![row.text])?;
    }
    drop(insert);
    connection.execute_batch("COMMIT")
}

//! `/v1/backup`.

use std::fs::File;
use std::io::{Read, Seek};
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use futures::stream;
use http::HeaderValue;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use palyra_api::Problem;
use palyra_api::backup::BACKUP_TYPE;
use palyra_common::{ErrorCode, Principal, Scope};
use palyra_state::BackupError;
use tokio::sync::mpsc;

use super::access::{Arrival, Caller};
use super::answer::Failure;
use super::blocking::blocking;
use super::route::Route;
use crate::app::App;

/// Bytes per read.
const CHUNK: usize = 256 << 10;
const WAITING_CHUNKS: usize = 4;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/backup", Scope::Admin, backup)
            .summary("Stream a consistent backup of the state root; only for the owner on this machine")
            .answers_with(BACKUP_TYPE),
    ]
}

async fn backup(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    arrival: Option<Extension<Arrival>>,
) -> Result<Response, Failure> {
    must_be_here(&principal, arrival.map(|Extension(arrival)| arrival))?;
    let chore = app.begin_chore().ok_or_else(|| {
        Problem::new(
            ErrorCode::ShuttingDown,
            "the daemon is shutting \
            down",
        )
    })?;
    let made = blocking(&app, move |app| {
        let made = spool(app, &principal.name);
        // From here on the file is independent of the state.
        drop(chore);
        made
    });
    let (file, length) = made.await?;
    let mut response = Response::new(Body::from_stream(stream::unfold(chunks(file), next)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(BACKUP_TYPE));
    headers.insert(CONTENT_LENGTH, length.into());
    Ok(response)
}

/// Requires the owner on this machine: a backup contains everything, including the keys.
fn must_be_here(principal: &Principal, arrival: Option<Arrival>) -> Result<(), Problem> {
    match arrival {
        Some(Arrival::InProcess | Arrival::Socket) if principal.is_owner() => Ok(()),
        _ => Err(Problem::new(ErrorCode::Forbidden, "only the owner on this machine can request a backup")
            .hint("run `palyra backup FILE` on the machine of the daemon")),
    }
}

/// Writes the backup to an unnamed file in the state root, so that an interruption leaves nothing behind.
fn spool(app: &App, principal: &str) -> Result<(File, u64), Failure> {
    let root = app.state().root().path();
    let mut file = tempfile::tempfile_in(root).map_err(BackupError::Write)?;
    app.state().backup(&mut file, principal)?;
    let length = file.stream_position().map_err(BackupError::Write)?;
    file.rewind().map_err(BackupError::Write)?;
    Ok((file, length))
}

type Chunk = std::io::Result<Bytes>;

/// Reads a file outside of the async workers, no faster than its consumer.
fn chunks(mut file: File) -> mpsc::Receiver<Chunk> {
    let (sender, receiver) = mpsc::channel(WAITING_CHUNKS);
    tokio::task::spawn_blocking(move || {
        loop {
            let mut chunk = vec![0; CHUNK];
            let read = file.read(&mut chunk).map(|read| {
                chunk.truncate(read);
                Bytes::from(chunk)
            });
            let ended = read.as_ref().is_ok_and(Bytes::is_empty) || read.is_err();
            let sent = match &read {
                Ok(chunk) if chunk.is_empty() => return,
                _ => sender.blocking_send(read),
            };
            if ended || sent.is_err() {
                return;
            }
        }
    });
    receiver
}

async fn next(mut chunks: mpsc::Receiver<Chunk>) -> Option<(Chunk, mpsc::Receiver<Chunk>)> {
    let chunk = chunks.recv().await?;
    Some((chunk, chunks))
}

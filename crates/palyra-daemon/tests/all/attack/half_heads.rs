//! Connections that send an incomplete head and reconnect when they are dropped, on every listener.

use super::Tally;
use super::rounds::Rounds;
use super::target::Target;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::JoinSet;

/// Number of connections, more than the places of one listener.
const CONNECTIONS: usize = 700;

pub(super) async fn run(target: Arc<Target>, rounds: Arc<Rounds>) -> Tally {
    let tried = Arc::new(AtomicU64::new(0));
    let mut connections = JoinSet::new();
    for number in 0..CONNECTIONS {
        let (target, rounds, tried) = (Arc::clone(&target), Arc::clone(&rounds), Arc::clone(&tried));
        connections.spawn(async move {
            while rounds.next() {
                tried.fetch_add(1, Ordering::Relaxed);
                let _ = half_a_head(&target, number).await;
            }
        });
    }
    // Connections that wait to be closed are dropped.
    rounds.over().await;
    drop(connections);
    Tally::of(tried.load(Ordering::Relaxed))
}

/// Waits for the daemon to close a connection with an incomplete head.
async fn half_a_head(target: &Target, number: usize) -> std::io::Result<()> {
    let http = b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half:";
    let mut rest = Vec::new();
    match number % 4 {
        0 => {
            let mut socket = UnixStream::connect(&target.socket).await?;
            socket.write_all(http).await?;
            socket.read_to_end(&mut rest).await?;
        }
        1 => {
            let mut stream = TcpStream::connect(target.grpc).await?;
            stream.write_all(b"PRI * HTTP/2.0\r\n").await?;
            stream.read_to_end(&mut rest).await?;
        }
        _ => {
            let mut stream = TcpStream::connect(target.address).await?;
            stream.write_all(http).await?;
            stream.read_to_end(&mut rest).await?;
        }
    }
    Ok(())
}

//! Bodies, gRPC messages and MCP lines that never end.

use super::Tally;
use super::rounds::Rounds;
use super::target::Target;
use crate::grpc::{connect, status_before_message};
use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::JoinSet;

/// Number of concurrent bodies.
const BODIES: usize = 60;
/// Bytes sent of each body: together more than the memory budget of the daemon.
const SENT: usize = 8 << 20;
/// Announced length of each body.
const ANNOUNCED: usize = 60 << 20;
/// Length of the longest message that needs no token, and the number of bytes sent of it.
const HEALTH_MESSAGE: (usize, usize) = (64 << 10, (64 << 10) - 1);
const INVOKE: &str = "/v1/tools/acme.bench.echo/invoke";
const GRPC_INVOKE: &str = "/palyra.gateway.v1.GatewayService/Invoke";
const GRPC_HEALTH: &str = "/grpc.health.v1.Health/Check";

pub(super) async fn run(target: Arc<Target>, rounds: Arc<Rounds>) -> Tally {
    let tried = Arc::new(AtomicU64::new(0));
    let mut bodies = JoinSet::new();
    for number in 0..BODIES {
        let (target, rounds, tried) = (Arc::clone(&target), Arc::clone(&rounds), Arc::clone(&tried));
        bodies.spawn(async move {
            while rounds.next() {
                tried.fetch_add(1, Ordering::Relaxed);
                let Ok(refused) = begin(&target, number).await else { continue };
                tokio::select! {
                    () = refused => {}
                    () = rounds.over() => {}
                }
            }
        });
    }
    while bodies.join_next().await.is_some() {}
    Tally::of(tried.load(Ordering::Relaxed))
}

/// Sends a part of a body; the returned future resolves when the daemon rejects the rest.
async fn begin(target: &Arc<Target>, number: usize) -> io::Result<BoxFuture<'static, ()>> {
    match number % 6 {
        0 => {
            let stream = UnixStream::connect(&target.socket).await?;
            send(stream, target.head(INVOKE, &target.caller, ANNOUNCED)).await
        }
        1 => {
            let stream = TcpStream::connect(target.address).await?;
            send(stream, target.head(INVOKE, &target.caller, ANNOUNCED)).await
        }
        2 => {
            let stream = TcpStream::connect(target.address).await?;
            send(stream, format!("{}{SENT:x}\r\n", target.mcp_head(&target.reader))).await
        }
        3 => announce(target, GRPC_HEALTH, None, HEALTH_MESSAGE, 100).await,
        4 => {
            let token = Some(target.caller.clone());
            announce(target, GRPC_INVOKE, token, (ANNOUNCED, 1 << 20), 8).await
        }
        _ => {
            // This token lacks the scope of the method.
            let token = Some(target.reader.clone());
            announce(target, GRPC_INVOKE, token, (ANNOUNCED, SENT), 8).await
        }
    }
}

async fn send(
    mut stream: impl AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
    head: String,
) -> io::Result<BoxFuture<'static, ()>> {
    stream.write_all(head.as_bytes()).await?;
    let part = vec![b' '; 64 << 10];
    for _ in 0..SENT / part.len() {
        stream.write_all(&part).await?;
    }
    Ok(async move {
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
    .boxed())
}

async fn announce(
    target: &Arc<Target>,
    path: &'static str,
    token: Option<String>,
    message: (usize, usize),
    calls: usize,
) -> io::Result<BoxFuture<'static, ()>> {
    let (address, sender) = (target.grpc, connect(target.grpc).await?);
    Ok(async move {
        let call = |_| status_before_message(sender.clone(), address, path, token.as_deref(), message);
        join_all((0..calls).map(call)).await;
    }
    .boxed())
}

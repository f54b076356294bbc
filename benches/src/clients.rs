//! Clients that keep their connections and always have one request in progress.

use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// Number of concurrent clients.
const CLIENTS: usize = 64;
/// Number of requests of each client in a turn.
const CALLS: usize = 25;

/// Number of requests of all clients in a turn.
pub const CALLS_OF_A_TURN: u64 = (CLIENTS * CALLS) as u64;

/// The endpoint to call.
#[derive(Clone)]
pub struct Target {
    pub address: SocketAddr,
    pub path: &'static str,
    pub authorization: Option<String>,
    pub body: Bytes,
    /// Text that every response must contain.
    pub expected: String,
}

/// Connected clients of one server.
pub struct Clients {
    target: Arc<Target>,
    connections: Vec<Arc<Mutex<SendRequest<Full<Bytes>>>>>,
}

/// Result of one turn.
pub struct Turn {
    pub per_second: f64,
    pub micros: Vec<f64>,
}

impl Clients {
    pub async fn connect(target: &Target) -> Result<Self> {
        let mut connections = Vec::new();
        for _ in 0..CLIENTS {
            let stream = TcpStream::connect(target.address).await?;
            stream.set_nodelay(true)?;
            let (sender, connection) = handshake(TokioIo::new(stream)).await?;
            tokio::spawn(connection);
            connections.push(Arc::new(Mutex::new(sender)));
        }
        Ok(Self { target: Arc::new(target.clone()), connections })
    }

    /// Makes the calls of all clients concurrently, one after another per client.
    pub async fn turn(&self) -> Result<Turn> {
        let started = Instant::now();
        let mut clients = JoinSet::new();
        for connection in &self.connections {
            clients.spawn(calls(Arc::clone(&self.target), Arc::clone(connection)));
        }
        let mut micros = Vec::with_capacity(CLIENTS * CALLS);
        while let Some(done) = clients.join_next().await {
            micros.extend(done??);
        }
        Ok(Turn { per_second: micros.len() as f64 / started.elapsed().as_secs_f64(), micros })
    }
}

async fn calls(target: Arc<Target>, connection: Arc<Mutex<SendRequest<Full<Bytes>>>>) -> Result<Vec<f64>> {
    let mut connection = connection.lock().await;
    let mut micros = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let started = Instant::now();
        call(&target, &mut connection).await?;
        micros.push(started.elapsed().as_secs_f64() * 1e6);
    }
    Ok(micros)
}

async fn call(target: &Target, connection: &mut SendRequest<Full<Bytes>>) -> Result<()> {
    let mut request = http::Request::post(target.path)
        .header(HOST, target.address.to_string())
        .header(CONTENT_TYPE, "application/json");
    if let Some(authorization) = &target.authorization {
        request = request.header(AUTHORIZATION, authorization);
    }
    connection.ready().await?;
    let answer = connection.send_request(request.body(Full::new(target.body.clone()))?).await?;
    let status = answer.status();
    let body = answer.into_body().collect().await?.to_bytes();
    let text = std::str::from_utf8(&body).context("the answer is no text")?;
    if !status.is_success() {
        bail!("the answer is {status}: {text}");
    }
    ensure!(text.contains(&target.expected), "the answer has no output: {text}");
    Ok(())
}

//! A permitted request through the egress guard compared with the same request on a bare HTTP client.

use super::Bench;
use crate::row::Measured;
use crate::sample::{Plan, in_turn};
use anyhow::{Result, bail, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1::{Connection, SendRequest, handshake};
use hyper_util::rt::TokioIo;
use palyra_common::capabilities::OperatorGrants;
use palyra_egress::testing::{TestReply, TestServer};
use palyra_egress::{ByteBudget, EgressConfig, EgressContext, EgressGuard, OutgoingRequest};
use std::net::SocketAddr;
use tokio::net::TcpStream;

/// Compares a guarded request with a bare one: one server, one reused connection per side, a body of 256 bytes.
pub async fn guard(bench: &Bench) -> Result<Measured> {
    let body = Bytes::from(bench.ours.guests.input_256.to_string());
    let reply = body.clone();
    let server = TestServer::http(move |_| TestReply::ok(reply.clone())).await?;
    let address = server.address();
    let ours = Guarded::new(address)?;
    let mut bare = Bare::connect(address).await?;
    ensure!(ours.get().await? == body && bare.get().await? == body, "a side returns another body");
    let plan = bench.pick(Plan::even(20, 100), Plan::even(100, 100));
    let medians =
        in_turn(plan, async || ours.get().await.map(drop), async || bare.get().await.map(drop)).await?;
    ensure!(server.connections() == 2, "a connection was not kept");
    Ok(Measured { ours: medians.ours, baseline: Some(medians.baseline), note: None })
}

/// Palyra's side, with a grant for one URL.
struct Guarded {
    guard: EgressGuard,
    grants: OperatorGrants,
    url: String,
}

impl Guarded {
    fn new(address: SocketAddr) -> Result<Self> {
        let grants = OperatorGrants::parse([format!("http:GET http://{address}/items/*")])?;
        Ok(Self {
            guard: EgressGuard::new(EgressConfig::default())?,
            grants,
            url: format!("http://{address}/items/1"),
        })
    }

    /// Sends a request like `http.send` of a run: authorized first, then sent under its own budget.
    async fn get(&self) -> Result<Bytes> {
        let request =
            OutgoingRequest { method: "GET".into(), url: self.url.clone(), ..OutgoingRequest::default() };
        let request = self.guard.authorize(self.grants.capabilities.http(), request)?;
        let context = EgressContext {
            owner: "acme.bench",
            allow_addresses: &self.grants.allow_addresses,
            injections: &[],
            guarded: &[],
            budget: &ByteBudget::new(16 << 20),
        };
        Ok(self.guard.send(request, &context).await?.body)
    }
}

/// A bare client with one connection, polled by the caller that waits for the response.
///
/// A separate task would cost a thread switch per request, which the client does not require.
struct Bare {
    sender: SendRequest<Empty<Bytes>>,
    connection: Connection<TokioIo<TcpStream>, Empty<Bytes>>,
    host: String,
}

impl Bare {
    async fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        Ok(Self { sender, connection, host: address.to_string() })
    }

    async fn get(&mut self) -> Result<Bytes> {
        let Self { sender, connection, host } = self;
        let exchange = async {
            sender.ready().await?;
            let request = http::Request::get("/items/1").header("host", &*host).body(Empty::new())?;
            anyhow::Ok(sender.send_request(request).await?.into_body().collect().await?.to_bytes())
        };
        tokio::select! {
            body = exchange => body,
            _ = connection => bail!("the connection ended"),
        }
    }
}

//! Calls over HTTP: the daemon beside a bare handler that makes the bare call and inserts one row.

mod bare_server;
mod clients;

use super::Bench;
use crate::home::{install, new_state};
use crate::row::Measured;
use crate::sample::median;
use crate::skill::echo;
use anyhow::{Context, Result};
use bare_server::BareServer;
use clients::{Clients, Target};
use palyra_daemon::access::OwnerToken;
use palyra_daemon::{App, AppConfig, Outside, Server, ServerConfig};
use palyra_plugins_runtime::InProcessCompiler;
use std::net::SocketAddr;
use std::sync::Arc;

/// Calls per second of 64 clients, with group commit on both sides.
pub async fn throughput(bench: &Bench) -> Result<Measured> {
    let ours = OurServer::start(bench).await?;
    let bare = BareServer::start(bench).await?;
    let (ours, bare) = (Clients::connect(&ours.target).await?, Clients::connect(&bare.target).await?);
    let (mut our_rates, mut bare_rates) = (Vec::new(), Vec::new());
    ours.turn().await?;
    bare.turn().await?;
    for _ in 0..bench.pick(10, 40) {
        our_rates.push(ours.turn().await?.per_second);
        bare_rates.push(bare.turn().await?.per_second);
    }
    let note = "64 clients in the same process; the bare side inserts one row for each call".to_owned();
    Ok(Measured { ours: median(our_rates), baseline: Some(median(bare_rates)), note: Some(note) })
}

/// The slowest of a hundred calls beside the middle one, with 64 clients.
pub async fn tail(bench: &Bench) -> Result<Measured> {
    let server = OurServer::start(bench).await?;
    let clients = Clients::connect(&server.target).await?;
    clients.turn().await?;
    let mut times = Vec::new();
    for _ in 0..bench.pick(10, 40) {
        times.extend(clients.turn().await?.micros);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times.get(times.len() * share / 100).copied().context("nothing was measured");
    Ok(Measured { ours: at(99)?, baseline: Some(at(50)?), note: Some(format!("{} calls", times.len())) })
}

/// The daemon on a free port, with one tool.
struct OurServer {
    target: Target,
    app: Arc<App>,
    _home: tempfile::TempDir,
}

impl OurServer {
    async fn start(bench: &Bench) -> Result<Self> {
        let home = tempfile::tempdir()?;
        let state = new_state(&home)?;
        install(&state, &echo(&bench.ours.guests.echo_core, 0, 1)?)?;
        let config = AppConfig {
            keep_compiled_code: false,
            outside: Outside::Closed,
            max_concurrent_runs: 256,
            ..AppConfig::new(Arc::new(InProcessCompiler))
        };
        let app = App::new(state, config);
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let server =
            Server::bind(Arc::clone(&app), ServerConfig { listen, ..ServerConfig::default() }).await?;
        let token = OwnerToken::read(app.state().root())?.context("there is no owner token")?;
        let input = &bench.ours.guests.input_256_object;
        let target = Target {
            address: server.endpoint().url.rsplit('/').next().unwrap_or_default().parse()?,
            path: "/v1/tools/bench.echo0.tool0/invoke",
            authorization: Some(format!("Bearer {}", token.expose().as_str())),
            body: format!(r#"{{"input":{input}}}"#).into(),
            expected: input.to_string(),
        };
        tokio::spawn(server.run(std::future::pending()));
        Ok(Self { target, app, _home: home })
    }
}

impl Drop for OurServer {
    fn drop(&mut self) {
        self.app.begin_stop();
    }
}

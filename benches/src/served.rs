//! The daemon's server in this process.

use crate::clients::Target;
use crate::guests::Guests;
use crate::home::{install, new_state};
use crate::skill::echo;
use anyhow::{Context, Result};
use palyra_daemon::access::OwnerToken;
use palyra_daemon::{App, AppConfig, Outside, Server, ServerConfig};
use palyra_plugins_runtime::InProcessCompiler;
use std::net::SocketAddr;
use std::sync::Arc;

/// The daemon on a free port, with one installed tool.
pub struct OurServer {
    pub target: Target,
    app: Arc<App>,
    _home: tempfile::TempDir,
}

impl OurServer {
    pub async fn start(guests: &Guests) -> Result<Self> {
        let home = tempfile::tempdir()?;
        let state = new_state(&home)?;
        install(&state, &echo(&guests.echo_core, 0, 1)?)?;
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
        let input = &guests.input_256_object;
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

//! A daemon for one test, on port 0, with a clock that the test sets.

use palyra_api::Client;
use palyra_api::client::remote::{Place, Remote};
use palyra_common::{Scope, ScopeSet};
use palyra_daemon::access::OwnerToken;
use palyra_daemon::{App, AppConfig, InProcess, Outside, Server, ServerConfig};
use palyra_plugins_runtime::{Compiler, InProcessCompiler};
use palyra_state::{State, StateError, StateOptions, StateRoot};
use palyra_vault::KeySourceChoice;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::task::JoinHandle;
use zeroize::Zeroizing;

pub(crate) struct Daemon {
    pub(crate) app: Arc<App>,
    pub(crate) address: SocketAddr,
    pub(crate) grpc: SocketAddr,
    pub(crate) socket: PathBuf,
    pub(crate) token: Zeroizing<String>,
    pub(crate) root: StateRoot,
    clock: Arc<AtomicU64>,
    serving: Option<JoinHandle<Result<(), StateError>>>,
    _home: tempfile::TempDir,
}

pub(crate) fn config() -> ServerConfig {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    ServerConfig { listen, grpc_listen: Some(listen), ..ServerConfig::default() }
}

fn app_config(outside: Outside) -> AppConfig {
    AppConfig {
        keep_compiled_code: false,
        outside,
        max_concurrent_runs: 16,
        ..AppConfig::new(Arc::new(InProcessCompiler))
    }
}

pub(crate) fn options(clock: &Arc<AtomicU64>) -> StateOptions {
    let clock = Arc::clone(clock);
    StateOptions {
        command: "test".into(),
        clock: Arc::new(move || clock.load(Ordering::SeqCst)),
        key_source: KeySourceChoice::File,
        ..StateOptions::default()
    }
}

impl Daemon {
    pub(crate) async fn start() -> Self {
        Self::with(config()).await
    }

    /// Starts a daemon with the skill `acme.bench` installed.
    pub(crate) async fn with_bench() -> Self {
        let daemon = Self::start().await;
        daemon.install("bench", "");
        daemon
    }

    pub(crate) async fn with(config: ServerConfig) -> Self {
        Self::with_outside(config, Outside::Closed).await
    }

    /// Starts a daemon with network access.
    pub(crate) async fn open() -> Self {
        Self::with_outside(config(), Outside::Open { extra_roots: Vec::new() }).await
    }

    /// Starts a daemon with this compiler.
    pub(crate) async fn compiling_with(compiler: Arc<dyn Compiler>) -> Self {
        Self::with_app(config(), AppConfig { compiler, ..app_config(Outside::Closed) }).await
    }

    async fn with_outside(config: ServerConfig, outside: Outside) -> Self {
        Self::with_app(config, app_config(outside)).await
    }

    async fn with_app(config: ServerConfig, app: AppConfig) -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = StateRoot::new(home.path().join("root"));
        let clock = Arc::new(AtomicU64::new(1_700_000_000_000));
        let state = root.init(&options(&clock)).unwrap();
        Self::serve(state, root, clock, home, config, app).await
    }

    /// Stops it, and starts another one with the same state root on another port.
    pub(crate) async fn restart(self) -> Self {
        let (root, clock) = (self.root.clone(), Arc::clone(&self.clock));
        let (state, home) = self.stop_and_reopen().await;
        Self::serve(state, root, clock, home, config(), app_config(Outside::Closed)).await
    }

    async fn serve(
        state: State,
        root: StateRoot,
        clock: Arc<AtomicU64>,
        home: tempfile::TempDir,
        config: ServerConfig,
        app: AppConfig,
    ) -> Self {
        let app = App::new(state, app);
        let server = Server::bind(Arc::clone(&app), config).await.unwrap();
        let endpoint = server.endpoint().clone();
        let address = |url: &str| url.rsplit('/').next().unwrap().parse().unwrap();
        let grpc = address(endpoint.grpc_url.as_deref().unwrap());
        let address = address(&endpoint.url);
        let token = OwnerToken::read(&root).unwrap().unwrap().expose().clone();
        let serving = Some(tokio::spawn(server.run(std::future::pending())));
        Self { app, address, grpc, socket: endpoint.socket, token, root, clock, serving, _home: home }
    }

    pub(crate) fn install(&self, name: &str, quotas: &str) {
        crate::guests::install(self.app.state(), name, quotas);
    }

    pub(crate) fn state(&self) -> &State {
        self.app.state()
    }

    /// Creates a token with these scopes.
    pub(crate) fn token_with(&self, name: &str, scopes: &[Scope]) -> String {
        let scopes: ScopeSet = scopes.iter().copied().collect();
        self.state().tokens().add(name, scopes, None, "owner").unwrap().secret.as_str().to_owned()
    }

    pub(crate) fn in_process(&self) -> Client<InProcess> {
        InProcess::client(&self.app)
    }

    pub(crate) fn over_socket(&self) -> Client<Remote> {
        Client::new(Remote::new(Place::Socket(self.socket.clone()), Some(self.token.clone())))
    }

    pub(crate) fn over_tcp(&self) -> Client<Remote> {
        self.over_tcp_as(&self.token)
    }

    pub(crate) fn over_tcp_as(&self, token: &str) -> Client<Remote> {
        let place: Place = format!("http://{}", self.address).parse().unwrap();
        Client::new(Remote::new(place, Some(Zeroizing::new(token.to_owned()))))
    }

    /// Returns the clock of the daemon.
    pub(crate) fn clock(&self) -> &Arc<AtomicU64> {
        &self.clock
    }

    pub(crate) fn advance(&self, ms: u64) {
        self.clock.fetch_add(ms, Ordering::SeqCst);
    }

    /// Changes rows as another program could.
    pub(crate) async fn edit(&self, sql: &str) {
        let sql = sql.to_owned();
        let edit = move |transaction: &mut palyra_journal::JournalTransaction<'_>| {
            transaction.sql().execute_batch(&sql).map_err(palyra_journal::JournalError::sqlite("edit"))
        };
        self.state().journal().transaction(palyra_journal::Durability::Normal, edit).await.unwrap();
    }

    /// Stops it, and opens the state root again.
    pub(crate) async fn stop_and_reopen(mut self) -> (State, tempfile::TempDir) {
        self.app.begin_stop();
        self.serving.take().unwrap().await.unwrap().unwrap();
        let Self { app, root, clock, _home: home, .. } = self;
        drop(app);
        let state = State::open(&root, &options(&clock)).unwrap_or_else(|error| panic!("{error}"));
        (state, home)
    }
}

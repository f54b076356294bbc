//! What the daemon knows and can do, without any face.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use palyra_common::{RuntimeLimits, WasmPluginRunError};
use palyra_egress::{CertificateDer, EgressConfig, EgressGuard};
use palyra_plugins_runtime::Compiler;
use palyra_state::call::{CallError, CallerConfig, Replayed, ToolCaller, ToolInvocation, ToolResult};
use palyra_state::{State, StateError};
use tokio::sync::{OnceCell, watch};
use tracing::Instrument;

use crate::access::Access;
use crate::calls::{Calls, EndWithCaller};
use crate::metrics::Metrics;
use crate::policy::Policy;
use crate::streams::Streams;
use crate::transport::mcp::McpSessions;
use crate::uploads::Uploads;

/// Calls that may run at once, unless somebody says otherwise.
const MAX_CONCURRENT_RUNS: u32 = 64;

/// How the daemon carries out calls; decided once by whoever starts it.
#[derive(Clone)]
pub struct AppConfig {
    /// Who compiles.
    pub compiler: Arc<dyn Compiler>,
    /// Whether compiled code is kept below the state root.
    pub keep_compiled_code: bool,
    /// Whether guests may reach the network at all.
    pub outside: Outside,
    /// No run gets more than this.
    pub ceiling: Option<RuntimeLimits>,
    /// Runs that may be under way at once.
    pub max_concurrent_runs: u32,
}

/// The network, as far as the daemon opens it; what one run may reach is a matter of its grants.
#[derive(Clone)]
pub enum Outside {
    /// Every request of a guest is refused as unavailable.
    Closed,
    /// Requests go through the one guard.
    Open {
        /// Root certificates that are believed besides the usual ones.
        extra_roots: Vec<CertificateDer<'static>>,
    },
}

impl AppConfig {
    /// The usual: compiled code is kept, and the network is open.
    pub fn new(compiler: Arc<dyn Compiler>) -> Self {
        Self {
            compiler,
            keep_compiled_code: true,
            outside: Outside::Open { extra_roots: Vec::new() },
            ceiling: None,
            max_concurrent_runs: MAX_CONCURRENT_RUNS,
        }
    }
}

/// The daemon: an open state, and the sandbox over it.
pub struct App {
    state: Arc<State>,
    config: AppConfig,
    /// Started with the first call: most commands need no sandbox.
    caller: OnceCell<Arc<ToolCaller>>,
    calls: Calls,
    access: Access,
    policy: Policy,
    streams: Streams,
    uploads: Uploads,
    mcp: McpSessions,
    metrics: Metrics,
    listener: OnceLock<SocketAddr>,
    started: Instant,
    stopping: watch::Sender<bool>,
}

impl App {
    /// The daemon over an open state.
    pub fn new(state: State, config: AppConfig) -> Arc<Self> {
        Arc::new(Self {
            state: Arc::new(state),
            config,
            caller: OnceCell::new(),
            calls: Calls::new(),
            access: Access::default(),
            policy: Policy::default(),
            streams: Streams::default(),
            uploads: Uploads::default(),
            mcp: McpSessions::default(),
            metrics: Metrics::new(),
            listener: OnceLock::new(),
            started: Instant::now(),
            stopping: watch::Sender::new(false),
        })
    }

    /// The state it owns.
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// Who is let in.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// What they may do.
    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn streams(&self) -> &Streams {
        &self.streams
    }

    pub(crate) fn uploads(&self) -> &Uploads {
        &self.uploads
    }

    pub(crate) fn mcp(&self) -> &McpSessions {
        &self.mcp
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The time, as events tell it.
    pub(crate) fn now_ms(&self) -> u64 {
        self.state.now_ms()
    }

    /// Says where it listens, which no guest may reach; told before the first call.
    pub(crate) fn listens_on(&self, address: SocketAddr) {
        let _ = self.listener.set(address);
    }

    /// For how long it has been the owner.
    pub fn uptime(&self) -> std::time::Duration {
        self.started.elapsed()
    }

    /// Becomes true when the daemon begins to stop.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Begins to stop: nothing new is accepted, streams end.
    pub fn begin_stop(&self) {
        self.stopping.send_replace(true);
    }

    /// How many calls are under way.
    pub fn calls_under_way(&self) -> usize {
        self.calls.count()
    }

    /// Ends every call under way.
    pub fn cancel_calls(&self) {
        self.calls.cancel_all();
    }

    /// Waits until no call is under way.
    pub async fn drained(&self) {
        self.calls.drained().await;
    }

    /// Calls a tool. The run goes on to its receipt even if the caller goes away, which cancels it.
    pub(crate) async fn call(
        self: &Arc<Self>,
        mut invocation: ToolInvocation,
    ) -> Result<ToolResult, CallError> {
        let caller = self.caller().await?;
        let (permit, token) = self.calls.begin();
        invocation.cancel = Some(token.clone());
        let guard = EndWithCaller::new(token);
        let calling = async move {
            let result = caller.call(invocation).await;
            drop(caller);
            drop(permit);
            result
        };
        let running = tokio::spawn(calling.in_current_span());
        let result = running.await;
        guard.ended();
        let result =
            result.unwrap_or_else(|error| Err(WasmPluginRunError::Internal(error.to_string()).into()));
        self.count(&result);
        result
    }

    /// Runs a stored run again; it goes on to its end even if the caller goes away.
    pub(crate) async fn replay(self: &Arc<Self>, run_id: String) -> Result<Replayed, CallError> {
        let caller = self.caller().await?;
        let (permit, _) = self.calls.begin();
        let replaying = tokio::spawn(async move {
            let replayed = caller.replay(&run_id).await;
            drop(caller);
            drop(permit);
            replayed
        });
        let internal = |error: tokio::task::JoinError| WasmPluginRunError::Internal(error.to_string());
        replaying.await.map_err(internal)?
    }

    fn count(&self, result: &Result<ToolResult, CallError>) {
        match result {
            Ok(result) => self.metrics.call_gave(result),
            Err(CallError::Run(error)) => self.metrics.call(error.kind().wire_name()),
            Err(CallError::State(error)) => self.metrics.call(error.code()),
            Err(CallError::Denied { .. }) => self.metrics.call("forbidden"),
        }
    }

    /// Stops cleanly: waits for calls, signs a last checkpoint, and tells the vault the journal's head.
    pub async fn close(self: Arc<Self>) -> Result<(), StateError> {
        self.begin_stop();
        self.drained().await;
        let state = Arc::clone(&self.state);
        let stopped = tokio::task::spawn_blocking(move || state.stop()).await;
        stopped.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }

    async fn caller(&self) -> Result<Arc<ToolCaller>, CallError> {
        let start = || async {
            let (state, config) = (Arc::clone(&self.state), self.config.clone());
            let listeners = self.listener.get().copied().into_iter().collect();
            let started = tokio::task::spawn_blocking(move || start_caller(state, config, listeners)).await;
            started.map_err(|error| WasmPluginRunError::Internal(error.to_string()))?.map(Arc::new)
        };
        self.caller.get_or_try_init(start).await.map(Arc::clone)
    }
}

/// Ends when the daemon begins to stop, or is gone.
pub(crate) async fn until_stopping(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

fn start_caller(
    state: Arc<State>,
    config: AppConfig,
    refused_listeners: Vec<SocketAddr>,
) -> Result<ToolCaller, CallError> {
    let egress = match config.outside {
        Outside::Closed => None,
        Outside::Open { extra_roots } => {
            let config = EgressConfig { extra_roots, refused_listeners, ..EgressConfig::default() };
            let guard = EgressGuard::new(config);
            Some(guard.map_err(|error| WasmPluginRunError::Internal(format!("the network: {error}")))?)
        }
    };
    let config = CallerConfig {
        compiler: config.compiler,
        keep_compiled_code: config.keep_compiled_code,
        egress,
        ceiling: config.ceiling,
        max_concurrent_runs: config.max_concurrent_runs,
    };
    Ok(ToolCaller::new(state, config)?)
}

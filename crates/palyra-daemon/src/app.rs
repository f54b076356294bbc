//! The daemon without its transports: an open state, the sandbox over it, and the calls in progress.

mod stores;

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures::FutureExt;
use palyra_common::{RuntimeLimits, WasmPluginRunError};
use palyra_egress::{CertificateDer, EgressConfig, EgressGuard};
use palyra_journal::{EventKind, NewEvent};
use palyra_plugins_runtime::{CancelToken, Compiler, RuntimeConfig};
use palyra_runner::{
    CallError, CallerConfig, HookAnswer, HookInvocation, InlineInvocation, Replayed, ToolCaller,
    ToolInvocation, ToolResult,
};
use palyra_state::{State, StateError};
use parking_lot::Mutex;
use tokio::sync::{OnceCell, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::access::Access;
use crate::agent::{Agent, ModelSource, resume_all};
use crate::budget::MemoryBudget;
use crate::calls::Attended;
use crate::compiling::BackgroundCompilations;
use crate::console::Console;
use crate::deliveries::{DeliveryOptions, HookCounts, deliver};
use crate::metrics::{Depths, Metrics};
use crate::routines::Control;
use crate::streams::Streams;
use crate::transport::mcp::McpSessions;
use crate::uploads::Uploads;

/// Default number of concurrent calls.
const MAX_CONCURRENT_RUNS: u32 = 64;

/// Maximum wait for a free place before a call fails as `busy`.
const QUEUE_TIME: Duration = Duration::from_secs(5);

/// Configuration of calls, set when the daemon starts.
#[derive(Clone)]
pub struct AppConfig {
    /// Compiles modules, in this process or in another one.
    pub compiler: Arc<dyn Compiler>,
    /// True to store compiled code below the state root.
    pub keep_compiled_code: bool,
    /// Whether guests may access the network.
    pub outside: Outside,
    /// Upper limit for the limits of every run.
    pub ceiling: Option<RuntimeLimits>,
    /// Maximum number of concurrent runs.
    pub max_concurrent_runs: u32,
}

/// Network access of guests; the grants of a run decide which addresses it can reach.
#[derive(Clone)]
pub enum Outside {
    /// Every request of a guest fails as unavailable.
    Closed,
    /// Requests go through the egress guard.
    Open {
        /// Additional trusted root certificates.
        extra_roots: Vec<CertificateDer<'static>>,
    },
}

impl AppConfig {
    /// Returns the default configuration: compiled code is stored, and the network is open.
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

/// The daemon: an open state, its sandbox, and the services over them.
pub struct App {
    state: Arc<State>,
    config: AppConfig,
    /// Created with the first call, because most commands need no sandbox.
    caller: OnceCell<Arc<ToolCaller>>,
    /// The calls in progress; runs that have begun are also in the registry of runs.
    calls: TaskTracker,
    /// Cancels all current and future calls; used when the daemon stops.
    cancel_calls: CancellationToken,
    /// Background tasks that have to finish before the state is closed.
    chores: TaskTracker,
    compilations: BackgroundCompilations,
    control: Control,
    agent: Agent,
    access: Access,
    console: Arc<Console>,
    streams: Streams,
    uploads: Uploads,
    budget: MemoryBudget,
    mcp: McpSessions,
    metrics: Metrics,
    hook_counts: HookCounts,
    listeners: OnceLock<Vec<SocketAddr>>,
    egress: OnceLock<Result<Option<EgressGuard>, String>>,
    started: Instant,
    stopping: watch::Sender<bool>,
    /// Number of started calls, from which the delivery engine sees whether calls are arriving.
    calls_begun: AtomicU64,
    /// True if it serves other processes and notifies observers, not only its own process.
    gateway: AtomicBool,
    /// The task of the delivery engine; `None` until it is started.
    delivery: Mutex<Option<JoinHandle<()>>>,
}

impl App {
    /// Creates the daemon over an open state.
    pub fn new(state: State, config: AppConfig) -> Arc<Self> {
        let state = Arc::new(state);
        Arc::new_cyclic(|app| Self {
            control: Control::new(app.clone(), &state),
            state,
            config,
            caller: OnceCell::new(),
            calls: closed_tracker(),
            cancel_calls: CancellationToken::new(),
            chores: closed_tracker(),
            compilations: BackgroundCompilations::default(),
            agent: Agent::default(),
            access: Access::default(),
            console: Arc::default(),
            streams: Streams::default(),
            uploads: Uploads::default(),
            budget: MemoryBudget::default(),
            mcp: McpSessions::default(),
            metrics: Metrics::new(),
            hook_counts: HookCounts::default(),
            listeners: OnceLock::new(),
            egress: OnceLock::new(),
            started: Instant::now(),
            stopping: watch::Sender::new(false),
            calls_begun: AtomicU64::new(0),
            gateway: AtomicBool::new(false),
            delivery: Mutex::default(),
        })
    }

    /// Returns the state it owns.
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// Returns the authentication of requests.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Returns the sign-in to the console.
    pub(crate) fn console(&self) -> &Arc<Console> {
        &self.console
    }

    /// Returns the scheduler's control.
    pub(crate) fn control(&self) -> &Control {
        &self.control
    }

    /// Returns the agent.
    pub(crate) fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Sets the model for sessions; without one, only the local router is used.
    pub fn set_model(&self, source: Option<ModelSource>) {
        self.agent.set_model(source);
    }

    /// Keeps the state open until the token is dropped; returns `None` once the daemon stops.
    pub(crate) fn begin_chore(&self) -> Option<TaskTrackerToken> {
        let chore = self.chores.token();
        (!*self.stopping.borrow()).then_some(chore)
    }

    pub(crate) fn background_compilations(&self) -> &BackgroundCompilations {
        &self.compilations
    }

    /// Returns whether it serves as a daemon, and not only one command.
    pub(crate) fn is_gateway(&self) -> bool {
        self.gateway.load(Ordering::SeqCst)
    }

    /// Returns the caller with its sandbox, if a call has started it.
    pub(crate) fn started_caller(&self) -> Option<&Arc<ToolCaller>> {
        self.caller.get()
    }

    /// Returns the memory budget of requests and responses.
    pub(crate) fn budget(&self) -> &MemoryBudget {
        &self.budget
    }

    /// Returns the upper bound for the limits of every run.
    pub(crate) fn ceiling(&self) -> RuntimeLimits {
        self.config.ceiling.clone().unwrap_or_else(|| RuntimeConfig::default().ceiling)
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

    /// Returns the progress counters of observers.
    pub(crate) fn hook_counts(&self) -> &HookCounts {
        &self.hook_counts
    }

    /// Returns cache hit counts and queue lengths. Blocks the calling thread.
    pub(crate) fn depths(&self) -> Result<Depths, StateError> {
        let queues = self.state.deliveries().queues()?;
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let (calls, sandbox) = self.caller.get().map(|caller| caller.waiting()).unwrap_or_default();
        let mut caches = self.caller.get().map(|caller| caller.cache_counts()).unwrap_or_default();
        caches.push(("policy", self.state.authorizer().cache_count()));
        Ok(Depths {
            caches,
            queues: vec![
                ("calls", calls),
                ("sandbox", sandbox),
                ("journal", self.state.journal().waiting()),
                ("hooks", self.hook_counts.events()),
                ("channels", number(queues.channel_messages)),
            ],
            bindings: self.hook_counts.bindings(),
            dead_letters: vec![
                ("hooks", number(queues.hook_dead_letters)),
                ("channels", number(queues.channel_dead_letters)),
            ],
        })
    }

    /// Returns the time for events in Unix milliseconds.
    pub(crate) fn now_ms(&self) -> u64 {
        self.state.now_ms()
    }

    /// Sets the addresses of the daemon's listeners, which guests may not contact; must precede the first call.
    pub(crate) fn listens_on(&self, addresses: Vec<SocketAddr>) {
        let _ = self.listeners.set(addresses);
    }

    /// Returns the time since it opened the state.
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns a receiver that becomes true when the daemon begins to stop.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Begins to stop: new requests are rejected, and streams end.
    pub fn begin_stop(&self) {
        if self.gateway.swap(false, Ordering::SeqCst) {
            self.announce(EventKind::GatewayShutdown);
        }
        self.stopping.send_replace(true);
    }

    /// Serves as a daemon from now on: records that in the journal, and notifies observers until it stops.
    ///
    /// A command that opens the state briefly never calls this: its events are delivered by the next daemon.
    pub fn become_gateway(self: &Arc<Self>, options: DeliveryOptions) {
        if self.gateway.swap(true, Ordering::SeqCst) {
            return;
        }
        self.announce(EventKind::GatewayStartup);
        self.agent.set_resuming(true);
        tokio::spawn(resume_all(Arc::clone(self)));
        let delivery = tokio::spawn(deliver(Arc::clone(self), options));
        *self.delivery.lock() = Some(delivery);
    }

    /// Appends an event about the daemon; queued, so it is committed before everything appended later.
    fn announce(&self, kind: EventKind) {
        let details = serde_json::json!({ "version": env!("CARGO_PKG_VERSION") });
        drop(
            self.state.journal().append(NewEvent::new(kind, self.now_ms()).actor("daemon").details(details)),
        );
    }

    /// Returns the number of calls since the start, without runs of hooks.
    pub(crate) fn calls_begun(&self) -> u64 {
        self.calls_begun.load(Ordering::Relaxed)
    }

    /// Returns the number of calls in progress.
    pub fn calls_under_way(&self) -> usize {
        self.calls.len()
    }

    /// Cancels all current and future calls.
    pub fn cancel_calls(&self) {
        self.cancel_calls.cancel();
    }

    /// Waits until no call is in progress, and all of their results are stored.
    pub async fn drained(&self) {
        self.calls.wait().await;
        self.chores.wait().await;
    }

    /// Calls a tool. If the caller is dropped, the run is cancelled and still completed to its receipt.
    pub(crate) async fn call(self: &Arc<Self>, invocation: ToolInvocation) -> Result<ToolResult, CallError> {
        self.call_until(invocation, std::future::pending()).await
    }

    /// Calls a tool like [`Self::call`] for a caller that can end the run and still gets its outcome.
    pub(crate) async fn call_until(
        self: &Arc<Self>,
        invocation: ToolInvocation,
        end: impl Future<Output = ()>,
    ) -> Result<ToolResult, CallError> {
        let call = |caller: Arc<ToolCaller>, token| async move {
            caller.call(ToolInvocation { cancel: Some(token), ..invocation }).await
        };
        self.attend_call(call, end).await
    }

    /// Runs an inline module; otherwise like [`App::call`].
    pub(crate) async fn call_inline(
        self: &Arc<Self>,
        invocation: InlineInvocation,
    ) -> Result<ToolResult, CallError> {
        let call = |caller: Arc<ToolCaller>, token| async move {
            caller.call_inline(InlineInvocation { cancel: Some(token), ..invocation }).await
        };
        self.attend_call(call, std::future::pending()).await
    }

    /// Runs a call to its receipt, even without its caller, and counts its result.
    async fn attend_call<F>(
        self: &Arc<Self>,
        call: impl FnOnce(Arc<ToolCaller>, CancelToken) -> F,
        end: impl Future<Output = ()>,
    ) -> Result<ToolResult, CallError>
    where
        F: Future<Output = Result<ToolResult, CallError>> + Send + 'static,
    {
        self.calls_begun.fetch_add(1, Ordering::Relaxed);
        let result = self.attend(call, end).await;
        self.count(&result);
        result
    }

    /// Runs a hook; without its caller it is cancelled and still ends with its receipt.
    pub(crate) async fn run_hook(
        self: &Arc<Self>,
        invocation: HookInvocation,
    ) -> Result<HookAnswer, CallError> {
        let run = |caller: Arc<ToolCaller>, token| async move {
            caller.run_hook(HookInvocation { cancel: Some(token), ..invocation }).await
        };
        self.attend(run, std::future::pending()).await
    }

    /// Completes a call to its receipt even if the caller is dropped. The call is cancelled then, when `end` resolves,
    /// and when the daemon stops.
    async fn attend<T, F>(
        self: &Arc<Self>,
        call: impl FnOnce(Arc<ToolCaller>, CancelToken) -> F,
        end: impl Future<Output = ()>,
    ) -> Result<T, CallError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, CallError>> + Send + 'static,
    {
        let caller = self.caller().await?;
        let (under_way, token) = (self.calls.token(), CancelToken::default());
        // Boxed first, because it is large and would be copied into each wrapper.
        let calling = Box::pin(call(caller, token.clone()));
        let calling = async move {
            let result = AssertUnwindSafe(calling).catch_unwind().await;
            drop(under_way);
            result.unwrap_or_else(|_| Err(WasmPluginRunError::Internal("the call panicked".into()).into()))
        };
        let mut running = Attended::new(token.clone(), calling);
        tokio::select! {
            biased;
            result = &mut running => return result,
            () = end => {}
            () = self.cancel_calls.cancelled() => {}
        }
        token.cancel();
        running.await
    }

    /// Compiles the modules of a skill and compares their descriptions with its manifest, once per release.
    pub(crate) async fn prepare(self: &Arc<Self>, skill_id: &str) -> Result<(), CallError> {
        let caller = self.caller().await?;
        let mut stopping = self.stopping();
        tokio::select! {
            biased;
            prepared = caller.prepare(skill_id) => prepared,
            () = until_stopping(&mut stopping) => Err(WasmPluginRunError::Cancelled.into()),
        }
    }

    /// Replays a stored run; the replay ends when the caller is dropped or the daemon stops.
    pub(crate) async fn replay(self: &Arc<Self>, run_id: String) -> Result<Replayed, CallError> {
        let replay = |caller: Arc<ToolCaller>, token| async move { caller.replay(&run_id, token).await };
        self.attend(replay, std::future::pending()).await
    }

    fn count(&self, result: &Result<ToolResult, CallError>) {
        match result {
            Ok(result) => self.metrics.call_gave(result),
            Err(error) => self.metrics.call(error.code().as_str()),
        }
    }

    /// Waits until observers received the shutdown event, for a short time only.
    pub(crate) async fn tell_last(&self) {
        let delivery = self.delivery.lock().take();
        if let Some(delivery) = delivery {
            let _ = delivery.await;
        }
    }

    /// Shuts down: waits for calls, signs a last checkpoint, and stores the journal's head in the vault.
    pub async fn close(self: Arc<Self>) -> Result<(), StateError> {
        self.begin_stop();
        self.tell_last().await;
        self.drained().await;
        let state = Arc::clone(&self.state);
        let stopped = tokio::task::spawn_blocking(move || state.stop()).await;
        // If the runtime ends first, the state is not stopped; dropping it flushes pending writes.
        stopped.unwrap_or_else(|_| Err(StateError::Journal(palyra_journal::JournalError::Closed)))
    }

    /// Returns the guard for outgoing requests; `None` if the network is closed.
    pub(crate) fn egress(&self) -> Result<Option<EgressGuard>, String> {
        let make = || {
            let Outside::Open { extra_roots } = self.config.outside.clone() else { return Ok(None) };
            let refused_listeners = self.listeners.get().cloned().unwrap_or_default();
            let config = EgressConfig { extra_roots, refused_listeners, ..EgressConfig::default() };
            EgressGuard::new(config).map(Some).map_err(|error| format!("the network: {error}"))
        };
        self.egress.get_or_init(make).clone()
    }

    async fn caller(&self) -> Result<Arc<ToolCaller>, CallError> {
        let start = || async {
            let (state, config) = (Arc::clone(&self.state), self.config.clone());
            let egress = self.egress().map_err(WasmPluginRunError::Internal)?;
            let started = tokio::task::spawn_blocking(move || start_caller(state, config, egress));
            started.await.map_err(|error| WasmPluginRunError::Internal(error.to_string()))?.map(Arc::new)
        };
        self.caller.get_or_try_init(start).await.map(Arc::clone)
    }
}

/// Creates a tracker that can be waited on repeatedly, whenever no task is in progress.
fn closed_tracker() -> TaskTracker {
    let tracker = TaskTracker::new();
    tracker.close();
    tracker
}

/// Resolves when the daemon begins to stop, or was dropped.
pub(crate) async fn until_stopping(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

fn start_caller(
    state: Arc<State>,
    config: AppConfig,
    egress: Option<EgressGuard>,
) -> Result<ToolCaller, CallError> {
    let config = CallerConfig {
        compiler: config.compiler,
        keep_compiled_code: config.keep_compiled_code,
        egress,
        ceiling: config.ceiling,
        max_concurrent_runs: config.max_concurrent_runs,
        queue_time: QUEUE_TIME,
    };
    Ok(ToolCaller::new(state, config)?)
}

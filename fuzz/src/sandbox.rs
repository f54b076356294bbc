//! One guest, loaded once, run for every input; and the promises that every run keeps.

use async_trait::async_trait;
use palyra_common::capabilities::OperatorGrants;
use palyra_common::{CapabilityGrantSet, JsonText, RuntimeLimits, SecretValue, WasmPluginRunErrorKind};
use palyra_egress::{EgressConfig, EgressGuard, Resolver};
use palyra_plugins_runtime::{
    BackendError, ChannelMessage, ChannelSink, HostServices, Invocation, LoadedModule, MemorySecrets,
    MemoryStorage, ReplayVerdict, RunReport, RuntimeConfig, StorageBackend, Tape, WasmRuntime,
};
use serde_json::Value;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Longest input: the guests have room for this much.
const MAX_BYTES: usize = 8 << 10;
/// The values of the two secrets; neither may be seen in anything a run leaves behind.
const CANARIES: [&str; 2] = ["canary-5f0c7b9a41d2e836", "canary-b83e1d6f7a90c254"];

const GRANTS: [&str; 7] = [
    "http:GET,POST https://api.example.com/items/*",
    "http:https://*.example.org request=1KiB",
    "secret:global/hidden hosts=api.example.com inject=bearer,header:x-key,query:key,basic",
    "secret:global/shown hosts=api.example.com reveal",
    "storage:cache/ bytes=16KiB keys=8",
    "storage:notes/2024/",
    "channel:alerts",
];

/// A runtime with one module in it.
pub(crate) struct Sandbox {
    executor: tokio::runtime::Runtime,
    runtime: WasmRuntime,
    module: Arc<LoadedModule>,
    storage: Arc<MemoryStorage>,
    grants: Arc<CapabilityGrantSet>,
}

impl Sandbox {
    /// Compiles a guest from text.
    pub(crate) fn new(guest: &str) -> Self {
        let executor =
            tokio::runtime::Builder::new_current_thread().enable_time().build().expect("an executor");
        let storage = Arc::new(MemoryStorage::default());
        let runtime = WasmRuntime::new(config(&storage)).expect("a runtime");
        let bytes = wat::parse_str(guest).expect("the guest is WebAssembly text");
        let module = executor.block_on(runtime.load(&bytes)).expect("the guest is a module");
        let grants = OperatorGrants::parse(GRANTS).expect("the grants are grants");
        Self { executor, runtime, module, storage, grants: Arc::new(grants.capabilities) }
    }

    /// Runs the guest with these bytes, and again from the tape; `None` when they are too many.
    pub(crate) fn run(&self, bytes: &[u8], fuel_budget: u64) -> Option<RunReport> {
        if bytes.len() > MAX_BYTES {
            return None;
        }
        let limits = RuntimeLimits { fuel_budget, ..limits() };
        let mut invocation = Invocation::tool("fuzz.tool", JsonText::from(&Value::from(hex::encode(bytes))));
        invocation.grants = Arc::clone(&self.grants);
        invocation.limits = limits.clone();
        let report = self.executor.block_on(self.runtime.invoke(&self.module, invocation.clone()));
        self.executor.block_on(clear(&self.storage, &invocation.owner));
        check_bounds(&report, &limits);
        let tape = report.tape.encode();
        check_canaries(&report, &tape);
        let tape = Tape::decode(&tape).expect("a tape of ours can be read");
        assert_eq!(tape, report.tape, "a tape of ours is read back as another one");
        invocation.replay = Some(Arc::new(tape));
        let replayed = self.executor.block_on(self.runtime.invoke(&self.module, invocation));
        assert_eq!(
            replayed.replay,
            Some(ReplayVerdict::Identical),
            "{:?} {:?}",
            report.result,
            replayed.result
        );
        Some(report)
    }
}

fn check_bounds(report: &RunReport, limits: &RuntimeLimits) {
    use WasmPluginRunErrorKind as Kind;
    if let Err(error) = &report.result {
        let allowed = [
            Kind::Trapped,
            Kind::InvalidOutput,
            Kind::QuotaExceeded,
            Kind::ToolFailed,
            Kind::CapabilityDenied,
        ];
        assert!(allowed.contains(&error.kind()), "{error}");
    }
    let usage = &report.usage;
    assert!(usage.peak_memory_bytes <= limits.max_memory_bytes, "{usage:?}");
    assert!(usage.output_bytes <= limits.max_output_bytes, "{usage:?}");
    assert!(usage.log_bytes <= limits.max_log_bytes, "{usage:?}");
    assert!(usage.fuel <= limits.fuel_budget, "{usage:?}");
    assert!(report.host_calls.len() as u64 <= limits.max_host_calls + 1, "{} calls", report.host_calls.len());
}

fn check_canaries(report: &RunReport, tape: &[u8]) {
    let log = report.log.iter().map(|line| line.message.as_str());
    let result = match &report.result {
        Ok(output) => output.json().map(ToString::to_string).unwrap_or_default(),
        Err(error) => format!("{error} {} {}", error.hints().join(" "), error.details()),
    };
    let subjects = report.host_calls.iter().map(|call| call.subject.as_str());
    let tape = String::from_utf8_lossy(tape);
    for text in log.chain(subjects).chain([&*result, &*tape]) {
        for canary in CANARIES {
            assert!(!text.contains(canary), "a secret is in {text}");
        }
    }
}

fn limits() -> RuntimeLimits {
    RuntimeLimits {
        max_memory_bytes: 4 << 20,
        wall_clock_timeout_ms: 20_000,
        max_input_bytes: 64 << 10,
        max_output_bytes: 256 << 10,
        max_log_bytes: 4 << 10,
        max_host_calls: 64,
        ..RuntimeLimits::default()
    }
}

fn config(storage: &Arc<MemoryStorage>) -> RuntimeConfig {
    let names = ["global/hidden", "global/shown"].map(|name| name.parse().expect("a secret's name"));
    let secrets = names.into_iter().zip(CANARIES.map(SecretValue::new));
    let egress = EgressConfig { resolver: Arc::new(NoNames), ..EgressConfig::default() };
    let services = HostServices {
        storage: Arc::clone(storage) as _,
        secrets: Arc::new(secrets.collect::<MemorySecrets>()),
        channels: Arc::new(Forgotten),
        egress: Some(EgressGuard::new(egress).expect("a guard")),
        on_line: None,
    };
    let mut config = RuntimeConfig { max_concurrent_runs: 1, services, ..RuntimeConfig::default() };
    config.ceiling.max_memory_bytes = limits().max_memory_bytes;
    config.queue_timeout = Duration::from_secs(60);
    config
}

/// Each run starts with nothing stored, so that a crash needs its own input only.
async fn clear(storage: &MemoryStorage, owner: &str) {
    for key in storage.list(owner, "", None, usize::MAX).await.expect("storage in memory") {
        storage.delete(owner, &key).await.expect("storage in memory");
    }
}

/// Takes messages and keeps none.
struct Forgotten;

#[async_trait]
impl ChannelSink for Forgotten {
    async fn publish(&self, _: ChannelMessage) -> Result<(), BackendError> {
        Ok(())
    }
}

/// Knows no name, so nothing is ever connected to.
struct NoNames;

#[async_trait]
impl Resolver for NoNames {
    async fn resolve(&self, _: &str, _: u16) -> std::io::Result<Vec<IpAddr>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

//! Compilations: waits are bounded, owners are treated fairly, and a result is kept if the first caller is dropped.

use crate::harness::*;
use async_trait::async_trait;
use bytes::Bytes;
use palyra_common::WasmPluginRunError;
use palyra_plugins_runtime::{
    CodeState, CompileFailure, CompiledBytes, Compiler, InProcessCompiler, LoadRequest, ModuleKind,
    RuntimeConfig, WasmRuntime,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tokio::sync::{Notify, Semaphore};

/// Compiles large modules when the test permits it, and small ones at once.
struct HeldBack {
    large: Semaphore,
    started: AtomicUsize,
    /// Notified when the compilation of a large module begins.
    begun: Notify,
}

const LARGE: usize = 1 << 20;

#[async_trait]
impl Compiler for HeldBack {
    async fn compile(&self, module: Bytes, kind: ModuleKind) -> Result<CompiledBytes, CompileFailure> {
        self.started.fetch_add(1, Ordering::SeqCst);
        if module.len() >= LARGE {
            self.begun.notify_one();
            self.large.acquire().await.unwrap().forget();
        }
        InProcessCompiler.compile(module, kind).await
    }
}

fn held_back() -> (Arc<HeldBack>, Arc<WasmRuntime>) {
    let compiler = HeldBack { large: Semaphore::new(0), started: AtomicUsize::new(0), begun: Notify::new() };
    let compiler = Arc::new(compiler);
    let config = RuntimeConfig { compiler: Arc::clone(&compiler) as Arc<dyn Compiler>, ..config() };
    (compiler, Arc::new(WasmRuntime::new(config).unwrap()))
}

/// Requests a module, and drops the request once its compilation has begun.
async fn begin_and_leave(
    compiler: &HeldBack,
    runtime: &Arc<WasmRuntime>,
    module: &[u8],
    owner: &'static str,
) {
    let (runtime, module) = (Arc::clone(runtime), module.to_vec());
    let asking = tokio::spawn(async move { runtime.load_for(&module, for_owner(owner)).await.map(drop) });
    compiler.begun.notified().await;
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
}

/// A module that is large by its data.
fn large(number: u8) -> Vec<u8> {
    let data = "x".repeat(LARGE);
    wat(&core(ECHO).replace(
        r#"(memory (export "memory") 2)"#,
        &format!(r#"(memory (export "memory") 20) (data (i32.const {number}) "{data}")"#),
    ))
}

fn for_owner(owner: &str) -> LoadRequest<'_> {
    LoadRequest { owner, until: None }
}

/// Returns a request that ends as soon as it would have to wait.
fn at_once(owner: &str) -> LoadRequest<'_> {
    LoadRequest { owner, until: Some(Instant::now()) }
}

fn is_busy<T>(result: &Result<T, WasmPluginRunError>) -> bool {
    matches!(result, Err(WasmPluginRunError::Busy { reason: "compiling" }))
}

#[tokio::test]
async fn compilation_outlives_the_caller_that_started_it() {
    let (compiler, runtime) = held_back();
    let module = large(1);
    begin_and_leave(&compiler, &runtime, &module, "acme.slow").await;
    assert!(is_busy(&runtime.load_for(&module, at_once("acme.slow")).await), "a time-out is kept");
    assert_eq!(runtime.code_state(&digest(&module)), CodeState::Compiling);
    compiler.large.add_permits(1);
    let loaded = runtime.load_for(&module, for_owner("acme.slow")).await.unwrap();
    assert_eq!(compiler.started.load(Ordering::SeqCst), 1, "what was under way was used");
    assert_eq!(runtime.code_state(&digest(&module)), CodeState::Ready);
    assert_eq!(runtime.code_state(&[0; 32]), CodeState::NotCompiled);
    assert!(runtime.invoke(&loaded, call("t", "1")).await.result.is_ok());
}

#[tokio::test]
async fn slow_compilation_does_not_delay_other_skills() {
    let (compiler, runtime) = held_back();
    let (slow, other) = (large(1), large(2));
    begin_and_leave(&compiler, &runtime, &slow, "acme.slow").await;
    let small = wat(&core(ECHO));
    runtime.load_for(&small, for_owner("acme.other")).await.unwrap();
    runtime.load_for(&wat(&core("(i32.const 0)")), for_owner("acme.slow")).await.unwrap();
    // A second large module waits, and no longer than its caller does.
    assert!(is_busy(&runtime.load_for(&other, at_once("acme.third")).await));
    assert_eq!(compiler.started.load(Ordering::SeqCst), 3, "it did not even start");
    compiler.large.add_permits(2);
    runtime.load_for(&other, for_owner("acme.third")).await.unwrap();
    runtime.load_for(&slow, for_owner("acme.slow")).await.unwrap();
    assert_eq!(compiler.started.load(Ordering::SeqCst), 4);
}

fn digest(module: &[u8]) -> [u8; 32] {
    sha2::Digest::finalize(sha2::Digest::chain_update(sha2::Sha256::default(), module)).into()
}

/// Reaches its limit with every module.
#[derive(Default)]
struct OverTime(AtomicUsize);

#[async_trait]
impl Compiler for OverTime {
    async fn compile(&self, _: Bytes, _: ModuleKind) -> Result<CompiledBytes, CompileFailure> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Err(CompileFailure::OverTime { limit_ms: 120_000 })
    }
}

#[tokio::test]
async fn payload_over_the_compile_limit_is_not_compiled_again_until_asked() {
    let compiler = Arc::new(OverTime::default());
    let config = RuntimeConfig { compiler: Arc::clone(&compiler) as Arc<dyn Compiler>, ..config() };
    let runtime = WasmRuntime::new(config).unwrap();
    let module = wat(&core(ECHO));
    for _ in 0..3 {
        let refused = runtime.load(&module).await.err().unwrap();
        assert_eq!(refused.kind().wire_name(), "quota_exceeded");
    }
    assert_eq!(compiler.0.load(Ordering::SeqCst), 1);
    assert!(matches!(runtime.code_state(&digest(&module)), CodeState::Failed(_)));
    runtime.allow_recompile(&digest(&module));
    assert!(runtime.load(&module).await.is_err());
    assert_eq!(compiler.0.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn loaded_code_is_bounded_by_its_size() {
    let config = RuntimeConfig { max_cached_code_bytes: 1, ..config() };
    let runtime = WasmRuntime::new(config).unwrap();
    let modules = [wat(&core(ECHO)), wat(&core("(i32.const 0)"))];
    let first = Arc::downgrade(&runtime.load(&modules[0]).await.unwrap());
    assert!(first.upgrade().is_some(), "the newest stays");
    runtime.load(&modules[1]).await.unwrap();
    assert!(first.upgrade().is_none(), "its code is gone with the last run that used it");
}

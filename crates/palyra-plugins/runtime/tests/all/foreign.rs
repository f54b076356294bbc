//! WebAssembly that others wrote: every module of the specification's own test scripts.

mod callers;
mod scripts;

use crate::harness::*;
use callers::with_callers;
use palyra_common::WasmPluginRunError;
use palyra_plugins_runtime::{EngineClass, RuntimeConfig, WasmRuntime, inspect_module};
use scripts::{ScriptModule, each_script};
use std::collections::{BTreeMap, HashSet};

/// Modules up to this size are compiled; larger ones are only validated, to keep the test short.
const MAX_COMPILED_BYTES: usize = 700;

fn small_cache() -> WasmRuntime {
    WasmRuntime::new(RuntimeConfig { max_cached_modules: 4, ..config() }).unwrap()
}

/// What loading a module says about its validity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Loaded,
    Unlinked,
    OverQuota,
    Invalid,
}

impl Verdict {
    async fn of(runtime: &WasmRuntime, bytes: &[u8]) -> Self {
        match runtime.load(bytes).await {
            Ok(_) => Self::Loaded,
            Err(WasmPluginRunError::QuotaExceeded { .. }) => Self::OverQuota,
            Err(WasmPluginRunError::InvalidInput { subject: "module", reason, .. }) => {
                if reason.starts_with("it cannot be linked") { Self::Unlinked } else { Self::Invalid }
            }
            Err(other) => panic!("{other}"),
        }
    }

    /// Whether the engine may think so too; declared sizes are checked first and say nothing about the rest.
    fn agrees_with(self, engine_accepts: bool) -> bool {
        match self {
            Self::Loaded | Self::Unlinked => engine_accepts,
            Self::Invalid => !engine_accepts,
            Self::OverQuota => true,
        }
    }
}

#[tokio::test]
async fn the_runtime_and_the_engine_agree_on_what_is_valid() {
    let runtime = small_cache();
    let engine = runtime.engine(EngineClass::Keep).clone();
    let mut seen = HashSet::new();
    let mut modules = Vec::new();
    each_script(|name, script| {
        for ScriptModule { bytes, .. } in script.modules() {
            if seen.insert(bytes.clone()) {
                modules.push((name.to_owned(), bytes));
            }
        }
    });
    let mut counts = BTreeMap::<_, usize>::new();
    for (script, bytes) in &modules {
        let accepted = wasmtime::Module::validate(&engine, bytes);
        let inspected = inspect_module(bytes);
        assert!(inspected.is_ok() || accepted.is_err(), "{script}: {inspected:?}");
        if accepted.is_err() || bytes.len() <= MAX_COMPILED_BYTES {
            let verdict = Verdict::of(&runtime, bytes).await;
            assert!(verdict.agrees_with(accepted.is_ok()), "{script}: {verdict:?} but {accepted:?}");
            *counts.entry(verdict).or_default() += 1;
        }
    }
    eprintln!("{} modules: {counts:?}", modules.len());
}

#[tokio::test]
async fn every_trap_of_the_specification_is_a_typed_error() {
    let runtime = small_cache();
    let mut modules = Vec::new();
    each_script(|name, script| {
        let cases = script.traps();
        modules.extend(with_callers(script, &cases).into_iter().map(|module| (name.to_owned(), module)));
    });
    let mut kinds = BTreeMap::<_, usize>::new();
    for (script, called) in &modules {
        let Ok(module) = runtime.load(&called.bytes).await else {
            *kinds.entry("unlinked".to_owned()).or_default() += 1;
            continue;
        };
        for export in &called.exports {
            let report = runtime.invoke(&module, with_export(call("spec", "{}"), export)).await;
            let found = kind(&report);
            if !["trapped", "invalid_output", "quota_exceeded(stack)"].contains(&found.as_str()) {
                panic!("{script} {export}: {found}");
            }
            *kinds.entry(found).or_default() += 1;
        }
    }
    eprintln!("{} modules: {kinds:?}", modules.len());
}

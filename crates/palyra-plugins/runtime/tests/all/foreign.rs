//! Every module of the test scripts of the WebAssembly specification.

mod callers;
mod scripts;

use crate::harness::*;
use callers::with_callers;
use palyra_common::WasmPluginRunError;
use palyra_plugins_runtime::{EngineClass, RuntimeConfig, WasmRuntime, inspect_module};
use scripts::scripts;
use std::collections::{BTreeMap, HashSet};

fn small_cache() -> WasmRuntime {
    WasmRuntime::new(RuntimeConfig { max_cached_modules: 4, ..config() }).unwrap()
}

/// The result of loading a module.
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

    /// Returns whether the engine's verdict agrees; refusals by declared sizes come first and agree with any.
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
    let (mut seen, mut verdicts, mut doubts) = (HashSet::new(), BTreeMap::<_, usize>::new(), 0);
    for script in scripts() {
        for bytes in script.modules().into_iter().map(|module| module.bytes) {
            if !seen.insert(bytes.clone()) {
                continue;
            }
            let accepted = wasmtime::Module::validate(&engine, &bytes);
            let inspected = inspect_module(&bytes);
            assert!(inspected.is_ok() || accepted.is_err(), "{}: {inspected:?}", script.name());
            let verdict = Verdict::of(&runtime, &bytes).await;
            *verdicts.entry(verdict).or_default() += 1;
            if !verdict.agrees_with(accepted.is_ok()) {
                // Validating does not notice a size that is spelled too long, or an import that is not
                // implemented; compiling does.
                let compiled = wasmtime::Module::new(&engine, &bytes).is_ok();
                assert!(verdict.agrees_with(compiled), "{}: {verdict:?} but {accepted:?}", script.name());
                doubts += 1;
            }
        }
    }
    assert!(seen.len() > 5_000, "{} modules", seen.len());
    for (verdict, at_least) in [
        (Verdict::Loaded, 900),
        (Verdict::Unlinked, 300),
        (Verdict::OverQuota, 10),
        (Verdict::Invalid, 3_500),
    ] {
        assert!(verdicts[&verdict] > at_least, "{verdicts:?}");
    }
    assert!(doubts < 10, "{doubts}");
}

#[tokio::test]
async fn every_trap_of_the_specification_is_a_typed_error() {
    let runtime = small_cache();
    let mut kinds = BTreeMap::<_, usize>::new();
    for script in scripts() {
        for called in with_callers(&script, &script.traps()) {
            let Ok(module) = runtime.load(&called.bytes).await else { continue };
            for export in &called.exports {
                let report = runtime.invoke(&module, with_export(call("spec", "{}"), export)).await;
                *kinds.entry(kind(&report)).or_default() += 1;
            }
        }
    }
    assert!(kinds["trapped"] > 4_000 && kinds["quota_exceeded(stack)"] > 20, "{kinds:?}");
    // A few cases trap only after an earlier call in the same instance, and an instance here sees one call.
    assert!(kinds.remove("invalid_output").unwrap_or(0) < 10, "{kinds:?}");
    let expected = ["quota_exceeded(fuel)", "quota_exceeded(stack)", "trapped"];
    assert!(kinds.keys().eq(expected), "{kinds:?}");
}

/// The engine has no code to compare such types at run time: it would end the whole process.
#[tokio::test]
async fn subtypes_of_functions_are_refused() {
    let text = r#"(module
        (type $general (sub (func)))
        (type $special (sub $general (func)))
        (table funcref (elem $f))
        (memory (export "memory") 1)
        (func $f (type $general))
        (func (export "palyra_plugin_main") (result i32) (call_indirect (type $special) (i32.const 0)) (i32.const 0)))"#;
    assert_eq!(Verdict::of(&runtime(), &wat(text)).await, Verdict::Invalid);
}

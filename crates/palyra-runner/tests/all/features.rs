//! The audit accepts the WebAssembly that the engine accepts, proposal by proposal.

use std::sync::Arc;

use palyra_plugins_runtime::{InProcessCompiler, RuntimeConfig, WasmRuntime};
use palyra_skills::audit::wasm::ENGINE_FEATURES;
use palyra_testkit::describing;
use wasmparser::{Validator, WasmFeatures};

/// Snippets of a core module that require a feature.
const FIELDS: [(&str, &str); 23] = [
    ("MUTABLE_GLOBAL", r#"(global (export "g") (mut i32) (i32.const 0))"#),
    ("SATURATING_FLOAT_TO_INT", "(func (param f32) (result i32) (i32.trunc_sat_f32_s (local.get 0)))"),
    ("SIGN_EXTENSION", "(func (param i32) (result i32) (i32.extend8_s (local.get 0)))"),
    ("REFERENCE_TYPES", "(func (result i32) (ref.is_null (ref.null func)))"),
    ("MULTI_VALUE", "(func (result i32 i32) (i32.const 1) (i32.const 2))"),
    (
        "BULK_MEMORY",
        r#"(data $d "x") (func (data.drop $d) (memory.fill (i32.const 0) (i32.const 0) (i32.const 0)))"#,
    ),
    ("SIMD", "(func (result v128) (v128.const i32x4 0 0 0 0))"),
    (
        "RELAXED_SIMD",
        "(func (param v128 v128) (result v128) (i8x16.relaxed_swizzle (local.get 0) (local.get 1)))",
    ),
    ("THREADS", "(func (result i32) (i32.atomic.load (i32.const 0)))"),
    ("SHARED_EVERYTHING_THREADS", "(type (shared (func)))"),
    ("TAIL_CALL", "(func $again (return_call $again))"),
    ("FLOATS", "(func (result f32) (f32.const 0))"),
    ("MULTI_MEMORY", "(memory 1)"),
    ("EXCEPTIONS", "(tag $t) (func (throw $t))"),
    ("MEMORY64", "(memory i64 1)"),
    ("EXTENDED_CONST", "(global i32 (i32.add (i32.const 1) (i32.const 2)))"),
    ("FUNCTION_REFERENCES", "(func (param (ref func)))"),
    ("MEMORY_CONTROL", "(func (memory.discard (i32.const 0) (i32.const 65536)))"),
    ("GC", "(type $s (struct (field i32))) (func (drop (struct.new $s (i32.const 1))))"),
    ("CUSTOM_PAGE_SIZES", "(memory 1 (pagesize 1))"),
    ("GC_TYPES", "(table 1 externref)"),
    ("STACK_SWITCHING", "(type $f (func)) (type $c (cont $f))"),
    (
        "WIDE_ARITHMETIC",
        "(func (param i64 i64) (result i64 i64) (i64.mul_wide_u (local.get 0) (local.get 1)))",
    ),
];

/// Snippets of a component that require a feature.
const COMPONENT_FIELDS: [(&str, &str); 6] = [
    ("COMPONENT_MODEL", ""),
    ("CM_VALUES", r#"(component (import "v" (value u32)))"#),
    ("CM_ASYNC", "(type (stream u8))"),
    ("CM_ERROR_CONTEXT", "(type error-context)"),
    ("CM_FIXED_LENGTH_LISTS", "(type (list u8 4))"),
    ("CM_MAP", "(type (map string u32))"),
];

/// Features that are not probed with a snippet; the audit accepts none of them.
const WITHOUT_A_PROBE: [&str; 12] = [
    "LEGACY_EXCEPTIONS",
    "CM_NESTED_NAMES",
    "CM_ASYNC_STACKFUL",
    "CM_MORE_ASYNC_BUILTINS",
    "CM_THREADING",
    "CM_GC",
    "CUSTOM_DESCRIPTORS",
    "COMPACT_IMPORTS",
    "CM64",
    "CM_IMPLEMENTS",
    "CM_CANON_NAMES",
    // Another spelling of other features.
    "CALL_INDIRECT_OVERLONG",
];

fn probe(name: &str) -> Option<Vec<u8>> {
    let find = |list: &[(&str, &'static str)]| {
        list.iter().find(|(feature, _)| *feature == name).map(|(_, field)| *field)
    };
    let text = match (find(&FIELDS), find(&COMPONENT_FIELDS)) {
        (Some(field), _) => format!(
            r#"(module {field} (memory (export "memory") 1)
                (func (export "palyra_plugin_main") (result i32) (i32.const 0)))"#
        ),
        (None, Some(field)) => describing("{}").replacen("(component", &format!("(component {field}"), 1),
        (None, None) => return None,
    };
    Some(wat::parse_str(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}")))
}

#[tokio::test]
async fn the_audit_accepts_what_the_engine_accepts() {
    let config = RuntimeConfig { compiler: Arc::new(InProcessCompiler), ..RuntimeConfig::default() };
    let runtime = WasmRuntime::new(config).unwrap();
    let mut probed = 0;
    for (name, feature) in WasmFeatures::all().iter_names() {
        let Some(module) = probe(name) else {
            assert!(WITHOUT_A_PROBE.contains(&name), "{name} has no probe");
            assert!(name == "CALL_INDIRECT_OVERLONG" || !ENGINE_FEATURES.contains(feature), "{name}");
            continue;
        };
        probed += 1;
        let audited = Validator::new_with_features(ENGINE_FEATURES).validate_all(&module);
        let loaded = runtime.load(&module).await;
        assert_eq!(
            audited.is_ok(),
            loaded.is_ok(),
            "{name}: the audit says {:?}, the engine {:?}",
            audited.err(),
            loaded.err()
        );
        // The feature must decide, so the probe has to be valid with it and invalid without it.
        let with = Validator::new_with_features(ENGINE_FEATURES | feature).validate_all(&module);
        let without = Validator::new_with_features(ENGINE_FEATURES.difference(feature)).validate_all(&module);
        assert!(with.is_ok() || !ENGINE_FEATURES.contains(feature), "{name}: {:?}", with.err());
        assert!(without.is_err(), "{name} is not what its probe needs");
    }
    assert_eq!(probed, FIELDS.len() + COMPONENT_FIELDS.len());
}

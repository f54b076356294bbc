//! Modules of every kind: accepted, or refused for a precise reason.

use crate::harness::*;
use palyra_common::WasmPluginRunError;
use palyra_plugins_runtime::{
    CacheEventKind, DiskCacheConfig, ModuleKind, ModuleOrigin, RuntimeConfig, WasmRuntime, inspect_module,
};
use std::sync::{Arc, Mutex};

async fn refusal(bytes: &[u8]) -> (String, String) {
    let error = runtime().load(bytes).await.err().unwrap_or_else(|| panic!("it was accepted"));
    (error.kind().wire_name().to_owned(), format!("{error} {}", error.hints().join(" ")))
}

#[tokio::test]
async fn bytes_that_are_no_module() {
    let valid = wat(&core(ECHO));
    for (bytes, reason) in [
        (b"".to_vec(), "it is empty"),
        (b"hello".to_vec(), "magic"),
        (b"(module)".to_vec(), "WebAssembly text"),
        (b"\x7fELF\x02\x01".to_vec(), "native code"),
        (b"\0asm\x09\0\0\0".to_vec(), "version"),
        (valid[..valid.len() - 3].to_vec(), "unexpected end"),
        (wat(r#"(module (import "env" "system" (func)))"#), "env"),
        (wat(r#"(module (import "palyra:plugin/unknown@1.0.0" "x" (func)))"#), "unknown"),
        (wat(r#"(module (import "palyra:plugin/io@1.0.0" "input-length" (func)))"#), "input-length"),
        (
            wat(r#"(module (import "wasi_snapshot_preview1" "proc_exit" (func (param i32))))"#),
            "preview1 adapter",
        ),
    ] {
        let (kind, text) = refusal(&bytes).await;
        assert_eq!(kind, "invalid_input", "{text}");
        assert!(text.contains(reason), "{text}");
    }
}

#[tokio::test]
async fn exports_that_are_missing_or_of_the_wrong_type() {
    let runtime = runtime();
    for (text, expected) in [
        (
            r#"(module (memory (export "memory") 1) (func (export "other") (result i32) (i32.const 0)))"#,
            "not_found",
        ),
        (r#"(module (memory (export "memory") 1) (func (export "palyra_plugin_main")))"#, "invalid_input"),
        (
            r#"(module (memory (export "memory") 1) (global (export "palyra_plugin_main") i32 (i32.const 0)))"#,
            "invalid_input",
        ),
        (r#"(module (func (export "palyra_plugin_main") (result i32) (i32.const 0)))"#, "invalid_input"),
        ("(component)", "not_found"),
    ] {
        let module = load(&runtime, &wat(text)).await;
        let report = runtime.invoke(&module, call("t", "{}")).await;
        assert_eq!(kind(&report), expected, "{text}");
        if let WasmPluginRunError::NotFound { known, .. } = error(&report) {
            assert_eq!(known.is_empty(), text == "(component)");
        }
    }
    let two =
        core(ECHO).replacen("(memory", "(func (export \"second\") (result i32) (i32.const 3)) (memory", 1);
    let module = load(&runtime, &wat(&two)).await;
    let report = runtime.invoke(&module, with_export(call("t", "{}"), "second")).await;
    assert_eq!(kind(&report), "tool_failed");
}

#[tokio::test]
async fn over_the_size_limit() {
    let runtime = WasmRuntime::new(RuntimeConfig { max_module_bytes: 100, ..config() }).unwrap();
    assert_eq!(runtime.load(&[0; 101]).await.err().unwrap().kind().wire_name(), "invalid_input");
}

#[test]
fn the_shape_is_read_without_compiling() {
    let shape = inspect_module(&wat(
        r#"(module (import "a" "b" (func)) (memory 3) (memory 1) (table 7 funcref) (func (export "f")))"#,
    ))
    .unwrap();
    assert_eq!(
        (shape.kind, shape.initial_memory_bytes, shape.initial_table_elements),
        (ModuleKind::Core, 4 * 65_536, 7)
    );
    assert_eq!(
        (shape.imports, shape.exports, shape.memories_in_one_module),
        (vec!["a.b".into()], vec!["f".into()], 2)
    );
}

fn cached(directory: &std::path::Path, key: [u8; 32]) -> (WasmRuntime, Arc<Mutex<Vec<CacheEventKind>>>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let on_event =
        Arc::new(move |event: palyra_plugins_runtime::CacheEvent| seen.lock().unwrap().push(event.kind));
    let disk = DiskCacheConfig { directory: directory.to_owned(), key, on_event: Some(on_event) };
    (WasmRuntime::new(RuntimeConfig { disk_cache: Some(disk), ..config() }).unwrap(), events)
}

/// Row I07: compiled code that was changed, copied or made for another engine is not used.
#[tokio::test]
async fn i07_compiled_code_is_used_only_when_every_byte_is_ours() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("code");
    let bytes = wat(&core(ECHO));
    let origin = |key| {
        let (directory, bytes) = (directory.clone(), bytes.clone());
        async move {
            let (runtime, events) = cached(&directory, key);
            let module = load(&runtime, &bytes).await;
            assert!(runtime.invoke(&module, call("t", "1")).await.result.is_ok());
            let events = events.lock().unwrap().clone();
            (module.origin, events)
        }
    };
    assert_eq!(origin([1; 32]).await, (ModuleOrigin::Compiled, vec![]));
    assert_eq!(origin([1; 32]).await, (ModuleOrigin::DiskCache, vec![]));
    assert_eq!(
        origin([2; 32]).await,
        (ModuleOrigin::Compiled, vec![CacheEventKind::WrongMac]),
        "another machine's key"
    );
    assert_eq!(origin([2; 32]).await, (ModuleOrigin::DiskCache, vec![]), "and it was made anew");

    let file = std::fs::read_dir(&directory).unwrap().next().unwrap().unwrap().path();
    let good = std::fs::read(&file).unwrap();
    for (at, expected) in [
        (0, CacheEventKind::WrongHeader),
        (50, CacheEventKind::WrongHeader),
        (good.len() / 2, CacheEventKind::WrongMac),
        (good.len() - 1, CacheEventKind::WrongMac),
    ] {
        let mut changed = good.clone();
        changed[at] ^= 1;
        std::fs::write(&file, changed).unwrap();
        assert_eq!(origin([2; 32]).await, (ModuleOrigin::Compiled, vec![expected]), "byte {at}");
    }
    std::fs::write(&file, &good[..good.len() / 2]).unwrap();
    assert_eq!(origin([2; 32]).await, (ModuleOrigin::Compiled, vec![CacheEventKind::WrongHeader]));

    let elsewhere = folder.path().join("elsewhere");
    std::fs::rename(&file, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
    assert_eq!(origin([2; 32]).await, (ModuleOrigin::Compiled, vec![CacheEventKind::NotAPlainFile]));
    std::fs::hard_link(&file, folder.path().join("second name")).unwrap();
    assert_eq!(origin([2; 32]).await, (ModuleOrigin::Compiled, vec![CacheEventKind::NotAPlainFile]));
    std::fs::remove_file(&file).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .unwrap();
    assert_eq!(
        origin([2; 32]).await,
        (ModuleOrigin::Compiled, vec![CacheEventKind::NotAPlainFile]),
        "a FIFO does not block"
    );
}

#[tokio::test]
async fn a_cache_directory_that_others_can_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let disk = DiskCacheConfig { directory: folder.path().to_owned(), key: [0; 32], on_event: None };
    assert!(WasmRuntime::new(RuntimeConfig { disk_cache: Some(disk), ..config() }).is_err());
}

#[tokio::test]
async fn two_loads_at_once_compile_once() {
    let runtime = runtime();
    let bytes = wat(&core(ECHO));
    let (first, second) = tokio::join!(runtime.load(&bytes), runtime.load(&bytes));
    assert!(Arc::ptr_eq(&first.unwrap(), &second.unwrap()));
}

//! Row G17 and the WASI subset: ordinary programs run, and see only what was granted.

use crate::harness::*;
use palyra_common::WasmPluginRunError;
use palyra_plugins_runtime::{Invocation, ReplayVerdict, RunReport, WasmRuntime};
use serde_json::json;
use std::sync::Arc;

async fn probe(runtime: &WasmRuntime, tool: &str, argument: &str, grants: &[&str]) -> RunReport {
    let module = load(runtime, &built_guest("wasi-probe")).await;
    runtime
        .invoke(&module, granted(call(&format!("probe.{tool}"), &json!(argument).to_string()), grants))
        .await
}

#[tokio::test]
async fn g17_no_environment_no_arguments_no_directory() {
    let runtime = runtime();
    let report = probe(&runtime, "environment", "", &[]).await;
    assert_eq!(output(&report), "0 variables, home unset, cwd /");
    for path in ["/etc/passwd", "/proc/self/environ", "../../etc/passwd"] {
        for tool in ["read", "list"] {
            let report = probe(&runtime, tool, path, &[]).await;
            assert_eq!(kind(&report), "capability_denied", "{tool} {path}");
        }
    }
    for path in ["/", "."] {
        // `.` and `..`, which the C library adds.
        assert_eq!(output(&probe(&runtime, "list", path, &[]).await), "2 entries", "{path}");
    }
}

#[tokio::test]
async fn g17_granted_roots_and_nothing_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for directory in ["docs", "out"] {
        std::fs::create_dir(root.join(directory)).unwrap();
    }
    std::fs::write(root.join("docs/a.txt"), "hello").unwrap();
    std::fs::write(root.join("secret.txt"), "outside").unwrap();
    std::os::unix::fs::symlink("../secret.txt", root.join("docs/link")).unwrap();
    std::os::unix::fs::symlink("/etc", root.join("docs/etc")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("docs/fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let read = format!("fs-read:docs={}/docs", root.display());
    let write = format!("fs-write:out={}/out", root.display());
    let grants = [read.as_str(), write.as_str()];
    let runtime = runtime();
    assert_eq!(output(&probe(&runtime, "read", "/docs/a.txt", &grants).await), "hello");
    for path in ["/docs/../secret.txt", "/docs/link", "/docs/etc/passwd", "/secret.txt", "/out/../secret.txt"]
    {
        let report = probe(&runtime, "read", path, &grants).await;
        assert_eq!(kind(&report), "capability_denied", "{path}: {:?}", report.result);
    }
    // A FIFO inside the grant is not a regular file.
    let fifo = output(&probe(&runtime, "read", "/docs/fifo", &grants).await);
    assert!(fifo.as_str().unwrap().starts_with("error "), "{fifo}");
    assert_eq!(kind(&probe(&runtime, "write", "/docs/b.txt", &grants).await), "capability_denied");
    assert_eq!(output(&probe(&runtime, "write", "/out/b.txt", &grants).await), "ok");
    assert_eq!(std::fs::read_to_string(root.join("out/b.txt")).unwrap(), "written");
}

#[tokio::test]
async fn g17_a_root_through_a_link_or_without_a_directory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::os::unix::fs::symlink("/etc", root.join("link")).unwrap();
    let runtime = runtime();
    for grant in [
        format!("fs-read:docs={}/link", root.display()),
        format!("fs-read:docs={}/none", root.display()),
        "fs-read:docs".into(),
    ] {
        let report = probe(&runtime, "read", "/docs/passwd", &[&grant]).await;
        assert!(
            matches!(error(&report), WasmPluginRunError::CapabilityDenied(_)),
            "{grant}: {:?}",
            report.result
        );
    }
}

#[tokio::test]
async fn output_goes_to_the_log_and_exit_is_a_trap() {
    let runtime = runtime();
    let report = probe(&runtime, "print", "hi", &[]).await;
    let lines: Vec<(&str, &str)> =
        report.log.iter().map(|line| (line.source.as_str(), line.message.as_str())).collect();
    assert_eq!(lines, [("stdout", "to stdout: hi"), ("stderr", "to stderr")]);
    match error(&probe(&runtime, "exit", "", &[]).await) {
        WasmPluginRunError::Trapped { reason, .. } => assert!(reason.contains("called exit(1)"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn clocks_and_randomness_replay() {
    let runtime = runtime();
    let module = load(&runtime, &built_guest("wasi-probe")).await;
    for tool in ["clocks", "random"] {
        let live = probe(&runtime, tool, "", &[]).await;
        let another = probe(&runtime, tool, "", &[]).await;
        assert_ne!(output(&live), output(&another), "{tool}");
        let tape = Arc::new(live.tape.clone());
        let invocation = Invocation { replay: Some(tape), ..call(&format!("probe.{tool}"), "\"\"") };
        let again = runtime.invoke(&module, invocation).await;
        assert_eq!(
            (again.replay.clone(), output(&again)),
            (Some(ReplayVerdict::Identical), output(&live)),
            "{tool}"
        );
    }
}

#[tokio::test]
async fn g17_sockets_are_not_linked() {
    let text = r#"(component (import "wasi:sockets/instance-network@0.2.0" (instance
        (export "network" (type (sub resource))))))"#;
    let refused = runtime().load(&wat(text)).await.err().unwrap();
    assert_eq!(refused.kind().wire_name(), "invalid_input");
    assert!(refused.to_string().contains("wasi:sockets/instance-network"), "{refused}");
}

//! Charges of a run over the API, and the limits that a caller can change.

use crate::daemon::Daemon;
use crate::routines::request;
use palyra_api::objectives::{ObjectiveRequest, ObjectiveState};
use palyra_api::routines::RoutineRequest;
use palyra_api::tools::InvokeRequest;

/// Returns a module that loops `turns` times without a host call, and then runs `then`.
fn counting(turns: u64, then: &str) -> Vec<u8> {
    let text = format!(
        r#"(module
        (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
        (memory (export "memory") 1) (global $far (mut i32) (i32.const 2000000)) (data (i32.const 0) "{{}}")
        (func (export "palyra_plugin_main") (result i32) (local $left i64)
          (local.set $left (i64.const {turns}))
          (loop $again
            (local.set $left (i64.sub (local.get $left) (i64.const 1)))
            (br_if $again (i64.ne (local.get $left) (i64.const 0))))
          {then}
          (i32.const 0)))"#
    );
    wat::parse_str(text).unwrap()
}

/// Installs `acme.stray.read`, which reads out of bounds after 500,000 turns, and `acme.stray.count`, which returns
/// after 3,000,000.
fn install(daemon: &Daemon) {
    let tool = |name: &str| {
        format!(
            r#"
[[entrypoints.tools]]
id = "acme.stray.{name}"
name = "{name}"
description = "Counts."
module = "modules/{name}.wasm"
input_schema = {{ type = "object" }}
output_schema = {{ type = "object" }}
"#
        )
    };
    let manifest = format!(
        r#"manifest_version = 1
skill_id = "acme.stray"
name = "Stray"
version = "1.0.0"
publisher = "acme"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[capabilities.quotas]
fuel_budget = 1000000000
{}{}"#,
        tool("read"),
        tool("count")
    );
    let read = counting(500_000, "(drop (i32.load (global.get $far)))");
    let count = counting(3_000_000, "(drop (call $write (i32.const 0) (i32.const 2)))");
    let modules: [(&str, &[u8]); 2] = [("modules/read.wasm", &read), ("modules/count.wasm", &count)];
    palyra_testkit::install(daemon.state(), &palyra_testkit::build(&manifest, &modules, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn fuel_of_trapped_runs_exhausts_an_objective() {
    const MOST: u64 = 9_000_000;
    let daemon = Daemon::start().await;
    install(&daemon);
    let client = daemon.in_process();
    let objective =
        ObjectiveRequest { name: "o".into(), goal: "read".into(), max_runs: None, max_fuel: Some(MOST) };
    client.add_objective(&objective).await.unwrap();
    let routine = RoutineRequest { objective: Some("o".into()), ..request("r", "acme.stray.read", "{}") };
    client.add_routine(&routine).await.unwrap();
    let mut charged = 0;
    for _ in 0..20 {
        let fire = client.fire_routine("r").await.unwrap();
        if fire.reason.as_deref() == Some("budget") {
            break;
        }
        let run = client.run(fire.run_id.as_deref().unwrap()).await.unwrap();
        assert_eq!(run.details["fuel"].as_u64(), fire.fuel, "the receipt has what was charged");
        assert!(fire.fuel.unwrap() > 0, "{fire:?}");
        charged += fire.fuel.unwrap();
    }
    let shown = client.objective("o").await.unwrap();
    assert_eq!((shown.state, shown.used_fuel), (ObjectiveState::Exhausted, charged));
    assert_eq!(charged, MOST, "the last run gets what is left, and no more");
}

#[tokio::test(flavor = "multi_thread")]
async fn limit_of_a_call_changes_only_what_it_names() {
    let daemon = Daemon::start().await;
    install(&daemon);
    let client = daemon.in_process();
    let call = |limits: &[&str]| InvokeRequest {
        limits: limits.iter().map(|limit| (*limit).to_owned()).collect(),
        ..InvokeRequest::default()
    };
    let answer = client.invoke("acme.stray.count", &call(&["timeout=9m"])).await.unwrap();
    assert!(answer.usage.fuel > 10_000_000, "more than the default, as the manifest says");
    let refused = client.invoke("acme.stray.count", &call(&["fuel=1000"])).await.unwrap_err().into_problem();
    assert_eq!((refused.code.as_str(), &refused.details["allowed"]), ("quota_exceeded", &1_000.into()));
}

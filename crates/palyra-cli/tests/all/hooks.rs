//! The example hooks, built from source: a gate with rules, and an observer that publishes to a channel.

use crate::daemon::up;
use crate::skill_bench::{SkillBench, example};
use serde_json::{Value, json};

const RUN: [&str; 4] = ["run", "palyra.counter_wat.add", "--input", "{\"step\": 2}"];
const GATE: &str = "palyra-tool_gate-run-before_tool";

fn bench() -> SkillBench {
    let bench = SkillBench::new();
    for name in ["counter-wat", "tool-gate", "notify"] {
        let file = bench.package(name, &example(name), name);
        bench.install(&file, &[]);
    }
    bench
}

#[test]
fn a_gate_follows_the_rules_its_operator_sets() {
    let bench = bench();
    bench.ok(&["hooks", "bind", "--event", "run:before_tool", "--plugin", "palyra.tool_gate"]);
    bench.ok(&RUN);
    bench.ok(&["plugins", "config", "set", "palyra.tool_gate", "block=palyra.counter_wat.*"]);
    let refused = bench.palyra(&[&RUN[..], &["--json"]].concat());
    assert_eq!((refused.code, &refused.error()["code"]), (4, &json!("forbidden")), "{}", refused.shown());
    let told = "the gate `palyra-tool_gate-run-before_tool` blocks `palyra.counter_wat.add`: the rule `palyra.counter_wat.*` blocks it";
    assert_eq!(refused.error()["message"], told);
    assert_eq!(refused.error()["details"]["gate"]["binding"], GATE);
    assert_eq!(refused.error()["hints"], json!([format!("see the gate with `palyra hooks show {GATE}`")]));
    let tried = bench.json(&["hooks", "test", GATE, "--payload", r#"{"tool_id": "palyra.counter_wat.add"}"#]);
    assert_eq!((&tried["schema"], &tried["decision"]), (&json!("palyra.hooks.test/v1"), &json!("block")));
    assert_eq!(bench.json(&["hooks", "test", GATE])["decision"], "continue", "another tool is not blocked");
    bench.ok(&["plugins", "config", "set", "palyra.tool_gate", "block=", "ask=palyra.counter_wat.add"]);
    let asked = bench.palyra(&[&RUN[..], &["--json"]].concat());
    assert_eq!(asked.code, 15, "{}", asked.shown());
    let id = asked.error()["details"]["approval_id"].as_str().unwrap().to_owned();
    let because = bench.json(&["approvals", "show", &id])["asked_because"].clone();
    assert_eq!(because, format!("gate `{GATE}`: the rule `palyra.counter_wat.add` asks for a person"));
    // A gate that cannot run denies every call until it is disabled.
    bench.ok(&["skills", "disable", "palyra.tool_gate"]);
    assert_eq!(bench.palyra(&RUN).code, 4);
    let listed = bench.ok(&["hooks", "list"]);
    assert!(listed.stdout.contains("cannot run"), "{}", listed.shown());
    bench.ok(&["hooks", "disable", GATE]);
    bench.ok(&RUN);
    // The limit applies to the runs that are shown.
    let own = bench.json(&["runs", "list", "--no-hooks", "--limit", "2"]);
    let tools: Vec<&str> =
        own["runs"].as_array().unwrap().iter().flat_map(|run| run["tool_id"].as_str()).collect();
    assert_eq!(tools, ["palyra.counter_wat.add"; 2], "{own}");
    assert_eq!(bench.palyra(&["hooks", "show", "nothing"]).code, 11);
    bench.ok(&["hooks", "unbind", GATE]);
    assert_eq!(bench.json(&["hooks", "list"])["bindings"], json!([]));
}

#[test]
fn a_file_by_hand_is_shown_and_applied() {
    let bench = bench();
    bench.ok(&[
        "hooks",
        "bind",
        "--id",
        "gate",
        "--event",
        "run:before_tool",
        "--plugin",
        "palyra.tool_gate",
    ]);
    let file = bench.environment.home(".palyra/hooks/bindings.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"order\": 100", "\"order\": 7")).unwrap();
    let listed = bench.ok(&["hooks", "list"]);
    assert!(
        listed.stderr.contains("changed gate") && listed.stderr.contains("palyra hooks apply"),
        "{}",
        listed.shown()
    );
    assert_eq!(bench.json(&["hooks", "show", "gate"])["order"], 100);
    bench.ok(&["hooks", "apply"]);
    assert_eq!(bench.json(&["hooks", "show", "gate"])["order"], 7);
    std::fs::write(&file, text.replace("\"order\": 100", "\"order\": seven")).unwrap();
    let refused = bench.palyra(&["hooks", "apply", "--json"]);
    assert_eq!((refused.code, &refused.error()["code"]), (2, &json!("bad_bindings")), "{}", refused.shown());
    assert_eq!(refused.error()["details"]["line"], 10);
    bench.ok(&["hooks", "apply", "--restore"]);
    assert_eq!(bench.json(&["hooks", "list"])["file"]["state"], "applied");
}

#[test]
fn an_observer_tells_a_channel() {
    let bench = bench();
    let daemon = up(&bench.environment, &[]);
    bench.ok(&["channels", "add", "alerts", "--to", "console"]);
    bench.ok(&["hooks", "bind", "--id", "tell", "--event", "run:completed", "--plugin", "palyra.notify"]);
    bench.ok(&RUN);
    let messages = || bench.json(&["channels", "tail", "alerts"])["messages"].as_array().unwrap().clone();
    let mut told = messages();
    for _ in 0..500 {
        if !told.is_empty() {
            break;
        }
        told = messages();
    }
    let body: Value = serde_json::from_str(told[0]["body"].as_str().unwrap()).unwrap();
    assert_eq!(
        (&body["event"], &body["tool_id"]),
        (&json!("run:completed"), &json!("palyra.counter_wat.add"))
    );
    assert_eq!(told[0]["skill_id"], "palyra.notify");
    drop(daemon);
}

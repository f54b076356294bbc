//! Runs: listed, verified elsewhere, and replayed.

use crate::daemon::up;
use crate::environment::TestEnvironment;
use crate::skill_bench::{SkillBench, example};
use serde_json::{Value, json};

fn bench() -> (SkillBench, String) {
    let bench = SkillBench::new();
    bench.install(&bench.package("counter", &example("counter-wat"), "counter-wat"), &[]);
    let run = bench.json(&["run", "palyra.counter_wat.add", "--input", "{\"step\": 5}"]);
    (bench, run["run_id"].as_str().unwrap().to_owned())
}

#[test]
fn a_run_is_found_followed_and_replayed() {
    let (bench, id) = bench();
    let listed = bench.json(&["runs", "list", "--skill", "palyra.counter_wat", "--since", "1h"]);
    assert_eq!((&listed["runs"][0]["run_id"], listed["runs"].as_array().unwrap().len()), (&json!(id), 1));
    let lines = bench.ok(&["runs", "list", "--output", "ndjson"]);
    assert_eq!(lines.stdout.lines().count(), 1, "{}", lines.shown());
    let shown = bench.json(&["runs", "show", &id]);
    assert_eq!(
        (&shown["status"], &shown["tool_id"]),
        (&json!("completed"), &json!("palyra.counter_wat.add"))
    );
    assert!(shown["details"]["fuel"].as_u64().unwrap() > 0);
    let human = bench.ok(&["runs", "show", &id]);
    assert!(human.stdout.contains("Capabilities\n  storage:"), "{}", human.shown());
    let followed = bench.ok(&["runs", "events", &id, "--follow"]);
    assert!(followed.stderr.contains("completed"), "{}", followed.shown());
    assert!(bench.json(&["runs", "events", &id])["lines"].is_array());
    assert_eq!(bench.json(&["runs", "replay", &id])["verdict"]["verdict"], "identical");
    bench.ok(&["runs", "tape", &id, "--out", "run.tape"]);
    let tape = std::fs::read_to_string(bench.environment.path("run.tape")).unwrap();
    assert_eq!(bench.ok(&["runs", "tape", &id]).stdout, tape);
    let ended = bench.palyra(&["runs", "cancel", &id, "--json"]);
    assert_eq!((ended.code, &ended.error()["code"]), (1, &json!("not_under_way")));
    for verb in ["show", "events", "tape", "receipt", "replay", "cancel"] {
        let missing = bench.palyra(&["runs", verb, "run_none", "--json"]);
        assert_eq!((missing.code, &missing.error()["code"]), (11, &json!("not_found")), "{verb}");
    }
}

#[test]
fn failed_run_is_named_with_the_command_that_shows_it() {
    let (bench, _) = bench();
    let call = ["run", "palyra.counter_wat.add", "--input", "{}", "--limit", "fuel=1"];
    let failed = bench.palyra(&[&call[..], &["--json"]].concat());
    assert_eq!(failed.code, 17, "{}", failed.shown());
    let id = failed.error()["run_id"].as_str().unwrap().to_owned();
    let shown = bench.json(&["runs", "show", &id]);
    assert_eq!(
        (&shown["error"], &shown["failure"]["refusal"]["by"]),
        (&json!("quota_exceeded"), &json!("call"))
    );
    let text = bench.ok(&["runs", "show", &id]).stdout;
    assert!(
        text.contains("the run exceeded its fuel limit of 1") && text.contains("fuel 1, by the call"),
        "{text}"
    );
    assert_eq!(bench.json(&["skills", "list"])["skills"][0]["code"]["state"], "ready");
    assert!(bench.ok(&["skills", "show", "palyra.counter_wat"]).stdout.contains("ready"));
    let human = bench.palyra(&call);
    assert!(human.stderr.contains("hint: see the run with `palyra runs show run_"), "{}", human.shown());
    let refused = bench.palyra(&["run", "palyra.counter_wat.none", "--json"]);
    assert_eq!(refused.error()["run_id"], Value::Null, "nothing began: {}", refused.shown());
}

#[test]
fn a_receipt_is_verified_where_there_is_no_state_and_no_daemon() {
    let (bench, id) = bench();
    let kept = bench.json(&["runs", "receipt", &id, "--out", "run.receipt.json"]);
    let text = std::fs::read_to_string(bench.environment.path("run.receipt.json")).unwrap();
    let printed: Value = serde_json::from_str(&bench.ok(&["runs", "receipt", &id, "--json"]).stdout).unwrap();
    assert_eq!(printed["schema"], "palyra.receipt/v1");
    let elsewhere = TestEnvironment::new();
    elsewhere.write("run.receipt.json", &text);
    let verify = ["runs", "receipt", "--verify", "run.receipt.json"];
    let verified = elsewhere.palyra(&[&verify[..], &["--json"]].concat()).json();
    assert_eq!((&verified["run_id"], &verified["completed"]), (&json!(id), &json!(true)));
    assert!(!elsewhere.home(".palyra").exists());
    let key = kept["key"].as_str().unwrap();
    assert_eq!(elsewhere.palyra(&[&verify[..], &["--key", key]].concat()).code, 0);
    let other = bench.json(&["runs", "list"]);
    assert_eq!(other["runs"][0]["run_id"], id.as_str());
    elsewhere.write("changed.json", text.replace("counter_wat.add", "counter_wat.sub"));
    let changed = elsewhere.palyra(&["runs", "receipt", "--verify", "changed.json", "--json"]);
    assert_eq!((changed.code, &changed.error()["code"]), (5, &json!("bad_receipt")));
    let unknown = elsewhere.palyra(&[&verify[..], &["--key", "x"]].concat());
    assert_eq!(unknown.code, 2, "{}", unknown.shown());
    assert_eq!(elsewhere.palyra(&["runs", "receipt", "--verify", "none.json"]).code, 2);
}

#[test]
fn runs_output_is_the_same_with_and_without_daemon() {
    let (bench, id) = bench();
    let own = (bench.json(&["runs", "list"]), bench.json(&["runs", "show", &id]));
    let _daemon = up(&bench.environment, &[]);
    assert_eq!(own, (bench.json(&["runs", "list"]), bench.json(&["runs", "show", &id])));
    assert_eq!(bench.json(&["runs", "replay", &id])["verdict"]["verdict"], "identical");
    bench.ok(&["runs", "events", &id, "--follow"]);
    bench.ok(&["runs", "receipt", &id, "--out", "run.receipt.json"]);
    bench.ok(&["runs", "receipt", "--verify", "run.receipt.json"]);
}

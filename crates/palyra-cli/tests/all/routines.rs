//! `palyra routines` and `palyra objectives`.

use crate::daemon::up;
use crate::environment::TestEnvironment;
use crate::skill_bench::{SkillBench, example};
use insta::assert_snapshot;
use serde_json::json;

const TOOL: &str = "palyra.counter_wat.add";

fn bench() -> SkillBench {
    let bench = SkillBench::new();
    let file = bench.package("counter", &example("counter-wat"), "counter-wat");
    bench.install(&file, &[]);
    bench
}

#[test]
fn a_routine_is_added_fired_shown_switched_and_removed() {
    let bench = bench();
    let add = ["routines", "add", "tick", TOOL, "--input", "{\"step\": 2}", "--cron", "0 9 * * mon-fri"];
    let add = [&add[..], &["--time-zone", "Europe/Prague", "--quiet-hours", "22:00-07:00"]].concat();
    assert_snapshot!(bench.ok(&add).shown());
    let fired = bench.json(&["routines", "fire", "tick"]);
    assert_eq!(
        (&fired["schema"], &fired["status"]),
        (&json!("palyra.routines.fire/v1"), &json!("completed"))
    );
    let run = bench.json(&["runs", "show", fired["run_id"].as_str().unwrap()]);
    assert_eq!(run["principal"], "routine:tick");
    let shown = bench.json(&["routines", "show", "tick"]);
    assert_eq!(
        (&shown["fires"][0]["cause"], &shown["next_ms"].as_array().unwrap().len()),
        (&json!("manual"), &5)
    );
    assert!(bench.ok(&["routines", "show", "tick"]).stdout.contains("completed"));
    assert_eq!(bench.json(&["routines", "disable", "tick"])["enabled"], false);
    assert!(bench.ok(&["routines", "list"]).stdout.contains("disabled"));
    assert_eq!(bench.json(&["routines", "enable", "tick"])["enabled"], true);
    let twice = bench.palyra(&[&add[..], &["--json"]].concat());
    assert_eq!(twice.error()["code"], "already_exists");
    assert_eq!(bench.json(&[&add[..], &["--replace"]].concat())["name"], "tick");
    assert_eq!(bench.json(&["routines", "remove", "tick"])["name"], "tick");
    assert_eq!(bench.palyra(&["routines", "show", "tick"]).code, 11);
}

#[test]
fn the_empty_states_say_what_to_do() {
    let environment = TestEnvironment::with_state();
    let shown = |words: &[&str]| environment.palyra(words).shown();
    assert_snapshot!([shown(&["routines", "list"]), shown(&["objectives", "list"])].join("\n"));
    assert_snapshot!(shown(&["routines", "show", "re-audit"]));
}

#[test]
fn mistakes_end_with_what_to_write() {
    let bench = bench();
    let told: Vec<String> = [
        &["routines", "add", "tick", TOOL][..],
        &["routines", "add", "tick", TOOL, "--cron", "0 9 * *"],
        &["routines", "add", "tick", TOOL, "--every", "1w"],
        &["routines", "add", "tick", TOOL, "--at", "2001-01-01T00:00"],
        &["routines", "add", "tick", TOOL, "--every", "1h", "--time-zone", "Mars/Olympus"],
        &["routines", "add", "tick", "palyra.counter_wat.ad", "--every", "1h"],
        &["routines", "add", "tick", TOOL, "--every", "1h", "--input", "{"],
        &["routines", "remove", "re-audit"],
        &["routines", "fire", "tikc"],
        &["objectives", "add", "goal", "--goal", "x", "--runs", "0"],
    ]
    .map(|words| bench.palyra(words).shown())
    .into();
    assert_snapshot!(told.join("\n"));
}

#[test]
fn an_objective_bounds_its_routine() {
    let bench = bench();
    bench.ok(&["objectives", "add", "once", "--goal", "count to one", "--runs", "1"]);
    bench.ok(&["routines", "add", "tick", TOOL, "--every", "1h", "--objective", "once"]);
    bench.ok(&["routines", "fire", "tick"]);
    let over = bench.palyra(&["routines", "fire", "tick", "--json"]);
    assert_eq!((over.code, &over.error()["code"]), (1, &json!("not_fired")));
    let shown = bench.json(&["objectives", "show", "once"]);
    assert_eq!(
        (&shown["state"], &shown["used_runs"], &shown["routines"]),
        (&json!("exhausted"), &json!(1), &json!(["tick"]))
    );
    let used = bench.palyra(&["objectives", "remove", "once", "--json"]);
    assert_eq!((used.code, &used.error()["code"]), (1, &json!("in_use")));
    assert_eq!(bench.json(&["objectives", "pause", "once"])["state"], "paused");
    assert_eq!(bench.json(&["objectives", "resume", "once"])["state"], "exhausted");
    assert_eq!(bench.json(&["objectives", "done", "once"])["state"], "done");
    bench.ok(&["routines", "remove", "tick"]);
    bench.ok(&["objectives", "remove", "once"]);
}

/// Only a daemon fires on its own; `--follow` shows it without a sleep.
#[test]
fn daemon_fires_due_routines() {
    let bench = bench();
    let _daemon = up(&bench.environment, &[]);
    bench.ok(&["routines", "add", "tick", TOOL, "--every", "1s", "--input", "{\"step\": 1}"]);
    let mut tail =
        bench.environment.command(&["journal", "tail", "--follow", "--output", "ndjson"]).spawn().unwrap();
    let lines = std::io::BufReader::new(tail.stdout.take().unwrap());
    let fired =
        std::io::BufRead::lines(lines).map(Result::unwrap).find(|line| line.contains("routine:fired"));
    tail.kill().unwrap();
    tail.wait().unwrap();
    let fired: serde_json::Value = serde_json::from_str(&fired.unwrap()).unwrap();
    assert!(fired.to_string().contains("routine:tick"), "{fired}");
}

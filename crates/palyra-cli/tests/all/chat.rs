//! `palyra chat` and `palyra sessions`, without a model.

use crate::person::{Typing, at_terminal};
use crate::skill_bench::{SkillBench, example};
use serde_json::{Value, json};

const ADD: [&str; 3] = ["chat", "add a step of 3 to the counter", "--tool=palyra.counter_wat.add"];
const CONFIRM: &str = "Run? [y = yes, e = edit, N = no] ";

fn bench() -> SkillBench {
    let bench = SkillBench::new();
    let file = bench.package("counter", &example("counter-wat"), "counter-wat");
    bench.install(&file, &[]);
    bench
}

fn events(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn without_a_terminal_chat_prints_the_proposal_and_a_terminal_answers_it_later() {
    let bench = bench();
    let asked = bench.palyra(&[&ADD[..], &["--json"]].concat());
    assert_eq!(
        (asked.code, &asked.error_after_output()["code"]),
        (15, &json!("approval_required")),
        "{}",
        asked.shown()
    );
    let events = events(&asked.stdout);
    let paused = events.iter().find(|event| event["event"] == "run.paused").unwrap();
    assert_eq!((&paused["schema"], &paused["pause"]["kind"]), (&json!("palyra.chat/v1"), &json!("form")));
    let session = asked.error_after_output()["details"]["session_id"].as_str().unwrap().to_owned();
    let hint = format!("answer at a terminal with `palyra chat --session {session}`");
    assert_eq!(asked.error_after_output()["hints"], json!([hint]));
    let listed = bench.json(&["sessions", "list"]);
    assert_eq!(listed["sessions"][0]["session_id"], session.as_str());
    let seen = at_terminal(
        &bench.environment,
        &["chat", "--session", &session],
        &[Typing::Shown(CONFIRM, "y"), Typing::Shown("> ", "/quit")],
    );
    assert!(seen.code == 0 && seen.shown.contains("\"count\": 3"), "{}", seen.shown);
    let shown = bench.ok(&["sessions", "show", &session]).stdout;
    assert!(shown.contains("you: add a step of 3") && shown.contains("{\"count\":3}"), "{shown}");
    let exported = bench.json(&["sessions", "export", &session]);
    assert_eq!(
        (&exported["runs"][0]["status"], exported["session"]["labels"]["private"].clone()),
        (&json!("finished"), json!(true))
    );
    bench.ok(&["sessions", "remove", &session, "--yes"]);
    assert_eq!(bench.palyra(&["sessions", "show", &session, "--json"]).error()["code"], "not_found");
    bench.ok(&["daemon", "stop"]);
}

#[test]
fn one_confirmation_runs_the_tool_an_edit_changes_it_and_a_no_calls_nothing() {
    let bench = bench();
    let yes = at_terminal(&bench.environment, &ADD, &[Typing::Shown(CONFIRM, "y")]);
    assert!(yes.code == 0 && yes.shown.contains("\"count\": 3"), "{}", yes.shown);
    let edits = [Typing::Shown(CONFIRM, "e"), Typing::Shown("step", "5"), Typing::Shown(CONFIRM, "y")];
    let edited = at_terminal(&bench.environment, &ADD, &edits);
    assert!(edited.code == 0 && edited.shown.contains("\"count\": 8"), "{}", edited.shown);
    let no = at_terminal(&bench.environment, &ADD, &[Typing::Shown(CONFIRM, "")]);
    assert!(no.code == 3 && !no.shown.contains("\"count\""), "{}", no.shown);
    let stopped = at_terminal(&bench.environment, &ADD, &[Typing::Shown(CONFIRM, "/stop")]);
    assert_eq!(stopped.code, 3, "{}", stopped.shown);
    bench.ok(&["daemon", "stop"]);
}

#[test]
fn conversation_shows_its_model_and_goes_on_after_what_the_daemon_refuses() {
    let bench = bench();
    let typing = [
        Typing::Shown("> ", "/model"),
        Typing::Shown("> ", "/model gone"),
        Typing::Shown("> ", "/tools"),
        Typing::Shown("> ", "add a step of 4 to the counter"),
        Typing::Shown(CONFIRM, "y"),
        Typing::Shown("> ", "/quit"),
    ];
    let seen = at_terminal(&bench.environment, &["chat"], &typing);
    assert_eq!(seen.code, 0, "{}", seen.shown);
    for shown in ["this session uses no model", "`gone`", "palyra.counter_wat.add", "\"count\": 4"] {
        assert!(seen.shown.contains(shown), "{shown}: {}", seen.shown);
    }
    assert_eq!(seen.shown.matches("calls `palyra.counter_wat.add` with").count(), 1, "{}", seen.shown);
    let unknown = bench.palyra(&[&ADD[..], &["--model=gone", "--json"]].concat());
    assert_eq!(unknown.error()["code"], "not_found");
    bench.ok(&["daemon", "stop"]);
}

//! Short ids, words as input, and tables that fit a terminal.

use crate::environment::TestEnvironment;
use crate::person::at_terminal;
use crate::skill_bench::{SkillBench, example};
use serde_json::json;

const TOOL: &str = "palyra.counter_wat.add";

fn bench() -> SkillBench {
    let bench = SkillBench::new();
    bench.install(&bench.package("counter", &example("counter-wat"), "counter-wat"), &[]);
    bench
}

#[test]
fn input_words_are_typed_by_the_schema_of_the_tool() {
    let bench = bench();
    assert_eq!(bench.json(&["run", TOOL, "step=5"])["result"], json!({ "count": 5 }));
    assert_eq!(bench.json(&["run", TOOL, "{\"step\": 2}"])["result"], json!({ "count": 7 }));
    let wrong = bench.palyra(&["run", TOOL, "step=five", "--json"]);
    assert_eq!((wrong.code, &wrong.error()["message"]), (2, &json!("`step` expects integer, found `five`")));
    let unknown = bench.palyra(&["run", TOOL, "stp=1"]);
    assert!(
        unknown.code == 13 && unknown.stderr.contains("tools show palyra.counter_wat.add"),
        "{}",
        unknown.shown()
    );
    let neither = bench.palyra(&["run", TOOL, "five", "--json"]);
    assert_eq!((neither.code, &neither.error()["code"]), (2, &json!("usage")));
    assert_eq!(bench.palyra(&["run", TOOL, "step=1", "--input", "{}"]).code, 2);
    assert_eq!(bench.palyra(&["run", TOOL, "--export", "x"]).code, 2);
}

#[test]
fn file_as_the_first_word_is_a_module() {
    let environment = TestEnvironment::new();
    environment.write("counter.wat", include_str!("../../../../examples/skills/counter-wat/guest.wat"));
    for arguments in [
        &["run", "counter.wat", "step=5"][..],
        &["run", "./counter.wat", "{\"step\": 5}"],
        &["run", "--module", "counter.wat", "step=5"],
    ] {
        let ran = environment.palyra(&[arguments, &["--grant", "storage:counter/", "--json"]].concat());
        assert_eq!(ran.json()["result"], json!({ "count": 5 }), "{arguments:?}");
    }
    let missing = environment.palyra(&["run", "./none.wasm"]);
    assert!(missing.code == 2 && missing.stderr.contains("none.wasm"), "{}", missing.shown());
}

#[test]
fn runs_are_found_by_prefix_and_latest() {
    let bench = bench();
    let missing = bench.palyra(&["runs", "show", "latest", "--json"]);
    assert_eq!((missing.code, &missing.error()["code"]), (11, &json!("not_found")));
    let ids: Vec<String> =
        (0..2).map(|_| bench.json(&["run", TOOL, "step=1"])["run_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(bench.json(&["runs", "show", "latest"])["run_id"], ids[1].as_str());
    let shared = ids[0].chars().zip(ids[1].chars()).take_while(|(a, b)| a == b).count();
    let short = &ids[0][..shared + 1];
    assert_eq!(bench.json(&["runs", "show", short])["run_id"], ids[0].as_str());
    let cut = format!("{}…", short.trim_start_matches("run_"));
    assert_eq!(bench.json(&["runs", "show", &cut])["run_id"], ids[0].as_str());
    let ambiguous = bench.palyra(&["runs", "show", "run_", "--json"]);
    let error = ambiguous.error();
    assert_eq!((ambiguous.code, &error["code"]), (2, &json!("usage")));
    assert_eq!(error["message"], "`run_` is ambiguous: 2 runs begin with it");
    for id in &ids {
        assert!(error["hints"].to_string().contains(id), "{error}");
    }
    bench.ok(&["runs", "receipt", "latest", "--out", "run.receipt.json"]);
    assert_eq!(bench.json(&["runs", "replay", "latest"])["run_id"], ids[1].as_str());
}

#[test]
fn approvals_are_denied_by_latest_and_never_approved_unseen() {
    let bench = SkillBench::new();
    let manifest =
        example("counter-wat").replace("examples = ", "risk = { requires_approval = true }\nexamples = ");
    bench.install(&bench.package("counter", &manifest, "counter-wat"), &[]);
    assert_ne!(bench.palyra(&["run", TOOL, "step=1"]).code, 0);
    let unseen = bench.palyra(&["approvals", "approve", "latest", "--json"]);
    assert_eq!((unseen.code, &unseen.error()["code"]), (2, &json!("usage")));
    let shown = bench.json(&["approvals", "show", "latest"]);
    assert_eq!(shown["status"], "pending");
    let id = shown["approval_id"].as_str().unwrap();
    assert_eq!(bench.json(&["approvals", "show", &id[..10]])["approval_id"], id);
}

#[test]
fn lists_fit_a_terminal_of_80_columns_and_pipes_get_everything() {
    let bench = bench();
    for _ in 0..3 {
        bench.ok(&["run", TOOL, "step=1"]);
    }
    for list in [
        &["runs", "list"][..],
        &["tools", "list"],
        &["skills", "list"],
        &["keys", "list"],
        &["journal", "tail"],
    ] {
        let seen = at_terminal(&bench.environment, list, &[]);
        let rows: Vec<&str> = seen.shown.lines().skip(1).collect();
        assert!(rows.iter().all(|row| row.chars().count() <= 80), "{}", seen.shown);
        assert!(rows.len() >= 2, "{}", seen.shown);
    }
    let seen = at_terminal(&bench.environment, &["runs", "list"], &[]).shown;
    assert!(seen.contains("now") || seen.contains("ago"), "{seen}");
    assert!(at_terminal(&bench.environment, &["runs", "list", "--utc"], &[]).shown.contains("T"), "{seen}");
    let piped = bench.ok(&["runs", "list"]).stdout;
    let id = bench.json(&["runs", "show", "latest"])["run_id"].as_str().unwrap().to_owned();
    assert!(piped.contains(&id) && piped.contains("Z  "), "{piped}");
}

#[test]
fn webhook_to_loopback_hints_at_a_flag_that_works() {
    let environment = TestEnvironment::with_state();
    let key =
        environment.palyra_with_input(&["vault", "put", "global/hook_key"], b"x8f3kQ9vZ2mL7pR4tY6wB1nC");
    assert_eq!(key.code, 0, "{}", key.shown());
    let url = ["--webhook-url", "http://127.0.0.1:9/x", "--sign-secret", "global/hook_key"];
    let add = [&["channels", "add", "w", "--to", "webhook"][..], &url].concat();
    let refused = environment.palyra(&[&add[..], &["--json"]].concat());
    let hint = refused.error()["hints"][0].as_str().unwrap().to_owned();
    let flag: Vec<&str> = hint.split('`').nth(1).unwrap().split(' ').collect();
    assert_eq!(environment.palyra(&[add, flag].concat()).code, 0, "{hint}");
    assert_eq!(environment.palyra(&["channels", "remove", "w"]).code, 2, "it asks first");
    assert_eq!(environment.palyra(&["channels", "remove", "none"]).code, 11);
    assert_eq!(environment.palyra(&["channels", "remove", "w", "--yes"]).code, 0);
}

#[test]
fn show_has_its_former_name_as_an_alias() {
    let bench = bench();
    for noun in ["skills", "plugins"] {
        let shown = bench.ok(&[noun, "show", "palyra.counter_wat"]).stdout;
        assert_eq!(bench.ok(&[noun, "info", "palyra.counter_wat"]).stdout, shown);
    }
}

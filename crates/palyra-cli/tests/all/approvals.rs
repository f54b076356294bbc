//! Calls that require approval.

use crate::daemon::up;
use crate::person::{Typing, at_terminal};
use crate::skill_bench::{SkillBench, example};
use serde_json::json;

const RUN: [&str; 4] = ["run", "palyra.counter_wat.add", "--input", "{\"step\": 2}"];

/// Returns a bench with the counter, whose tool requires approval.
fn bench() -> SkillBench {
    let bench = SkillBench::new();
    let export = "export = \"palyra_plugin_main\"\n";
    let risky = format!("{export}risk = {{ default_sensitive = true, requires_approval = true }}\n");
    let manifest = example("counter-wat").replacen(export, &risky, 1);
    let manifest = manifest.replacen("additionalProperties = false", "additionalProperties = true", 1);
    let file = bench.package("counter", &manifest, "counter-wat");
    bench.install(&file, &[]);
    bench
}

#[test]
fn the_owner_decides_its_own_call_only_at_a_terminal() {
    let bench = bench();
    let refused = bench.palyra(&[&RUN[..], &["--json"]].concat());
    assert_eq!((refused.code, &refused.error()["code"]), (15, &json!("approval_required")));
    let id = refused.error()["details"]["approval_id"].as_str().unwrap().to_owned();
    assert_eq!(refused.error()["hints"], json!([format!("palyra approvals approve {id}")]));
    let listed = bench.json(&["approvals", "list"]);
    assert_eq!(listed["approvals"][0]["approval_id"], id.as_str());
    assert_eq!(bench.json(&["approvals", "show", &id])["arguments"], "{\"step\":2}");
    let alone = bench.palyra(&["approvals", "approve", &id, "--json"]);
    assert_eq!((alone.code, &alone.error()["code"]), (4, &json!("forbidden")));
    let question = "Approve this call of `palyra.counter_wat.add`? [y/N] ";
    let no = at_terminal(&bench.environment, &["approvals", "approve", &id], &[Typing::Shown(question, "")]);
    assert!(no.code == 3 && no.shown.contains("{\"step\":2}"), "{}", no.shown);
    let yes =
        at_terminal(&bench.environment, &["approvals", "approve", &id], &[Typing::Shown(question, "y")]);
    assert_eq!(yes.code, 0, "{}", yes.shown);
    bench.ok(&RUN);
    let used = bench.json(&["approvals", "list", "--status", "used"]);
    assert_eq!(
        (&used["approvals"][0]["approval_id"], &used["approvals"][0]["uses"]),
        (&json!(id), &json!(1))
    );
    assert_eq!(bench.palyra(&["approvals", "show", "apr_none"]).code, 11);
    let twice = bench.palyra(&["approvals", "deny", &id, "--json"]);
    assert_eq!((twice.code, &twice.error()["code"]), (1, &json!("already_decided")));
}

#[test]
fn cut_arguments_need_their_digest_unless_they_were_shown_whole() {
    let bench = bench();
    let ask = |step: u8| {
        let input = format!(r#"{{"a":"{}","step":{step},"z":"rm -rf /"}}"#, "x".repeat(5_000));
        let refused = bench.palyra(&["run", "palyra.counter_wat.add", "--input", &input, "--json"]);
        refused.error()["details"]["approval_id"].as_str().unwrap().to_owned()
    };
    let id = ask(1);
    let cut = bench.json(&["approvals", "show", &id]);
    let digest = cut["arguments_sha256"].as_str().unwrap();
    assert!(
        cut["arguments_omitted"].as_u64().unwrap() > 0 && !cut["arguments"].to_string().contains("rm -rf")
    );
    for command in [&["approvals", "show", &id][..], &["approvals", "list"]] {
        let shown = bench.ok(command).stdout;
        assert!(shown.contains("more bytes, sha256 ") && shown.contains(digest), "{shown}");
    }
    let whole = bench.json(&["approvals", "show", &id, "--whole"]);
    assert!(whole["arguments"].as_str().unwrap().ends_with(r#""z":"rm -rf /"}"#), "{whole}");
    // The flag skips the prompt, and with it the arguments that the prompt would show.
    let blind = at_terminal(&bench.environment, &["approvals", "approve", &id, "--yes"], &[]);
    assert_eq!(blind.code, 2, "{}", blind.shown);
    let named = ["approvals", "approve", &id, "--yes", "--arguments-sha256", digest];
    let named = at_terminal(&bench.environment, &named, &[]);
    assert_eq!(named.code, 0, "{}", named.shown);
    let id = ask(2);
    let seen = [Typing::Shown("Approve this call of `palyra.counter_wat.add`? [y/N] ", "y")];
    let seen = at_terminal(&bench.environment, &["approvals", "approve", &id], &seen);
    assert!(seen.code == 0 && seen.shown.contains("rm -rf /"), "{}", seen.shown);
}

#[test]
fn a_token_asks_and_the_owner_answers() {
    let bench = bench();
    let daemon = up(&bench.environment, &[]);
    bench.ok(&["tokens", "add", "agent", "--scope", "invoke", "--out", "agent.token"]);
    let as_agent = |arguments: &[&str]| {
        bench.palyra(&[&RUN[..], &["--url", daemon.url(), "--token-file", "agent.token"], arguments].concat())
    };
    let refused = as_agent(&["--json"]);
    let id = refused.error()["details"]["approval_id"].as_str().unwrap().to_owned();
    let approved = bench.json(&["approvals", "approve", &id, "--scope", "arguments", "--reason", "seen"]);
    assert_eq!((&approved["status"], &approved["scope"]), (&json!("approved"), &json!("arguments")));
    assert_eq!((&approved["principal"], &approved["decided_by"]), (&json!("agent"), &json!("owner")));
    for _ in 0..2 {
        assert_eq!(as_agent(&[]).code, 0);
    }
    let runs = bench.json(&["runs", "list", "--status", "completed"]);
    assert_eq!(runs["runs"].as_array().unwrap().len(), 2);
    assert_eq!(runs["runs"][0]["principal"], "agent");
    let own = ["approvals", "approve", &id, "--url", daemon.url(), "--token-file", "agent.token", "--json"];
    assert_eq!(bench.palyra(&own).error()["code"], "forbidden");
}

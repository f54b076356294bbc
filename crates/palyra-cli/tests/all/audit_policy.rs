//! `palyra audit-policy`.

use crate::environment::TestEnvironment;
use crate::skill_bench::{SkillBench, example};
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn what_is_shown_can_be_set_again() {
    let environment = TestEnvironment::with_state();
    let shown = environment.palyra(&["audit-policy", "show"]);
    assert_eq!(shown.code, 0, "{}", shown.shown());
    assert!(shown.stderr.contains("palyra audit-policy advisories FILE"), "{}", shown.stderr);
    environment.write("policy.toml", &shown.stdout);
    let before = environment.palyra(&["audit-policy", "show", "--json"]).json();
    let set = environment.palyra(&["audit-policy", "set", "policy.toml", "--json"]).json();
    assert_eq!((&set["digest"], &set["version"]), (&before["digest"], &json!(1)));
    assert_eq!(set["audited_again"], json!([]));
}

#[test]
fn a_policy_that_is_none_changes_nothing() {
    let environment = TestEnvironment::with_state();
    environment.write("hard.toml", "[rules]\nimport-forbidden = \"off\"\n");
    assert_snapshot!(environment.palyra(&["audit-policy", "set", "hard.toml"]).shown(), @"
    exit 2
    --- stderr
    error: the audit rule `import-forbidden` is hard and cannot be changed
    hint: remove it from `[rules]`; import, Unicode and budget findings cannot be changed
    ");
    environment.write("list.json", r#"{"date": "yesterday", "advisories": []}"#);
    assert_snapshot!(environment.palyra(&["audit-policy", "advisories", "list.json"]).shown(), @"
    exit 2
    --- stderr
    error: the advisory list has the date `yesterday`, expected `YYYY-MM-DD`
    hint: `palyra audit-policy advisories --help` describes the format
    ");
    let shown = environment.palyra(&["audit-policy", "show", "--json"]).json();
    assert_eq!((&shown["policy"]["version"], &shown["advisories"]), (&json!(1), &json!(null)));
}

#[test]
fn another_policy_takes_effect_on_what_is_installed() {
    let bench = SkillBench::new();
    let file = bench.package("counter", &example("counter-wat"), "counter-wat");
    bench.install(&file, &[]);
    bench.environment.write("policy.toml", "version = 2\n[budgets]\nfunctions = 1\n");
    let set = bench.json(&["audit-policy", "set", "policy.toml"]);
    assert_eq!(set["audited_again"][0]["runtime_status"], "quarantined", "{set}");
    let list = r#"{"date": "2026-01-31", "advisories": []}"#;
    bench.environment.write("list.json", list);
    let imported = bench.json(&["audit-policy", "advisories", "list.json"]);
    assert_eq!((&imported["list"]["date"], &imported["before"]), (&json!("2026-01-31"), &json!(null)));
    bench.environment.write("older.json", list.replace("2026", "2025"));
    let older = bench.palyra(&["audit-policy", "advisories", "older.json"]);
    assert!(older.stderr.contains("warning: the previous list was newer: 2026-01-31"), "{}", older.shown());
    let events = bench.ok(&["journal", "query", "--kind", "policy:changed", "--json"]).stdout;
    assert!(events.contains("advisories") && events.contains("2026-01-31"), "{events}");
}

//! Grants of runs with their reasons, and settings of operators.

use crate::daemon::up;
use crate::skill_bench::{SkillBench, example};
use insta::assert_snapshot;
use serde_json::json;

const ID: &str = "palyra.counter_wat";

fn bench() -> SkillBench {
    let bench = SkillBench::new();
    let settings = "\n[operator.config.city]\ntype = \"string\"\n[operator.config.days]\ntype = \"integer\"\ndefault = 3\n";
    let manifest = example("counter-wat") + settings;
    bench.install(&bench.package("counter", &manifest, "counter-wat"), &[]);
    bench
}

#[test]
fn remedy_works_as_pasted() {
    let bench = bench();
    bench.ok(&["plugins", "profile", "set", ID, "--only", "--grant", "channel:alerts"]);
    let run = ["run", "palyra.counter_wat.add", "--json"];
    let denied = bench.palyra(&run);
    assert_eq!(denied.error()["code"], "capability_denied", "{}", denied.shown());
    let grants = bench.json(&["plugins", "grants", ID]);
    let no = grants["derivations"][0]["steps"].as_array().unwrap().last().unwrap();
    assert_eq!((&no["by"], &no["verdict"]), (&json!("profile"), &json!("refused")));
    let remedy = no["remedy"].as_str().unwrap();
    let (words, grant) = remedy.strip_prefix("palyra ").unwrap().split_once(" '").unwrap();
    let mut words: Vec<&str> = words.split(' ').collect();
    words.push(grant.trim_end_matches('\''));
    bench.ok(&words);
    assert_eq!(bench.palyra(&run).code, 0);
    let info = bench.ok(&["plugins", "info", ID]);
    assert!(info.stdout.contains("Declared and used"), "{}", info.shown());
    assert_eq!(bench.json(&["plugins", "profile", "remove", ID])["removed"], true);
    assert_eq!(bench.json(&["plugins", "profile", "show", ID])["revision"], 0);
    let nothing = bench.palyra(&["plugins", "profile", "set", ID]);
    assert_eq!(nothing.code, 2, "{}", nothing.shown());
}

#[test]
fn grants_and_settings_for_people() {
    let bench = bench();
    assert_snapshot!(bench.ok(&["plugins", "grants", ID]).stdout, @"
    storage:counter/ bytes=4KiB
      manifest  yes   the manifest requests it
      consent   yes   consent covers it
      profile   yes   the profile allows it (`palyra.counter_wat`)
      policy    yes   the policy allows it
    ");
    bench.ok(&["plugins", "config", "set", ID, "city=Oslo", "days=5"]);
    assert_snapshot!(bench.ok(&["plugins", "config", "show", ID]).stdout, @"
    SETTING  TYPE     VALUE  FROM  DESCRIPTION
    city     string   Oslo   you
    days     integer  5      you
    ");
    bench.ok(&["plugins", "config", "set", ID, "--unset", "city"]);
    let shown = bench.json(&["plugins", "config", "show", ID]);
    assert_eq!((&shown["fields"][0]["source"], &shown["fields"][1]["value"]), (&json!("missing"), &json!(5)));
    let wrong = bench.palyra(&["plugins", "config", "set", ID, "days=many", "--json"]);
    assert_eq!((wrong.code, &wrong.error()["code"]), (2, &json!("invalid_setting")));
    assert_eq!(bench.ok(&["plugins", "check", ID]).stdout, "a call would start\n");
    assert_eq!(bench.palyra(&["plugins", "info", "palyra.nothing"]).code, 11);
}

#[test]
fn plugins_output_is_the_same_with_and_without_daemon() {
    let bench = bench();
    bench.ok(&["run", "palyra.counter_wat.add"]);
    let told = || {
        let verbs = [&["list"][..], &["info", ID], &["grants", ID], &["check", ID], &["touched", ID]];
        verbs.map(|verb| bench.json(&[&["plugins"], verb].concat()))
    };
    let own = told();
    assert_eq!(own[4]["totals"]["completed"], 1);
    assert!(!own[4]["key_prefixes"].as_array().unwrap().is_empty(), "{}", own[4]);
    let _daemon = up(&bench.environment, &[]);
    assert_eq!(told(), own);
    bench.ok(&["plugins", "config", "set", ID, "city=Oslo"]);
    bench.ok(&["plugins", "profile", "set", ID, "--limit", "fuel=1000000"]);
}

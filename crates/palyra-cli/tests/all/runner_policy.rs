//! `palyra runner-policy`, and inline modules.

use crate::daemon::up;
use crate::environment::TestEnvironment;
use crate::guests::echo;
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn what_is_shown_can_be_set_again() {
    let environment = TestEnvironment::with_state();
    let shown = environment.palyra(&["runner-policy", "show"]);
    assert_snapshot!(shown.shown(), @"
    exit 0
    --- stdout
    enabled=true
    allow_inline_modules=false
    max_module_bytes=100663296
    fuel_budget=most
    max_memory_bytes=536870912
    max_table_elements=1000000
    max_instances=1024
    wall_clock_timeout_ms=600000
    allowed_http_hosts=any
    allowed_secrets=any
    allowed_storage_prefixes=any
    allowed_channels=any
    --- stderr
    this is the default policy
    ");
    let lines: Vec<&str> = shown.stdout.lines().collect();
    let set = environment.palyra(&[&["runner-policy", "set"], &lines[..]].concat());
    assert_eq!((set.code, &set.stdout), (0, &shown.stdout), "{}", set.shown());
    let changed =
        environment.palyra(&["runner-policy", "set", "fuel_budget=7", "allowed_secrets=", "--json"]).json();
    assert_eq!((&changed["policy"]["fuel_budget"], &changed["default"]), (&json!(7), &json!(false)));
    assert_eq!(changed["policy"]["allowed_secrets"], json!([]));
    let off = environment.palyra(&["runner-policy", "set", "enabled=false"]);
    assert!(off.stderr.contains("nothing runs until"), "{}", off.shown());
    let reset = environment.palyra(&["runner-policy", "reset", "--json"]).json();
    assert_eq!(
        (&reset["default"], &reset["schema"]),
        (&json!(true), &json!("palyra.runner_policy.reset/v1"))
    );
    assert_snapshot!(environment.palyra(&["runner-policy", "set", "max_module_bytes=1GiB"]).shown(), @"
    exit 2
    --- stderr
    error: `max_module_bytes` is 1073741824, expected at most 100663296
    ");
    assert_snapshot!(environment.palyra(&["runner-policy", "set", "allowed_channels=a b"]).shown(), @"
    exit 2
    --- stderr
    error: `allowed_channels` is `a b`, expected names: invalid channel name `a b`: expected `[a-z0-9][a-z0-9._-]*`, at most 64 bytes
    ");
}

#[test]
fn a_module_runs_inline_where_the_policy_allows_it() {
    let environment = TestEnvironment::with_state();
    environment.write("echo.wat", echo());
    let call = ["run", "--module", "echo.wat", "--inline", "--input", "{\"n\":1}"];
    assert_snapshot!(environment.palyra(&call).shown(), @"
    exit 10
    --- stderr
    error: running inline modules is disabled
    hint: ask an operator to allow it with `palyra runner-policy set allow_inline_modules=true`
    ");
    assert_eq!(environment.palyra(&["runner-policy", "set", "allow_inline_modules=true"]).code, 0);
    let own = environment.palyra(&[&call[..], &["--json"]].concat()).json();
    assert_eq!((&own["result"], &own["skill_id"]), (&json!({ "n": 1 }), &json!("inline")));
    let daemon = up(&environment, &[]);
    let remote = environment.palyra(&[&call[..], &["--json"]].concat()).json();
    assert_eq!((&remote["result"], &remote["payload"]), (&own["result"], &own["payload"]));
    let receipt = ["runs", "receipt", remote["run_id"].as_str().unwrap(), "--out", "run.json"];
    assert_eq!(environment.palyra(&receipt).code, 0);
    assert_eq!(environment.palyra(&["runs", "receipt", "--verify", "run.json"]).code, 0);
    assert_snapshot!(environment.palyra(&[&call[..], &["--grant", "storage:a/"]].concat()).shown(), @"
    exit 13
    --- stderr
    error: invalid input: an inline module never gets storage to write to
    hint: make it a skill with `palyra skills package build`, then install it
    ");
    let counter = include_str!("../../../../examples/skills/counter-wat/guest.wat");
    environment.write("counter.wat", counter);
    let denied = environment.palyra(&["run", "--module", "counter.wat", "--inline"]);
    assert!(denied.code == 16 && denied.stderr.contains("hint: make it a skill with"), "{}", denied.shown());
    assert!(!denied.stderr.contains("--grant"), "{}", denied.stderr);
    let secret = environment.palyra(&[&call[..], &["--secret", "a=-"]].concat());
    assert_eq!(secret.code, 2, "{}", secret.shown());
    // The audit policy is read from the daemon as well.
    assert_eq!(environment.palyra(&["audit-policy", "show", "--json"]).json()["default"], true);
    environment.write("policy.toml", "version = 3\n");
    assert_eq!(environment.palyra(&["audit-policy", "set", "policy.toml", "--json"]).json()["version"], 3);
    assert_eq!(environment.palyra(&["audit-policy", "reset", "--json"]).json()["version"], 1);
    drop(daemon);
}

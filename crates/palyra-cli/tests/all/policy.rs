//! `palyra policy`.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;

#[test]
fn a_policy_is_shown_changed_asked_and_taken_back() {
    let environment = TestEnvironment::with_state();
    let shown = environment.palyra(&["policy", "show"]);
    assert_eq!(shown.code, 0, "{}", shown.shown());
    assert!(shown.stdout.starts_with("// The default policy."), "{}", shown.stdout);
    assert!(shown.stderr.contains("the default policy, 14 rules"), "{}", shown.stderr);
    let rule = "@id(\"no-ci-installs\")\n@advice(\"ci installs nothing\")\n\
        forbid (principal == Principal::\"token/ci\", action == Action::\"install\", resource);\n";
    environment.write("own.cedar", format!("{}\n{rule}", shown.stdout));
    let set = environment.palyra(&["policy", "set", "own.cedar", "--json"]).json();
    assert_eq!((&set["schema"], &set["default"]), (&"palyra.policy.set/v1".into(), &false.into()));
    assert_eq!(set["rules"][14]["id"], "no-ci-installs");
    let check = ["policy", "check", "install", "--as", "token/ci", "--scope", "operate"];
    assert_snapshot!(environment.palyra(&check).shown());
    assert_eq!(environment.palyra(&check).code, 4, "a denial is an exit code");
    let unasked = environment.palyra(&["policy", "reset"]);
    assert!(unasked.code == 2 && unasked.stderr.contains("add `--yes`"), "{}", unasked.shown());
    assert_eq!(environment.palyra(&["policy", "reset", "--yes", "--json"]).json()["removed"], true);
    assert_eq!(environment.palyra(&[&check[..], &["--json"]].concat()).json()["allowed"], true);
    assert_eq!(environment.palyra(&["policy", "reset", "--json"]).json()["removed"], false);
}

#[test]
fn check_uses_the_scopes_of_the_token() {
    let environment = TestEnvironment::with_state();
    assert_eq!(environment.palyra(&["tokens", "add", "ci2", "--scope", "invoke"]).code, 0);
    let check = |who: &str| environment.palyra(&["policy", "check", "invoke", "--as", who, "--json"]);
    let allowed = environment.palyra(&["policy", "check", "read", "--as", "token/ci2"]);
    assert_eq!(allowed.code, 4, "{}", allowed.shown());
    assert!(allowed.stdout.contains("invoke"), "{}", allowed.stdout);
    let unknown = check("token/ci3");
    assert_eq!(unknown.code, 11, "{}", unknown.shown());
    assert!(unknown.stdout.contains("--scope") || unknown.stderr.contains("--scope"), "{}", unknown.shown());
}

#[test]
fn what_is_no_policy_is_refused_with_its_place() {
    let environment = TestEnvironment::with_state();
    environment.write("bad.cedar", "\n  permit (principal, action, resource);\n");
    environment.write("shut.cedar", "// nobody does anything\n");
    let refusals: Vec<String> = ["bad.cedar", "shut.cedar", "none.cedar"]
        .map(|file| environment.palyra(&["policy", "set", file]).shown())
        .into();
    assert_snapshot!(refusals.join("\n"));
    let words = environment.palyra(&["policy", "check", "fly"]);
    assert_eq!(words.code, 2, "{}", words.shown());
    assert!(words.stderr.contains("choose from read, invoke"), "{}", words.stderr);
}

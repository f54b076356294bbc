//! The choice of a component's tool.

use crate::environment::TestEnvironment;
use crate::guests::{described, describing, undescribed};
use insta::assert_snapshot;

#[test]
fn the_only_tool_needs_no_name() {
    let environment = TestEnvironment::new();
    environment.write("one.wasm", described(&["words.count"]));
    let json = environment.run("one.wasm", &["--input", "[1]", "--json"]).json();
    assert_eq!((&json["tool"], &json["result"]), (&"words.count".into(), &serde_json::json!([1])));
    assert_eq!(json["module"]["kind"], "component");
    assert_eq!(environment.run("one.wasm", &["--tool", "words.count"]).code, 0);
}

#[test]
fn one_of_several_must_be_named() {
    let environment = TestEnvironment::new();
    environment.write("two.wasm", described(&["words.count", "words.split"]));
    assert_snapshot!(environment.run("two.wasm", &[]).shown(), @"
    exit 2
    --- stderr
    error: this component has 2 tools: choose one
    hint: --tool words.count
    hint: --tool words.split
    ");
    assert_eq!(
        environment.run("two.wasm", &["--tool", "words.split", "--json"]).json()["tool"],
        "words.split"
    );
}

#[test]
fn a_component_that_does_not_describe_itself() {
    let environment = TestEnvironment::new();
    environment.write("silent.wasm", undescribed());
    assert_snapshot!(environment.run("silent.wasm", &[]).shown(), @"
    exit 2
    --- stderr
    error: this component does not describe its tools
    hint: choose one with `--tool`
    ");
    assert_eq!(
        environment.run("silent.wasm", &["--tool", "any.thing", "--json"]).json()["tool"],
        "any.thing"
    );
    assert_snapshot!(environment.run("silent.wasm", &["--export", "invoke"]).shown(), @"
    exit 2
    --- stderr
    error: `--export` is for core modules, and this is a component
    hint: choose one of its tools with `--tool`
    ");
}

#[test]
fn a_description_that_is_none() {
    let environment = TestEnvironment::new();
    environment.write("odd.wasm", describing("[]"));
    environment.write("broken.wasm", describing("{"));
    environment.write("empty.wasm", described(&[]));
    assert_snapshot!(environment.run("odd.wasm", &[]).shown(), @"
    exit 2
    --- stderr
    error: this component has no tool
    ");
    assert_snapshot!(environment.run("broken.wasm", &[]).shown(), @"
    exit 14
    --- stderr
    error: the module cannot describe its tools: invalid output of the tool: it is not JSON: EOF while parsing an object at line 1 column 1
    hint: choose the tool with `--tool`
    ");
    assert_snapshot!(environment.run("empty.wasm", &[]).shown(), @"
    exit 2
    --- stderr
    error: this component has no tool
    ");
    assert_snapshot!(environment.run("broken.wasm", &["--tool", "a.b"]).shown(), @"
    exit 0
    --- stdout
    {}
    --- stderr
    warning: the module cannot describe its tools: invalid output of the tool: it is not JSON: EOF while parsing an object at line 1 column 1
    a.b finished in [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code from the cache in [TIME]
    ");
}

#[test]
fn ids_of_a_hostile_guest_stay_on_their_line() {
    let environment = TestEnvironment::new();
    environment.write("hostile.wasm", described(&["a\\u001b[2Jb", "c\\nd"]));
    assert_snapshot!(environment.run("hostile.wasm", &[]).shown(), @r"
    exit 2
    --- stderr
    error: this component has 2 tools: choose one
    hint: --tool a\u{1b}[2Jb
    hint: --tool c\u{a}d
    ");
}

#[test]
fn module_shows_what_it_describes() {
    let environment = TestEnvironment::new();
    environment.write("one.wasm", described(&["words.count"]));
    let shown = environment.palyra(&["run", "--module", "one.wasm", "--describe"]);
    assert_eq!(shown.code, 0, "{}", shown.shown());
    assert!(shown.stdout.contains("\"id\": \"words.count\""), "{}", shown.stdout);
    let document = environment.palyra(&["run", "--module", "one.wasm", "--describe", "--json"]).json();
    assert_eq!(document["description"]["tools"][0]["id"], "words.count");
    environment.write("silent.wasm", undescribed());
    let silent = environment.palyra(&["run", "--module", "silent.wasm", "--describe"]);
    assert_eq!(silent.code, 2, "{}", silent.shown());
}

//! Which tool of a component is called.

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
    assert_snapshot!(environment.run("two.wasm", &[]).shown(), @"");
    assert_eq!(environment.run("two.wasm", &["--tool", "words.split", "--json"]).json()["tool"], "words.split");
}

#[test]
fn a_component_that_does_not_describe_itself() {
    let environment = TestEnvironment::new();
    environment.write("silent.wasm", undescribed());
    assert_snapshot!(environment.run("silent.wasm", &[]).shown(), @"");
    assert_eq!(environment.run("silent.wasm", &["--tool", "any.thing", "--json"]).json()["tool"], "any.thing");
    assert_snapshot!(environment.run("silent.wasm", &["--export", "invoke"]).shown(), @"");
}

#[test]
fn a_description_that_is_none() {
    let environment = TestEnvironment::new();
    environment.write("odd.wasm", describing("[]"));
    environment.write("broken.wasm", describing("{"));
    environment.write("empty.wasm", described(&[]));
    assert_snapshot!(environment.run("odd.wasm", &[]).shown(), @"");
    assert_snapshot!(environment.run("broken.wasm", &[]).shown(), @"");
    assert_snapshot!(environment.run("empty.wasm", &[]).shown(), @"");
    assert_snapshot!(environment.run("broken.wasm", &["--tool", "a.b"]).shown(), @"");
}

#[test]
fn ids_of_a_hostile_guest_stay_on_their_line() {
    let environment = TestEnvironment::new();
    environment.write("hostile.wasm", described(&["a\\\\u001b[2Jb", "c\\\\nd"]));
    assert_snapshot!(environment.run("hostile.wasm", &[]).shown(), @"");
}

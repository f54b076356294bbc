//! The program: results on stdout, messages and errors on stderr.

use palyra_plugins_guestkit::inspect_wasm;
use wit_component::{StringEncoding, embed_component_metadata};

use crate::sandbox::{Sandbox, text};

#[test]
fn build_all_finds_guests_of_the_current_project() {
    let sandbox = Sandbox::new();
    let built = sandbox.guestkit(&["build-all", "--json"]);
    assert!(built.status.success(), "{}", text(&built.stderr));
    let document: serde_json::Value = serde_json::from_slice(&built.stdout).unwrap();
    assert_eq!(document["guests"][0]["name"], "tiny");
    assert_eq!(document["guests"][0]["kind"], "module");
    assert_eq!(document["guests"][0]["from_cache"], false);
    assert!(text(&built.stderr).contains("building tiny (wat)"));
    assert!(sandbox.path("target/guests/tiny.wasm").is_file());

    let again = sandbox.guestkit(&["build", "tests/guests/tiny"]);
    assert!(text(&again.stdout).contains("unchanged"), "{}", text(&again.stdout));
    assert!(again.stderr.is_empty());
}

#[test]
fn a_core_module_with_wit_becomes_a_component() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("core.wasm"), tiny_core_module()).unwrap();
    let encoded = sandbox.guestkit(&["component", "core.wasm", "component.wasm"]);
    assert!(encoded.status.success(), "{}", text(&encoded.stderr));
    let shape = inspect_wasm(&std::fs::read(sandbox.path("component.wasm")).unwrap()).unwrap();
    assert_eq!(shape.exports, ["add"]);
}

#[test]
fn a_core_module_without_wit_is_refused_with_a_hint() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("core.wasm"), wat::parse_str("(module)").unwrap()).unwrap();
    let refused = sandbox.guestkit(&["component", "core.wasm", "component.wasm"]);
    assert!(!refused.status.success());
    let message = text(&refused.stderr);
    assert!(message.contains("component-type section") && message.contains("hint: "), "{message}");
    assert!(!sandbox.path("component.wasm").exists());
}

#[test]
fn bindings_for_c_are_listed_on_stdout() {
    let sandbox = Sandbox::new();
    sandbox.write("t.wit", "package t:t; world w { export f: func(); }");
    let written = sandbox.guestkit(&["c-bindings", "t.wit", "w", "bindings"]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    for line in text(&written.stdout).lines() {
        assert!(sandbox.path(line).is_file(), "{line}");
    }
    assert!(sandbox.path("bindings/w.h").is_file());
}

#[test]
fn a_bad_description_is_an_error_with_its_cause() {
    let sandbox = Sandbox::new();
    sandbox.write("tests/guests/tiny/guest.toml", "lang = \"cobol\"\nname = \"tiny\"\n");
    let refused = sandbox.guestkit(&["build-all"]);
    assert!(!refused.status.success() && refused.stdout.is_empty());
    let message = text(&refused.stderr);
    assert!(message.contains("guest.toml") && message.contains("cobol"), "{message}");
}

#[test]
fn the_doctor_answers_in_json_too() {
    let sandbox = Sandbox::new();
    let answer = sandbox.guestkit(&["doctor", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert!(document["findings"].as_array().unwrap().iter().all(|finding| finding["works"].is_boolean()));
    assert!(text(&sandbox.guestkit(&["doctor"]).stdout).contains("rust: rustup"));
}

fn tiny_core_module() -> Vec<u8> {
    let mut resolve = wit_parser::Resolve::default();
    let wit = "package t:t; world w { export add: func(a: u32, b: u32) -> u32; }";
    let package = resolve.push_str("t.wit", wit).unwrap();
    let world = resolve.select_world(&[package], None).unwrap();
    let text =
        r#"(module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))"#;
    let mut core = wat::parse_str(text).unwrap();
    embed_component_metadata(&mut core, &resolve, world, StringEncoding::UTF8).unwrap();
    core
}

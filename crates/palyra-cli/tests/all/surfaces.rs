//! Documents of tools, on a terminal and in a pipe.

use crate::person::{Typing, at_terminal};
use crate::skill_bench::SkillBench;
use serde_json::{Value, json};

/// A module that returns its input.
const ECHO: &str = r#"(module
    (import "palyra:plugin/io@1.0.0" "input-length" (func $length (result i32)))
    (import "palyra:plugin/io@1.0.0" "input-read" (func $read (param i32 i32 i32) (result i32)))
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (memory (export "memory") 2)
    (func (export "palyra_plugin_main") (result i32)
        (drop (call $read (i32.const 0) (i32.const 0) (call $length)))
        (drop (call $write (i32.const 0) (call $length)))
        (i32.const 0)))"#;
const MANIFEST: &str = r#"manifest_version = 1
skill_id = "palyra.forms"
name = "Forms"
version = "0.1.0"
publisher = "palyra"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "palyra.forms.show"
name = "Show"
description = "Shows the document it is given"
module = "modules/forms.wasm"
returns = "a2ui"
input_schema = { type = "object" }
output_schema = { type = "object" }

[[entrypoints.tools]]
id = "palyra.forms.book"
name = "Book"
description = "Returns the booking it is given"
module = "modules/forms.wasm"
input_schema = { type = "object" }
output_schema = { type = "object" }
"#;

fn bench() -> SkillBench {
    let bench = SkillBench::new();
    std::fs::create_dir_all(bench.environment.path("forms/modules")).unwrap();
    bench.environment.write("forms/modules/forms.wasm", wat::parse_str(ECHO).unwrap());
    bench.environment.write("forms/skill.toml", MANIFEST);
    let file = "forms.palyra-skill";
    bench.ok(&["skills", "package", "build", "forms", "--out", file, "--signing-key-vault-ref", "release"]);
    bench.install(file, &[]);
    bench
}

fn document() -> Value {
    let rows = json!([{ "room": "blue", "beds": 2 }, { "room": "green", "beds": 1 }]);
    let columns =
        json!([{ "key": "room", "label": "Room" }, { "key": "beds", "label": "Beds", "type": "number" }]);
    let fields = json!([
        { "name": "room", "type": "select", "label": "Which room", "required": true, "options": ["blue", "green"] },
        { "name": "nights", "type": "number", "label": "Nights", "required": true, "min": 1, "max": 30 },
        { "name": "code", "type": "secret", "label": "Door code" },
    ]);
    json!({ "v": 1, "surface": "booking", "components": [
        { "id": "rooms", "type": "table", "props": { "columns": columns, "rows": rows } },
        { "id": "f", "type": "form", "props": { "tool": "palyra.forms.book", "submit_label": "Book",
            "fields": fields } } ] })
}

#[test]
fn run_draws_a_document_and_asks_for_the_fields_of_its_form() {
    let bench = bench();
    let input = document().to_string();
    let run = ["run", "palyra.forms.show", "--input", &input];
    let typing = [
        Typing::Shown("Which room {", "2"),
        Typing::Shown("Nights (1 to 30)", "99"),
        Typing::Shown("Nights (1 to 30)", "3"),
        Typing::Hidden("Door code", "canary-4711"),
        Typing::Shown("Book? [y = yes, e = edit, N = no] ", "y"),
    ];
    let seen = at_terminal(&bench.environment, &run, &typing);
    assert_eq!(seen.code, 0, "{}", seen.shown);
    for shown in
        ["Room", "green", "the values go to `palyra.forms.book`", "\"nights\": 3", "skill:palyra.forms/code"]
    {
        assert!(seen.shown.contains(shown), "{shown} is not in {}", seen.shown);
    }
    assert!(!seen.shown.contains("canary") && !seen.shown.contains("\"components\""), "{}", seen.shown);
    let declined = at_terminal(
        &bench.environment,
        &run,
        &[
            Typing::Shown("Which room {", "blue"),
            Typing::Shown("Nights (1 to 30)", "1"),
            Typing::Hidden("Door code", ""),
            Typing::Shown("Book? [y = yes, e = edit, N = no] ", ""),
        ],
    );
    assert_eq!((declined.code, declined.shown.matches("green").count() > 0), (0, true), "{}", declined.shown);
    let listed = bench.json(&["surfaces", "list"]);
    let submitted: Vec<bool> = listed["surfaces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.get("submitted").is_some_and(|form| !form.is_null()))
        .collect();
    assert_eq!(submitted, [false, true], "the newest was declined");
}

#[test]
fn pipe_gets_json_and_a_script_submits_values() {
    let bench = bench();
    let input = document().to_string();
    let piped = bench.ok(&["run", "palyra.forms.show", "--input", &input]);
    assert_eq!(serde_json::from_str::<Value>(&piped.stdout).unwrap(), document());
    let called = bench.json(&["run", "palyra.forms.show", "--input", &input]);
    let id = called["surface_id"].as_str().unwrap();
    let drawn = bench.ok(&["surfaces", "show", id]).stdout;
    assert!(drawn.contains("Nights") && drawn.contains("[Book]"), "{drawn}");
    let refused = bench.palyra(&["surfaces", "submit", id, "--json"]);
    assert_eq!((refused.code, &refused.error()["code"]), (2, &json!("usage")), "{}", refused.shown());
    let bad = bench.palyra(&["surfaces", "submit", id, "--values", "{\"nights\": 3}", "--json"]);
    assert_eq!(bad.error()["code"], "invalid_input", "{}", bad.shown());
    let values = ["surfaces", "submit", id, "--values", "{\"room\": \"blue\", \"nights\": 2}"];
    assert_eq!(bench.json(&values)["result"], json!({ "room": "blue", "nights": 2 }));
    let again = bench.palyra(&[&values[..], &["--json"]].concat());
    assert_eq!(again.error()["code"], "already_decided", "{}", again.shown());
}

//! A skill with one hook for each behaviour.

use palyra_state::State;
use palyra_testkit::build;

/// The hooks, each with the body of its function.
const HOOKS: [(&str, &str); 9] = [
    ("agree", "(call $say (i32.const 0) (i32.const 10))"),
    ("block", "(call $say (i32.const 32) (i32.const 21))"),
    ("ask", "(call $say (i32.const 64) (i32.const 32))"),
    ("remark", "(call $say (i32.const 128) (i32.const 19))"),
    ("nonsense", "(call $say (i32.const 192) (i32.const 14))"),
    ("silent", ""),
    ("trap", "unreachable"),
    ("spin", "(loop (br 0))"),
    ("fail", "(return (i32.const 7))"),
];

fn module() -> String {
    let functions: String = HOOKS
        .iter()
        .map(|(name, body)| format!("(func (export \"on_{name}\") (result i32) {body} (i32.const 0))\n"))
        .collect();
    format!(
        r#"(module
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "\"continue\"")
    (data (i32.const 32) "{{\"block\":\"not today\"}}")
    (data (i32.const 64) "{{\"request_approval\":\"ask first\"}}")
    (data (i32.const 128) "{{\"annotate\":\"seen\"}}")
    (data (i32.const 192) "{{\"allow\":true}}")
    (func $say (param i32 i32) (drop (call $write (local.get 0) (local.get 1))))
    {functions})"#
    )
}

fn manifest() -> String {
    let mut text = String::from(
        r#"manifest_version = 1
skill_id = "acme.watch"
name = "Watch"
version = "1.0.0"
publisher = "acme"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[capabilities.quotas]
fuel_budget = 5000000000
"#,
    );
    let events: Vec<String> =
        palyra_skills::manifest::HOOK_EVENTS.iter().map(|event| format!("\"{event}\"")).collect();
    for (name, _) in HOOKS {
        text.push_str(&format!(
            "\n[[entrypoints.hooks]]\nid = \"acme.watch.{name}\"\nmodule = \"modules/watch.wasm\"\nexport = \"on_{name}\"\nevents = [{}]\n",
            events.join(", ")
        ));
    }
    text
}

/// Installs `acme.watch` with consent.
pub(crate) fn install(state: &State) {
    let (manifest, module) = (manifest(), wat::parse_str(module()).unwrap());
    let outcome = palyra_testkit::install(state, &build(&manifest, &[("modules/watch.wasm", &module)], 1));
    assert_eq!(
        outcome.status,
        palyra_skills::RuntimeStatus::Active,
        "{:?}",
        outcome.audit.map(|audit| audit.findings)
    );
}

//! A skill with one tool for each way a call can end.

use palyra_skills::{Sha256Digest, capability_digest};
use palyra_state::{InstallOptions, State};
use palyra_testkit::agree;

pub(crate) use palyra_testkit::ECHO;

const TRAP: &str =
    r#"(module (memory (export "memory") 1) (func (export "palyra_plugin_main") (result i32) unreachable))"#;
const SPIN: &str = r#"(module (memory (export "memory") 1)
    (func (export "palyra_plugin_main") (result i32) (loop (br 0)) (i32.const 0)))"#;
const FAIL: &str = r#"(module (memory (export "memory") 1) (func (export "palyra_plugin_main") (result i32) (i32.const 7)))"#;
const SILENT: &str = r#"(module (memory (export "memory") 1) (func (export "palyra_plugin_main") (result i32) (i32.const 0)))"#;

const SAY: &str = r#"(module
    (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "{\"op\":\"log.write\",\"level\":\"info\",\"message\":\"one\"}")
    (data (i32.const 100) "{\"op\":\"log.write\",\"level\":\"info\",\"message\":\"two\"}")
    (data (i32.const 200) "{\"op\":\"log.write\",\"level\":\"info\",\"message\":\"six\"}")
    (data (i32.const 300) "{}")
    (func (export "palyra_plugin_main") (result i32)
        (drop (call $call (i32.const 0) (i32.const 49)))
        (drop (call $call (i32.const 100) (i32.const 49)))
        (drop (call $call (i32.const 200) (i32.const 49)))
        (drop (call $write (i32.const 300) (i32.const 2)))
        (i32.const 0)))"#;

const TOOLS: [(&str, &str, &str); 7] = [
    ("echo", ECHO, ""),
    ("trap", TRAP, ""),
    ("spin", SPIN, ""),
    ("fail", FAIL, ""),
    ("silent", SILENT, ""),
    ("ask", ECHO, "risk = { requires_approval = true }"),
    ("say", SAY, ""),
];

fn manifest(name: &str, quotas: &str) -> String {
    let mut text = format!(
        r#"manifest_version = 1
skill_id = "acme.{name}"
name = "Bench"
version = "1.0.0"
publisher = "acme"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

{quotas}
"#
    );
    for (tool, _, risk) in TOOLS {
        text.push_str(&format!(
            r#"
[[entrypoints.tools]]
id = "acme.{name}.{tool}"
name = "{tool}"
description = "Ends a call in one way."
module = "modules/{tool}.wasm"
input_schema = {{ type = "object", properties = {{ n = {{ type = "integer" }} }} }}
output_schema = {{ type = "object" }}
{risk}
"#
        ));
    }
    text
}

/// Builds a package of `acme.NAME`; returns it with the digest for consent.
pub(crate) fn package(name: &str, quotas: &str, release: u32) -> (Vec<u8>, Sha256Digest) {
    let manifest = manifest(name, quotas)
        .replace("version = \"1.0.0\"", &format!("version = \"{release}.0.0\""))
        .replace("release_counter = 1", &format!("release_counter = {release}"));
    let modules: Vec<(String, Vec<u8>)> = TOOLS
        .iter()
        .map(|(tool, wat, _)| (format!("modules/{tool}.wasm"), wat::parse_str(wat).unwrap()))
        .collect();
    build(&manifest, &modules)
}

/// Builds a package of any manifest and modules; returns it with the digest for consent.
pub(crate) fn build(manifest: &str, modules: &[(String, Vec<u8>)]) -> (Vec<u8>, Sha256Digest) {
    let modules: Vec<_> = modules.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    let built = palyra_testkit::build(manifest, &modules, 1);
    (built.bytes.to_vec(), capability_digest(&built.manifest))
}

/// Installs `acme.NAME` with consent.
pub(crate) fn install(state: &State, name: &str, quotas: &str) {
    let (bytes, digest) = package(name, quotas, 1);
    let options =
        InstallOptions { allow_tofu: true, consent: Some(agree(digest)), ..InstallOptions::default() };
    state.skills().install(bytes, &options, "owner", &mut |_| {}).unwrap_or_else(|error| panic!("{error}"));
}

//! Signed skills of a given size, and state roots with them installed.

use anyhow::{Context, Result};
use palyra_skills::signing::SkillSigningKey;
use palyra_skills::{BuildRequest, BuiltArtifact, Platform, build_signed_skill_artifact};

const GUEST: &str = r#"(module
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "{}")
    (func (export "palyra_plugin_main") (result i32)
        (drop (call $write (i32.const 0) (i32.const 2))) (i32.const 0)))"#;

/// Returns the key that signs the releases.
pub fn signing_key() -> SkillSigningKey {
    SkillSigningKey::from_seed(&zeroize::Zeroizing::new([7; 32]))
}

/// Returns the platform the releases are verified for.
pub fn platform() -> Platform {
    Platform { palyra_version: semver::Version::new(0, 1, 0), protocol_major: 1, nodes: Default::default() }
}

/// Builds release `number` of a skill whose assets have this many bytes, different ones in each release.
pub fn release(number: u64, bytes: usize) -> Result<BuiltArtifact> {
    let manifest = format!(
        r#"manifest_version = 1
skill_id = "bench.notes"
name = "Notes"
version = "1.{number}.0"
publisher = "bench"
release_counter = {number}

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "bench.notes.add"
name = "Add"
description = "Keeps short notes."
module = "modules/notes.wasm"
input_schema = {{ type = "object" }}
output_schema = {{ type = "object" }}
"#
    );
    let (module, asset, key) = (wat::parse_str(GUEST)?, noise(number, bytes), signing_key());
    let request = BuildRequest {
        manifest_toml: &manifest,
        modules: vec![("modules/notes.wasm", &module)],
        assets: vec![("assets/data.bin", &asset)],
        signers: vec![&key],
        ..BuildRequest::default()
    };
    build_signed_skill_artifact(&request).context("a release cannot be built")
}

/// Returns incompressible bytes.
fn noise(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..count).map(|_| next()).collect()
}

/// Builds the skill `bench.echoN`, with tools that return their input, all in one module.
pub fn echo(module: &[u8], number: usize, tools: usize) -> Result<BuiltArtifact> {
    let mut manifest = format!(
        r#"manifest_version = 1
skill_id = "bench.echo{number}"
name = "Echo"
version = "1.0.0"
publisher = "bench"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"
"#
    );
    for tool in 0..tools {
        manifest.push_str(&echo_tool(number, tool));
    }
    let key = signing_key();
    let request = BuildRequest {
        manifest_toml: &manifest,
        modules: vec![("modules/echo.wasm", module)],
        signers: vec![&key],
        ..BuildRequest::default()
    };
    build_signed_skill_artifact(&request).context("a skill cannot be built")
}

/// Returns the manifest of an echo tool with typical schemas: every member is typed, most are required.
fn echo_tool(number: usize, tool: usize) -> String {
    let schema = r#"{ type = "object", required = ["id", "title", "text"], additionalProperties = false, properties = { id = { type = "integer", minimum = 0 }, title = { type = "string", maxLength = 200 }, tags = { type = "array", items = { type = "string" } }, text = { type = "string" } } }"#;
    format!(
        r#"
[[entrypoints.tools]]
id = "bench.echo{number}.tool{tool}"
name = "Echo {number} {tool}"
description = "Returns its input."
module = "modules/echo.wasm"
input_schema = {schema}
output_schema = {schema}
"#
    )
}

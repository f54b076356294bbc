//! A skill with one tool for each kind of capability.

use crate::guests::RELAY;
use crate::skill_bench::SkillBench;

pub(super) const RELAY_ID: &str = "acme.relay";

/// Host calls of each tool in the form of `guests::calls`; the first one asks for the name, so that a denial contains
/// it.
const TOOLS: [(&str, &str); 7] = [
    (
        "http",
        "{'op':'host-capabilities.find','kind':'http','name':'https://api.invalid/x'}|\
         {'op':'http.send','handle':#,'request':{'method':'GET','url':'https://api.invalid/x'}}",
    ),
    (
        "secret",
        "{'op':'host-capabilities.find','kind':'secret','name':'global/token'}|{'op':'secrets.reveal','handle':$}",
    ),
    (
        "storage",
        "{'op':'host-capabilities.find','kind':'storage','name':'notes/'}|\
         {'op':'storage.put','handle':&,'key':'a','value_text':'x'}",
    ),
    (
        "channel",
        "{'op':'host-capabilities.find','kind':'channel','name':'alerts'}|\
         {'op':'channels.publish','handle':!,'content_type':'text/plain','body_text':'x'}",
    ),
    ("fuel", "{'op':'host-capabilities.count','kind':'channel'}"),
    ("long", "{'op':'host-capabilities.count','kind':'channel'}"),
    ("asks", "{'op':'host-capabilities.count','kind':'channel'}"),
];

const CAPABILITIES: &str = r#"
[capabilities]
storage_prefixes = ["notes/"]
channels = ["alerts"]

[[capabilities.http_rules]]
host = "api.invalid"
methods = ["GET"]

[[capabilities.secrets]]
scope = "global"
key_names = ["token"]
hosts = ["api.invalid"]
reveal = true
"#;

/// Quotas that are enough for every tool but the long one.
const NOTHING: &str = "\n[capabilities.quotas]\nfuel_budget = 100000\n";

/// Creates a state root with the secret and the channel that the skill uses.
pub(super) fn relay_bench() -> SkillBench {
    let bench = SkillBench::new();
    let put = bench.environment.palyra_with_input(&["vault", "put", "global/token"], b"5f0c1a9be27d4836b1");
    assert_eq!(put.code, 0, "{}", put.shown());
    bench
}

/// Builds a signed package of a release: complete, or without a capability and with little fuel.
pub(super) fn package(bench: &SkillBench, version: &str, release_counter: u32, whole: bool) -> String {
    let name = format!("relay-{version}");
    let modules = bench.environment.path(&name).join("modules");
    std::fs::create_dir_all(&modules).unwrap();
    let mut manifest = format!(
        r#"manifest_version = 1
skill_id = "{RELAY_ID}"
name = "Relay"
version = "{version}"
publisher = "acme"
release_counter = {release_counter}

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"
"#
    );
    for (tool, calls) in TOOLS {
        let rounds = if tool == "long" { 100_000 } else { 1 };
        std::fs::write(modules.join(format!("{tool}.wasm")), module(calls, rounds)).unwrap();
        let risk = if tool == "asks" { "risk = { requires_approval = true }\n" } else { "" };
        manifest.push_str(&format!(
            r#"
[[entrypoints.tools]]
id = "{RELAY_ID}.{tool}"
name = "{tool}"
description = "Makes the host calls of one kind"
module = "modules/{tool}.wasm"
export = "palyra_plugin_main"
input_schema = {{ type = "object" }}
output_schema = {{ type = "object" }}
{risk}"#
        ));
    }
    manifest.push_str(if whole { CAPABILITIES } else { NOTHING });
    bench.environment.write(&format!("{name}/skill.toml"), manifest);
    let file = format!("{name}.palyra-skill");
    bench.ok(&["skills", "package", "build", &name, "--out", &file, "--signing-key-vault-ref", "release"]);
    file
}

/// Installs the release with all permissions, and consents to it.
pub(super) fn install(bench: &SkillBench, secrets: &[&str]) {
    bench.install(&package(bench, "1.0.0", 1, true), secrets);
}

/// Installs the release with all permissions as an update, and consents to it.
pub(super) fn install_next(bench: &SkillBench) {
    let file = package(bench, "2.0.0", 2, true);
    let waiting = bench.json(&["skills", "update", &file]);
    bench.agree(RELAY_ID, &waiting, &["global/token"]);
}

/// Returns the relay with its requests embedded, so that its input can be any object, and this many loop iterations
/// before them.
fn module(calls: &str, rounds: u32) -> Vec<u8> {
    let input = "(local.set $end (i32.sub (call $input_read (i32.const 0) (i32.const 0) (i32.const 65536)) (i32.const 1)))";
    assert!(RELAY.contains(input));
    let end = calls.len() + 1;
    let turn = format!(
        "(loop $turn (local.set $byte (i32.add (local.get $byte) (i32.const 1)))
           (br_if $turn (i32.lt_u (local.get $byte) (i32.const {rounds}))))"
    );
    let data = format!("(memory (export \"memory\") 4)\n  (data (i32.const 1) \"{calls}\")");
    let text = RELAY
        .replace(input, &format!("{turn} (local.set $end (i32.const {end}))"))
        .replace("(memory (export \"memory\") 4)", &data);
    wat::parse_str(text).unwrap()
}

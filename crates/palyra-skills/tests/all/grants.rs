//! Grants made from a manifest, their digest and their descriptions.

use palyra_common::{Capability, CapabilityGrantSet};
use palyra_skills::grants::{
    PermissionSeverity, canonical_capabilities, capability_digest, capability_grants_from_manifest,
    describe_permissions, limits_from_manifest,
};
use palyra_skills::{SkillManifest, model_text_digest, model_visible_text, parse_manifest_toml};
use proptest::prelude::*;

use crate::corpus::{honest_manifests, manifest_with};

fn parse(text: &str) -> SkillManifest {
    parse_manifest_toml(text).unwrap_or_else(|error| panic!("{}", error.render()))
}

fn corpus_manifest(name: &str) -> SkillManifest {
    parse(&honest_manifests().into_iter().find(|(known, _)| known == name).unwrap().1)
}

const EVERYTHING: &str = r#"
[capabilities]
http_egress_allowlist = ["api.github.com", "bücher.example", "*.example.com"]
wildcard_opt_in = true
storage_prefixes = ["cache/"]
storage_quota_bytes = 1048576
channels = ["alerts"]
device_capabilities = ["camera"]

[[capabilities.http_rules]]
host = "api.example.com"
methods = ["GET"]
paths = ["/items/*"]
response_bytes = 1048576

[[capabilities.http_rules]]
host = "old.example.org"
scheme = "http"
ports = [8080]

[[capabilities.secrets]]
scope = "global"
key_names = ["github_token"]
hosts = ["api.github.com"]
inject = ["bearer"]

[[capabilities.secrets]]
scope = "skill:acme.notes"
key_names = ["pin"]
reveal = true

[capabilities.filesystem]
read_roots = ["docs"]
write_roots = ["out"]

[capabilities.quotas]
max_memory_bytes = 134217728
fuel_budget = 5000

[[entrypoints.hooks]]
id = "acme.notes.gate"
module = "modules/gate.wasm"
events = ["run:before_tool"]
"#;

#[test]
fn permissions_read_as_sentences() {
    let permissions = describe_permissions(&parse(&manifest_with("", EVERYTHING)));
    let shown: Vec<String> = permissions.iter().map(|p| format!("{:?}: {}", p.severity, p.text)).collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    High: Send any request to http://old.example.org:8080, any path, without encryption
    High: Send any request to https://*.example.com, any path, any value for `*`
    High: Read the secret `skill:acme.notes/pin`
    High: Read, change and remove files in the directory that an operator maps to `out`
    High: Use the device `camera`
    High: See every tool call before it runs, and hold or block it
    Medium: Send any request to https://api.github.com, any path
    Medium: Send any request to https://xn--bcher-kva.example, any path (bücher.example)
    Medium: Send the secret `global/github_token` to api.github.com, as a bearer token; the skill never sees it
    Medium: Publish messages to the channel `alerts`
    Medium: Read files in the directory that an operator maps to `docs`
    Low: Store up to 1MiB of its own data under `cache/`
    Low: Use up to 128MiB memory (default 64MiB)
    ");
    let fuel = parse(&manifest_with("", "[capabilities.quotas]\nfuel_budget = 1000000000"));
    assert_eq!(describe_permissions(&fuel)[0].text, "Use up to 1,000,000,000 fuel (default 10,000,000)");
    assert!(describe_permissions(&corpus_manifest("plain")).is_empty());
    assert!(permissions.iter().any(|permission| permission.severity == PermissionSeverity::High));
}

#[test]
fn the_canonical_form_is_one_text() {
    insta::assert_snapshot!(canonical_capabilities(&parse(&manifest_with("", EVERYTHING))), @"
    palyra.capabilities/v1
    grant http:http://old.example.org:8080
    grant http:https://api.github.com
    grant http:https://xn--bcher-kva.example
    grant http:https://*.example.com
    grant secret:global/github_token hosts=api.github.com inject=bearer
    grant secret:skill:acme.notes/pin reveal
    grant storage:cache/ bytes=1MiB
    grant channel:alerts
    grant fs-read:docs
    grant fs-write:out
    device camera
    limit fuel 5000
    limit memory 134217728
    limit tables 100000
    limit instances 256
    limit timeout 30000
    limit input 1048576
    limit output 4194304
    limit log 262144
    limit host_calls 256
    limit egress 16777216
    wildcard true
    tool acme.notes.run approval=false sensitive=false returns=json
    hook acme.notes.gate run:before_tool
    ");
}

#[test]
fn the_digest_depends_on_what_is_asked_for_and_not_on_how_it_is_written() {
    let digest = |tables: &str| capability_digest(&parse(&manifest_with("", tables)));
    let short = digest("[capabilities]\nhttp_egress_allowlist = [\"b.example.com\", \"A.example.com\"]");
    let long = digest(
        "[[capabilities.http_rules]]\nhost = \"a.example.com\"\nscheme = \"https\"\nports = [443]\npaths = [\"/**\"]\n[[capabilities.http_rules]]\nhost = \"b.example.com\"",
    );
    assert_eq!(short, long);
    assert_ne!(short, digest("[capabilities]\nhttp_egress_allowlist = [\"a.example.com\"]"));
    assert_ne!(digest(""), digest("risk = { requires_approval = true }"));
    assert_ne!(digest(""), digest("[capabilities.quotas]\nfuel_budget = 1"));
    assert_eq!(digest(""), digest("[capabilities.quotas]\nfuel_budget = 10000000"));
    assert_ne!(digest(""), digest("[capabilities.quotas]\nmax_tape_bytes = 1"));
    assert_eq!(digest(""), digest("[capabilities.quotas]\nmax_tape_bytes = 33554432"));
}

#[test]
fn limits_are_those_asked_for() {
    let limits = limits_from_manifest(&corpus_manifest("ocr"));
    assert_eq!(
        (limits.fuel_budget, limits.max_memory_bytes, limits.max_log_bytes),
        (200_000_000, 128 << 20, 256 << 10)
    );
}

#[test]
fn a_table_of_rules_is_one_rule_for_each_port_and_path() {
    let grants = capability_grants_from_manifest(&corpus_manifest("intranet"));
    let shown: Vec<String> = grants.http().iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        ["http://intranet.example:8080 total=64KiB", "http://intranet.example:8081 total=64KiB"]
    );
}

#[test]
fn models_read_names_descriptions_property_names_and_enum_values() {
    let texts: Vec<String> =
        model_visible_text(&corpus_manifest("enums")).into_iter().map(|f| f.text).collect();
    for expected in ["Picks a colour.", "colour", "blue", "What to work on", "Pick", "enums"] {
        assert!(texts.iter().any(|text| text == expected), "{expected}");
    }
    let digest = |text: &str| model_text_digest(&parse(text));
    let plain = manifest_with("", "");
    assert_eq!(digest(&plain), digest(&plain.replace("1.0.0", "1.0.1")));
    assert_ne!(digest(&plain), digest(&plain.replace("What to work on", "What to work on.")));
    assert_ne!(digest(&plain), digest(&plain.replace("text = {", "body = {")));
    assert_ne!(digest(&plain), digest(&plain.replace("name = \"Run\"", "name = \"Go\"")));
}

fn consent() -> impl Strategy<Value = CapabilityGrantSet> {
    let grants: Vec<Capability> = honest_manifests()
        .iter()
        .flat_map(|(_, text)| Vec::<Capability>::from(capability_grants_from_manifest(&parse(text))))
        .chain(
            [
                "http:GET https://api.example.com/items/7",
                "storage:notes/a/",
                "fs-read:thumbnails",
                "channel:other",
            ]
            .map(|g| g.parse().unwrap()),
        )
        .collect();
    prop::collection::vec(prop::sample::select(grants), 0..12).prop_map(|grants| grants.into_iter().collect())
}

proptest! {
    #[test]
    fn grants_never_exceed_manifest_and_consent(index in 0..honest_manifests().len(), consent in consent()) {
        let manifest = parse(&honest_manifests()[index].1);
        let asked = capability_grants_from_manifest(&manifest);
        let granted = asked.intersect(&consent);
        prop_assert!(granted.is_within(&asked) && granted.is_within(&consent));
    }
}

const TWO_TOOLS: &str = r#"
capabilities = { storage_read_prefixes = ["cache/"] }

[[entrypoints.tools]]
id = "acme.notes.more"
name = "More"
description = "More."
module = "modules/notes.wasm"
input_schema = { type = "object" }
output_schema = { }

[capabilities]
storage_prefixes = ["cache/"]
channels = ["alerts"]
"#;

#[test]
fn canonical_form_has_one_line_for_each_tool_that_gets_less() {
    let lines = |tables: &str| -> Vec<String> {
        let text = canonical_capabilities(&parse(&manifest_with("", tables)));
        text.lines().filter(|line| line.starts_with("narrowed ")).map(str::to_owned).collect()
    };
    assert_eq!(lines(TWO_TOOLS), [r#"narrowed acme.notes.run ["storage-read:cache/"]"#]);
    let whole = TWO_TOOLS.replace(
        "storage_read_prefixes = [\"cache/\"]",
        "storage_prefixes = [\"cache/\"], channels = [\"alerts\"]",
    );
    let without = TWO_TOOLS.replace("capabilities = {", "# capabilities = {");
    assert!(lines(&whole).is_empty() && lines(&without).is_empty());
    let digest = |tables: &str| capability_digest(&parse(&manifest_with("", tables)));
    assert_eq!(digest(&whole), digest(&without), "a table that leaves everything narrows nothing");
    assert_ne!(digest(TWO_TOOLS), digest(&without));
    let nothing = TWO_TOOLS.replace("{ storage_read_prefixes = [\"cache/\"] }", "{ }");
    assert_eq!(lines(&nothing), ["narrowed acme.notes.run []"]);
}

#[test]
fn permissions_say_what_a_tool_is_limited_to() {
    let shown = |tables: &str| -> Vec<String> {
        let permissions = describe_permissions(&parse(&manifest_with("", tables)));
        permissions.into_iter().map(|permission| permission.text).collect()
    };
    let limited = "In the tool `acme.notes.run` only: read its own data under `cache/`";
    assert_eq!(shown(TWO_TOOLS).last().map(String::as_str), Some(limited));
    let nothing = TWO_TOOLS.replace("{ storage_read_prefixes = [\"cache/\"] }", "{ }");
    assert_eq!(shown(&nothing).last().unwrap(), "In the tool `acme.notes.run` only: do none of this");
    let reads = shown("[capabilities]\nstorage_read_prefixes = [\"cache/\"]");
    assert_eq!(reads, ["Read its own data under `cache/`"]);
}

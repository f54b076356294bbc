//! `docs/manifest.md` follows from the schema of `skill.toml`, and its examples together are a valid manifest.

use std::fmt::Write as _;
use std::path::Path;

use palyra_skills::manifest::{json_schema, parse_manifest_toml};
use serde_json::Value;

/// The tables of a manifest in reading order: header, definition in the schema, and keys that are tables of their own
/// further down.
const TABLES: [(&str, &str, &[&str]); 12] = [
    ("", "", &["entrypoints", "capabilities", "compat", "operator"]),
    ("[compat]", "Compat", &[]),
    ("[[entrypoints.tools]]", "ToolEntrypoint", &["capabilities", "risk"]),
    ("[entrypoints.tools.risk]", "Risk", &[]),
    ("[entrypoints.tools.capabilities]", "ToolCapabilities", &["filesystem", "http_rules", "secrets"]),
    ("[[entrypoints.hooks]]", "HookEntrypoint", &[]),
    ("[capabilities]", "Capabilities", &["filesystem", "http_rules", "secrets", "quotas"]),
    ("[capabilities.filesystem]", "FilesystemRoots", &[]),
    ("[[capabilities.http_rules]]", "HttpRuleText", &[]),
    ("[[capabilities.secrets]]", "SecretAccess", &[]),
    ("[capabilities.quotas]", "Quotas", &[]),
    ("[operator.config.folder]", "ConfigField", &[]),
];

/// Keys without an example: no value is valid on every machine.
const WITHOUT_EXAMPLE: [&str; 1] = ["device_capabilities"];

const INTRODUCTION: &str = "\
# Manifest reference

Every key of `skill.toml`. This page is generated from the schema in `schemas/json/skill-manifest.schema.json`, which
editors can use for completion; the examples of all tables together are a valid manifest. Unknown keys are errors.
[skills.md](skills.md) shows how a manifest becomes a package.
";

#[test]
fn reference_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manifest.md");
    let schema = json_schema();
    let mut page = INTRODUCTION.to_owned();
    for (header, name, tables) in TABLES {
        section(&mut page, header, definition(&schema, name), tables);
    }
    if std::env::var_os("PALYRA_WRITE_SCHEMAS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "run this test with PALYRA_WRITE_SCHEMAS=1 and commit {}", path.display());
}

#[test]
fn reference_covers_every_table_of_the_schema() {
    let schema = json_schema();
    let covered = |name: &str| TABLES.iter().any(|(_, table, _)| *table == name);
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        // The containers hold only tables.
        let container = ["Entrypoints", "Operator"].contains(&name.as_str());
        assert!(definition["properties"].is_null() || container || covered(name), "{name}");
    }
}

#[test]
fn examples_of_the_schema_are_together_a_valid_manifest() {
    let schema = json_schema();
    let manifest: String =
        TABLES.iter().map(|(header, name, _)| example(header, definition(&schema, name)) + "\n").collect();
    parse_manifest_toml(&manifest).unwrap_or_else(|error| panic!("{error:?}\n{manifest}"));
}

fn definition<'a>(schema: &'a Value, name: &str) -> &'a Value {
    if name.is_empty() { schema } else { &schema["$defs"][name] }
}

fn section(page: &mut String, header: &str, definition: &Value, tables: &[&str]) {
    let title = if header.is_empty() { "Top level".to_owned() } else { format!("`{header}`") };
    writeln!(page, "\n## {title}\n").unwrap();
    if let Some(text) = definition["description"].as_str().filter(|_| !header.is_empty()) {
        writeln!(
            page,
            "{}\n",
            text.replace("[`palyra_common::RuntimeLimits`]", "[the limits of a run](run.md#limits)")
        )
        .unwrap();
    }
    writeln!(page, "| key | type | meaning |\n|---|---|---|").unwrap();
    for (key, property, required) in keys(definition) {
        let required = if required { ", required" } else { "" };
        let table = if tables.contains(&key) { " See below." } else { "" };
        let meaning = property["description"].as_str().unwrap_or("Limit of a run.");
        writeln!(page, "| `{key}` | {}{required} | {meaning}{table} |", type_name(property)).unwrap();
    }
    writeln!(page, "\n```toml\n{}```", example(header, definition)).unwrap();
}

/// The keys of a table, required ones first.
fn keys(definition: &Value) -> Vec<(&str, &Value, bool)> {
    let required: Vec<&str> =
        definition["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = definition["properties"].as_object().unwrap();
    let mut keys: Vec<_> = properties
        .iter()
        .map(|(key, property)| (key.as_str(), property, required.contains(&key.as_str())))
        .collect();
    keys.sort_by_key(|(key, _, is_required)| {
        (!is_required, required.iter().position(|name| name == key).unwrap_or(usize::MAX))
    });
    keys
}

fn type_name(property: &Value) -> String {
    let kind = match &property["type"] {
        Value::Null if property["anyOf"][0]["$ref"].is_string() => "table",
        Value::String(kind) => kind.as_str(),
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("any")
        }
        _ if property["$ref"].is_string() => match property["$ref"].as_str().unwrap_or_default() {
            "#/$defs/ToolReturns" | "#/$defs/ConfigFieldKind" => "string",
            _ => "table",
        },
        _ => "any",
    };
    let items = &property["items"];
    match (kind, items["type"].as_str(), items["$ref"].is_string()) {
        ("array", Some(item), _) => format!("array of {item}s"),
        ("array", None, true) => "array of tables".to_owned(),
        ("object", ..) => "table".to_owned(),
        (kind, ..) => kind.to_owned(),
    }
}

/// The table with the example of each key.
fn example(header: &str, definition: &Value) -> String {
    let mut text = if header.is_empty() { String::new() } else { format!("{header}\n") };
    if header == "[capabilities.quotas]" {
        return text + "fuel_budget = 50000000\nwall_clock_timeout_ms = 20000\n";
    }
    for (key, property, _) in keys(definition) {
        match property["examples"].get(0) {
            Some(example) => {
                let value = toml::Value::try_from(example).unwrap();
                writeln!(text, "{key} = {value}").unwrap();
            }
            // The key is a table with an entry in `TABLES`.
            None if property["$ref"].is_string() || property["items"]["$ref"].is_string() => {}
            None if property["anyOf"][0]["$ref"].is_string() => {}
            None => assert!(WITHOUT_EXAMPLE.contains(&key), "`{key}` of `{header}` has no example"),
        }
    }
    text
}

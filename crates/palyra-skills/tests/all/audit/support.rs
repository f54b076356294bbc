//! Helpers for the tests of the audit.

use std::path::Path;

use palyra_skills::audit::{
    AuditPolicy, AuditReport, Finding, FindingId, InstalledTools, Verdict, audit_entries,
};
use palyra_skills::{SkillManifest, parse_manifest_toml};

/// The module every test manifest names.
pub(crate) const MODULE: &str = "modules/notes.wasm";

/// A manifest with one tool, then `tables`.
pub(crate) fn manifest(tables: &str) -> SkillManifest {
    manifest_described("Keeps short notes.", tables)
}

/// Returns a manifest whose tool has this description.
pub(crate) fn manifest_described(description: &str, tables: &str) -> SkillManifest {
    let text = format!(
        r#"manifest_version = 1
skill_id = "acme.notes"
name = "notes"
version = "1.0.0"
publisher = "acme"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "acme.notes.add"
name = "Add"
description = {description}
module = "{MODULE}"
input_schema = {{ type = "object" }}
output_schema = {{ type = "object" }}
{tables}
"#,
        description = serde_json::Value::from(description),
    );
    parse_manifest_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Audits with the default policy and no installed tools.
pub(crate) fn audit(manifest: &SkillManifest, entries: &[(&str, &[u8])]) -> AuditReport {
    crate::seeds::keep_manifest(manifest);
    crate::seeds::keep_modules(entries);
    audit_entries(manifest, entries, &AuditPolicy::default(), &InstalledTools::none())
}

/// Audits one module under the plain manifest.
pub(crate) fn audit_wat(wat: &str) -> AuditReport {
    audit(&manifest(""), &[(MODULE, &wat::parse_str(wat).unwrap())])
}

/// The finding of a rule, which must be there.
#[track_caller]
pub(crate) fn finding(report: &AuditReport, id: FindingId) -> &Finding {
    let found = report.findings.iter().find(|finding| finding.id == id);
    found.unwrap_or_else(|| panic!("no {id} in {:#?}", report.findings))
}

/// Requires a verdict, and a finding of a rule that leads to it.
#[track_caller]
pub(crate) fn expect(report: &AuditReport, verdict: Verdict, id: FindingId) {
    assert_eq!(report.verdict, verdict, "{:#?}", report.findings);
    let found = finding(report, id);
    assert_eq!(found.quarantines(), verdict != Verdict::Pass, "{found:?}");
    assert!(!found.remedy.is_empty() && !found.silence.is_empty(), "{found:?}");
}

/// A guest of the workspace, built from source.
pub(crate) fn guest(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/guests").join(format!("{name}.wasm"));
    std::fs::read(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask guests`", path.display()))
}

/// A core module that passes every rule.
pub(crate) const HONEST_CORE: &str = r#"(module
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "{}")
    (func (export "palyra_plugin_main") (result i32)
        (drop (call $write (i32.const 0) (i32.const 2))) (i32.const 0)))"#;

//! The audit of a module: any bytes give a report, within the budget.

use palyra_skills::SkillManifest;
use palyra_skills::audit::{AuditPolicy, wasm::audit_module};
use std::sync::LazyLock;

static MANIFEST: LazyLock<SkillManifest> = LazyLock::new(|| {
    palyra_skills::parse_manifest_toml(include_str!("../seeds/skill_manifest/every_table"))
        .expect("the seed is a manifest")
});

/// Audits the bytes as they are, and as what follows the header of a module and of a component.
pub fn check_wasm_audit(data: &[u8]) {
    let policy = AuditPolicy::default();
    for header in [&b""[..], b"\0asm\x01\0\0\0", b"\0asm\x0d\0\x01\0"] {
        let module = [header, data].concat();
        let once = audit_module("modules/fuzz.wasm", &module, &MANIFEST, &policy);
        let again = audit_module("modules/fuzz.wasm", &module, &MANIFEST, &policy);
        assert_eq!(format!("{once:?}"), format!("{again:?}"), "an audit is not repeatable");
    }
}

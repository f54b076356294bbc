//! The static audit of a skill, before anything is compiled or run.
//!
//! The audit reads the bytes. It does not compile, run or decide: findings are data, and the trust step turns
//! them into a decision. Its cost is bounded for any input, because budgets are charged before the work they
//! pay for.

mod advisories;
mod capabilities;
mod data;
mod finding;
mod policy;
mod report;
mod text;
mod tools;
pub mod unicode;
pub mod wasm;

pub use advisories::{Advisory, AdvisoryError, AdvisoryList};
pub use finding::{Certainty, Effect, Finding, FindingId, Rule, Severity, UnknownFinding};
pub use policy::{AUDIT_RULES_VERSION, AuditPolicy, AuditPolicyError, RuleSetting, TextThresholds};
pub use report::{AuditReport, FindingCounts, RiskLevel, Verdict};
pub use text::PROMPT_ASSETS_PREFIX;
pub use tools::InstalledTools;

use crate::constants::{ASSETS_PREFIX, MANIFEST_PATH, MODULES_PREFIX};
use crate::manifest::SkillManifest;
use crate::verify::VerifiedSkill;
use data::DataSearch;
use report::Findings;
use wasm::AuditWork;

/// Audits a verified skill: modules, data, text for models, requested capabilities and dependencies.
#[must_use]
pub fn audit_skill_artifact_security(
    skill: &VerifiedSkill,
    policy: &AuditPolicy,
    installed: &InstalledTools,
) -> AuditReport {
    let entries: Vec<_> = skill.artifact().entries().collect();
    audit_entries(skill.manifest(), &entries, policy, installed)
}

/// Audits the entries of an archive that belongs to `manifest`, before there is a signature to verify.
///
/// Authors use it while building; an installation goes through [`audit_skill_artifact_security`].
#[must_use]
pub fn audit_entries(
    manifest: &SkillManifest,
    entries: &[(&str, &[u8])],
    policy: &AuditPolicy,
    installed: &InstalledTools,
) -> AuditReport {
    let mut findings = Findings::new(policy);
    let mut work = AuditWork::default();
    text::check(manifest, entries, &mut findings);
    tools::check(manifest, installed, &mut findings);
    capabilities::check(&manifest.capabilities, &mut findings);
    check_modules(manifest, entries, &mut work, &mut findings);
    check_assets(manifest, entries, &mut work, &mut findings);
    advisories::check(entries, &mut findings);
    findings.into_report(work)
}

fn check_modules(
    manifest: &SkillManifest,
    entries: &[(&str, &[u8])],
    work: &mut AuditWork,
    findings: &mut Findings<'_>,
) {
    let tools = manifest.entrypoints.tools.iter().map(|tool| (&tool.id, &tool.module));
    let hooks = manifest.entrypoints.hooks.iter().map(|hook| (&hook.id, &hook.module));
    for (id, module) in tools.chain(hooks) {
        if !entries.iter().any(|(path, _)| path == module) {
            let message = format!(
                "`{}` refers to `{}`, which is not in the archive",
                report::quote(id),
                report::quote(module)
            );
            findings.add(FindingId::EntrypointMissing, module, message, None);
        }
    }
    for (path, bytes) in entries.iter().filter(|(path, _)| path.starts_with(MODULES_PREFIX)) {
        wasm::check_module(path, bytes, manifest, work, findings);
    }
}

fn check_assets(
    manifest: &SkillManifest,
    entries: &[(&str, &[u8])],
    work: &mut AuditWork,
    findings: &mut Findings<'_>,
) {
    for (path, bytes) in entries {
        let mut search = DataSearch::new(&manifest.capabilities);
        if *path == MANIFEST_PATH {
            search.search_patterns(path, bytes, findings);
        } else if path.starts_with(ASSETS_PREFIX) {
            search.search(path, bytes, work, findings);
            search.finish(path, findings);
        }
    }
}

//! Modules: read, validated and compared with the manifest; never compiled and never run.

mod budget;
mod contract;
mod custom;
mod exports;
mod facts;
mod features;
mod imports;
mod scan;
mod type_text;

use palyra_common::RuntimeLimits;
use wasmparser::Parser;

pub use budget::{AuditWork, Budgets};
pub use features::ENGINE_FEATURES;

use super::data::DataSearch;
use super::finding::FindingId;
use super::policy::AuditPolicy;
use super::report::{AuditReport, Findings, quote};
use crate::manifest::SkillManifest;
use budget::{Exceeded, Meter};
use exports::Declared;
use facts::{ModuleFacts, WasmKind};
use scan::{ScanStop, scan_module};

/// Audits one module file. Any input results in a report.
#[must_use]
pub fn audit_module(path: &str, bytes: &[u8], manifest: &SkillManifest, policy: &AuditPolicy) -> AuditReport {
    let mut findings = Findings::new(policy);
    let mut work = AuditWork::default();
    check_module(path, bytes, manifest, &mut work, &mut findings);
    findings.into_report(work)
}

/// Checks one module file as part of a skill; `work` is shared by all of them.
pub(super) fn check_module(
    path: &str,
    bytes: &[u8],
    manifest: &SkillManifest,
    work: &mut AuditWork,
    findings: &mut Findings<'_>,
) {
    let Some(kind) = detect_kind(path, bytes, findings) else { return };
    let mut meter = Meter::new(&findings.policy().budgets, work);
    let mut facts = ModuleFacts::default();
    let scanned = scan_module(bytes, &mut meter, &mut facts);
    meter.add_to(work);
    let stopped_by_feature = report_features(path, &facts, findings);
    match scanned {
        Ok(()) => {}
        Err(ScanStop::Budget(exceeded)) => report_budget(path, exceeded, findings),
        // The engine also refuses these memories; the finding about the feature is more specific.
        Err(ScanStop::Invalid(_)) if stopped_by_feature => {}
        Err(ScanStop::Invalid(error)) => {
            let message = format!("the engine rejects it: {}", quote(&error.to_string()));
            findings.add(FindingId::ModuleInvalid, path, message, None);
        }
    }
    report_memory(path, &facts, manifest, findings);
    let declared = Declared::of(&manifest.entrypoints, path);
    if !declared.is_used() {
        let message = "no entrypoint of skill.toml uses this module".to_owned();
        findings.add(FindingId::ModuleUnused, path, message, None);
    }
    if let Some(types) = &facts.types {
        imports::check(path, &facts, types.as_ref(), &manifest.capabilities, findings);
        exports::check(path, kind, &facts, types.as_ref(), &declared, findings);
    }
    let mut search = DataSearch::new(&manifest.capabilities);
    for segment in &facts.segments {
        search.search(&segment.place.subject(path), segment.bytes, work, findings);
    }
    search.finish(path, findings);
    custom::check(path, &facts, findings);
}

/// Returns the kind of a module, or reports what the bytes are instead, such as ELF or WebAssembly text.
fn detect_kind(path: &str, bytes: &[u8], findings: &mut Findings<'_>) -> Option<WasmKind> {
    if Parser::is_core_wasm(bytes) {
        return Some(WasmKind::Core);
    }
    if Parser::is_component(bytes) {
        return Some(WasmKind::Component);
    }
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let found = match bytes {
        [] => "it is empty",
        [b'\x7f', b'E', b'L', b'F', ..] => "it is native or precompiled code (ELF)",
        [b'\0', b'a', b's', b'm', ..] => "it has an unknown WebAssembly version",
        _ if first.is_some_and(|byte| matches!(byte, b'(' | b';')) => "it is WebAssembly text",
        _ => "it does not start with the WebAssembly magic",
    };
    findings.add(FindingId::ModuleNotWasm, path, format!("{found}, expected binary WebAssembly"), None);
    None
}

fn report_budget(path: &str, exceeded: Exceeded, findings: &mut Findings<'_>) {
    let Exceeded { kind, used, allowed } = exceeded;
    let message =
        format!("reaches {used} in `{}`, the budget is {allowed}; the rest was not read", kind.name());
    findings.add(FindingId::BudgetExceeded, path, message, Some(kind.name()));
}

/// Returns whether a memory is of a kind the engine refuses.
fn report_features(path: &str, facts: &ModuleFacts<'_>, findings: &mut Findings<'_>) -> bool {
    if facts.memory64 {
        let message = "has a memory or table with 64-bit indices, which the engine does not \
            support"
            .to_owned();
        findings.add(FindingId::ModuleMemory64, path, message, None);
    }
    if facts.shared_memory {
        let message = "has a memory shared between threads, which the engine does not support".to_owned();
        findings.add(FindingId::ModuleSharedMemory, path, message, None);
    }
    if facts.multi_memory {
        let message = "a module has several memories; they count together against the limit".to_owned();
        findings.add(FindingId::ModuleMultiMemory, path, message, None);
    }
    if facts.starts > 0 {
        let message = format!(
            "{} of its modules run code before the entrypoint, under the call's limits",
            facts.starts
        );
        findings.add(FindingId::ModuleStart, path, message, None);
    }
    facts.memory64 || facts.shared_memory
}

fn report_memory(path: &str, facts: &ModuleFacts<'_>, manifest: &SkillManifest, findings: &mut Findings<'_>) {
    let asked = manifest.capabilities.quotas.0.get("max_memory_bytes").copied();
    let allowed = asked.unwrap_or_else(|| RuntimeLimits::default().max_memory_bytes);
    if facts.initial_memory_bytes > allowed {
        let message = format!(
            "starts with {} bytes of memory, the limit of a run is \
                {allowed}",
            facts.initial_memory_bytes
        );
        findings.add(FindingId::MemoryOverQuota, path, message, None);
    }
}

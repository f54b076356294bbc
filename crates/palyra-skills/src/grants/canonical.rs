//! One canonical text for the permissions of a skill, so that consent can refer to it by a digest.

use std::fmt::Write as _;

use palyra_common::{Capability, LimitKind, RuntimeLimits};

use super::{capability_grants_from_manifest, limits_from_manifest, narrowed_grants_of_tool};
use crate::digest::Sha256Digest;
use crate::manifest::{SkillManifest, ToolReturns};

/// Returns the digest of [`canonical_capabilities`].
#[must_use]
pub fn capability_digest(manifest: &SkillManifest) -> Sha256Digest {
    Sha256Digest::of(canonical_capabilities(manifest).as_bytes())
}

/// Limits that were added after the first signed releases.
const LATER_LIMITS: [LimitKind; 1] = [LimitKind::Tape];

/// Returns the requests of a skill, one per line, in normal form and order. Two manifests with the same requests have
/// the same text, however they are written.
///
/// No part can contain a newline, so no part can forge a line.
#[must_use]
pub fn canonical_capabilities(manifest: &SkillManifest) -> String {
    let mut out = String::from("palyra.capabilities/v1\n");
    for grant in Vec::<Capability>::from(capability_grants_from_manifest(manifest)) {
        let _ = writeln!(out, "grant {grant}");
    }
    for line in sorted(manifest.capabilities.device_capabilities.iter().map(|name| format!("device {name}")))
    {
        let _ = writeln!(out, "{line}");
    }
    let (limits, ordinary) = (limits_from_manifest(manifest), RuntimeLimits::default());
    for kind in LimitKind::SETTABLE {
        // A manifest that does not set a later limit keeps the digest that its publisher signed.
        if LATER_LIMITS.contains(&kind) && limits.get(kind) == ordinary.get(kind) {
            continue;
        }
        let _ = writeln!(out, "limit {kind} {}", limits.get(kind).unwrap_or(0));
    }
    let _ = writeln!(out, "wildcard {}", manifest.capabilities.wildcard_opt_in);
    let lines =
        [sorted(tool_lines(manifest)), sorted(hook_lines(manifest)), sorted(narrowed_lines(manifest))];
    for line in lines.iter().flatten() {
        let _ = writeln!(out, "{line}");
    }
    out
}

/// Returns the grants of each tool that gets less than the skill. Other tools have no such line, so manifests from
/// before tools could narrow grants keep the digest that their publisher signed.
fn narrowed_lines(manifest: &SkillManifest) -> impl Iterator<Item = String> {
    manifest.entrypoints.tools.iter().filter_map(|tool| {
        let grants = narrowed_grants_of_tool(manifest, tool)?;
        // A JSON list, because a grant may contain blanks and commas.
        Some(format!("narrowed {} {}", tool.id, serde_json::to_string(&grants).unwrap_or_default()))
    })
}

fn tool_lines(manifest: &SkillManifest) -> impl Iterator<Item = String> {
    manifest.entrypoints.tools.iter().map(|tool| {
        let returns = match tool.returns {
            ToolReturns::Json => "json",
            ToolReturns::A2ui => "a2ui",
        };
        let (approval, sensitive) = (tool.risk.requires_approval, tool.risk.default_sensitive);
        format!("tool {} approval={approval} sensitive={sensitive} returns={returns}", tool.id)
    })
}

fn hook_lines(manifest: &SkillManifest) -> impl Iterator<Item = String> {
    let hooks = manifest.entrypoints.hooks.iter();
    hooks.flat_map(|hook| hook.events.iter().map(|event| format!("hook {} {event}", hook.id)))
}

fn sorted(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines.dedup();
    lines
}

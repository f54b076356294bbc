//! The rows of a diff, section by section.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use palyra_common::capabilities::{HttpRule, Scheme, StorageAccess, StorageGrant};
use palyra_common::limits::DEFAULT_STORAGE_BYTES;
use palyra_common::{Capability, CapabilityGrantSet, InOrder, LimitKind};

use super::{Change, DiffRow, DiffSection};
use crate::grants::{capability_grants_from_manifest, limits_from_manifest, narrowed_grants_of_tool};
use crate::manifest::{ConfigField, ConfigFieldKind, SkillManifest, ToolEntrypoint, ToolReturns};
use crate::text::text_by_pointer;

pub(super) fn all(old: &SkillManifest, new: &SkillManifest) -> Vec<DiffRow> {
    let sections = [
        release(old, new),
        grants(old, new),
        devices(old, new),
        quotas(old, new),
        tools(old, new),
        tool_grants(old, new),
        hooks(old, new),
        config(old, new),
        compat(old, new),
        text(old, new),
    ];
    sections.into_iter().flatten().collect()
}

fn release(old: &SkillManifest, new: &SkillManifest) -> Vec<DiffRow> {
    let neutral = |subject: &str, old: Option<String>, new: Option<String>| {
        changed(DiffSection::Release, subject, old, new, Change::Neutral)
    };
    let some = |value: &dyn Display| Some(value.to_string());
    // Ownership is checked before an update is compared. If ids still differ, no consent may carry over.
    let identity = |subject: &str, old: &String, new: &String| {
        changed(DiffSection::Release, subject, Some(old.clone()), Some(new.clone()), Change::Growth)
    };
    [
        identity("skill_id", &old.skill_id, &new.skill_id),
        identity("publisher", &old.publisher, &new.publisher),
        neutral("version", some(&old.version), some(&new.version)),
        neutral("release_counter", some(&old.release_counter), some(&new.release_counter)),
        neutral("license", old.license.clone(), new.license.clone()),
        neutral("homepage", old.homepage.clone(), new.homepage.clone()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Groups grants by their subject, so that a changed rule is one row instead of two.
fn grants(old: &SkillManifest, new: &SkillManifest) -> Vec<DiffRow> {
    let old_set = capability_grants_from_manifest(old);
    let new_set = capability_grants_from_manifest(new);
    let mut groups: BTreeMap<(DiffSection, String), (Vec<Capability>, Vec<Capability>)> = BTreeMap::new();
    for grant in Vec::<Capability>::from(old_set.clone()) {
        groups.entry(subject_of(&grant)).or_default().0.push(grant);
    }
    for grant in Vec::<Capability>::from(new_set) {
        groups.entry(subject_of(&grant)).or_default().1.push(grant);
    }
    let with_quotas = |set: &CapabilityGrantSet| -> CapabilityGrantSet {
        Vec::<Capability>::from(set.clone()).into_iter().map(with_default_quota).collect()
    };
    let allowed = with_quotas(&old_set);
    let grows = |grants: &[Capability]| {
        let grants = CapabilityGrantSet::from_iter(grants.iter().cloned());
        !grants.is_within(&old_set) || !with_quotas(&grants).is_within(&allowed)
    };
    let row = |((section, subject), (before, after)): ((DiffSection, String), (Vec<_>, Vec<_>))| {
        let change = if grows(&after) { Change::Growth } else { Change::Narrowing };
        changed(section, &subject, lines(&before), lines(&after), change)
    };
    groups.into_iter().filter_map(row).collect()
}

/// States the default quota of storage, because the absence of a quota would count as no limit.
fn with_default_quota(grant: Capability) -> Capability {
    match grant {
        Capability::Storage(grant) if grant.access == StorageAccess::ReadWrite => {
            let max_bytes = Some(grant.max_bytes.unwrap_or(DEFAULT_STORAGE_BYTES));
            Capability::Storage(StorageGrant { max_bytes, ..grant })
        }
        other => other,
    }
}

fn subject_of(grant: &Capability) -> (DiffSection, String) {
    match grant {
        Capability::Http(rule) => (DiffSection::Http, origin(rule)),
        Capability::Secret(grant) => (DiffSection::Secrets, grant.secret.to_string()),
        Capability::Storage(grant) => (DiffSection::Storage, grant.prefix.to_string()),
        Capability::Channel(name) => (DiffSection::Channels, name.to_string()),
        Capability::Filesystem(grant) => (DiffSection::Filesystem, grant.root.to_string()),
    }
}

fn origin(rule: &HttpRule) -> String {
    let scheme = match rule.scheme {
        Scheme::Http => "http",
        Scheme::Https => "https",
    };
    format!("{scheme}://{}:{}", rule.host, rule.port)
}

fn devices(old: &SkillManifest, new: &SkillManifest) -> Vec<DiffRow> {
    let (before, after) = (&old.capabilities, &new.capabilities);
    let mut rows = set_rows(DiffSection::Devices, &before.device_capabilities, &after.device_capabilities);
    let change = if after.wildcard_opt_in { Change::Growth } else { Change::Narrowing };
    let opt_in = |value: bool| Some(value.to_string());
    rows.extend(changed(
        DiffSection::Devices,
        "wildcard_opt_in",
        opt_in(before.wildcard_opt_in),
        opt_in(after.wildcard_opt_in),
        change,
    ));
    rows
}

fn quotas(old: &SkillManifest, new: &SkillManifest) -> Vec<DiffRow> {
    let (before, after) = (limits_from_manifest(old), limits_from_manifest(new));
    let row = |kind: LimitKind| {
        let (before, after) = (before.get(kind)?, after.get(kind)?);
        let change = if after > before { Change::Growth } else { Change::Narrowing };
        let shown = |value| Some(kind.format_value(value));
        changed(DiffSection::Quotas, kind.wire_name(), shown(before), shown(after), change)
    };
    LimitKind::SETTABLE.into_iter().filter_map(row).collect()
}

fn tools(old: &SkillManifest, new: &SkillManifest) -> Vec<DiffRow> {
    let by_id = |manifest: &SkillManifest| -> BTreeMap<String, ToolEntrypoint> {
        manifest.entrypoints.tools.iter().map(|tool| (tool.id.clone(), tool.clone())).collect()
    };
    let (before, after) = (by_id(old), by_id(new));
    let ids: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    ids.into_iter().flat_map(|id| tool(id, before.get(id), after.get(id))).collect()
}

fn tool(id: &str, old: Option<&ToolEntrypoint>, new: Option<&ToolEntrypoint>) -> Vec<DiffRow> {
    let (old, new) = match (old, new) {
        (Some(old), Some(new)) => (old, new),
        (None, new) => {
            let shown = new.map(describe_risk);
            return changed(DiffSection::Tools, id, None, shown, Change::Growth).into_iter().collect();
        }
        (old, None) => {
            let shown = old.map(describe_risk);
            return changed(DiffSection::Tools, id, shown, None, Change::Narrowing).into_iter().collect();
        }
    };
    let lowered = (old.risk.requires_approval && !new.risk.requires_approval)
        || (old.risk.default_sensitive && !new.risk.default_sensitive)
        || (old.returns == ToolReturns::Json && new.returns == ToolReturns::A2ui);
    let change = if lowered { Change::Growth } else { Change::Narrowing };
    let risk = changed(DiffSection::Tools, id, Some(describe_risk(old)), Some(describe_risk(new)), change);
    let code = |tool: &ToolEntrypoint| {
        Some(format!("{} {}", tool.module, tool.export.as_deref().unwrap_or_default()).trim_end().to_owned())
    };
    let subject = format!("{id} module");
    let code = changed(DiffSection::Tools, &subject, code(old), code(new), Change::Neutral);
    let schemas = [
        ("input schema", &old.input_schema, &new.input_schema),
        ("output schema", &old.output_schema, &new.output_schema),
    ]
    .into_iter()
    .filter_map(|(name, before, after)| {
        let subject = format!("{id} {name}");
        changed(
            DiffSection::Tools,
            &subject,
            Some(InOrder(before).to_string()),
            Some(InOrder(after).to_string()),
            Change::Neutral,
        )
    });
    risk.into_iter().chain(code).chain(schemas).collect()
}

/// Compares the grants of tools that narrow those of the skill in either release. A grant that moves to another tool is
/// growth.
fn tool_grants(old: &SkillManifest, new: &SkillManifest) -> Vec<DiffRow> {
    let narrowed = |manifest: &SkillManifest| -> BTreeMap<String, Option<CapabilityGrantSet>> {
        let tools = manifest.entrypoints.tools.iter();
        tools.map(|tool| (tool.id.clone(), narrowed_grants_of_tool(manifest, tool))).collect()
    };
    let (before, after) = (narrowed(old), narrowed(new));
    let (old_skill, new_skill) = (capability_grants_from_manifest(old), capability_grants_from_manifest(new));
    let row = |(id, after): (&String, &Option<CapabilityGrantSet>)| {
        // New tools and tools that neither release narrows are covered by other rows.
        let before = before.get(id)?;
        if before.is_none() && after.is_none() {
            return None;
        }
        let before = before.as_ref().unwrap_or(&old_skill);
        let after = after.as_ref().unwrap_or(&new_skill);
        let change = if after.is_within(before) { Change::Narrowing } else { Change::Growth };
        let shown = |grants: &CapabilityGrantSet| lines(&Vec::<Capability>::from(grants.clone()));
        changed(DiffSection::Tools, &format!("{id} capabilities"), shown(before), shown(after), change)
    };
    after.iter().filter_map(row).collect()
}

fn describe_risk(tool: &ToolEntrypoint) -> String {
    let approval = if tool.risk.requires_approval { "requires approval" } else { "runs without approval" };
    let sensitive = if tool.risk.default_sensitive { ", results sensitive" } else { "" };
    let returns = if tool.returns == ToolReturns::A2ui { ", shows a document" } else { "" };
    format!("{approval}{sensitive}{returns}")
}

fn hooks(old: &SkillManifest, new: &SkillManifest) -> Vec<DiffRow> {
    let bound = |manifest: &SkillManifest| -> Vec<String> {
        let hooks = manifest.entrypoints.hooks.iter();
        hooks.flat_map(|hook| hook.events.iter().map(|event| format!("{} on {event}", hook.id))).collect()
    };
    set_rows(DiffSection::Hooks, &bound(old), &bound(new))
}

/// Compares operator settings. A new setting grants nothing, except for a secret that the operator may set, or a value
/// that is no longer redacted.
fn config(old: &SkillManifest, new: &SkillManifest) -> Vec<DiffRow> {
    let (before, after) = (&old.operator.config, &new.operator.config);
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let row = |name: &String| {
        let (before, after) = (before.get(name), after.get(name));
        let secret =
            |field: Option<&ConfigField>| field.is_some_and(|field| field.kind == ConfigFieldKind::Secret);
        let redacted = |field: &ConfigField| field.redacted || field.kind == ConfigFieldKind::Secret;
        let exposed = before.is_some_and(redacted) && after.is_some_and(|field| !redacted(field));
        let grows = (secret(after) && !secret(before)) || exposed;
        let change = if grows { Change::Growth } else { Change::Neutral };
        let shown = |field: Option<&ConfigField>| field.map(describe_setting);
        changed(DiffSection::Config, name, shown(before), shown(after), change)
    };
    names.into_iter().filter_map(row).collect()
}

fn describe_setting(field: &ConfigField) -> String {
    let kind = match field.kind {
        ConfigFieldKind::String => "text",
        ConfigFieldKind::Integer => "a whole number",
        ConfigFieldKind::Number => "a number",
        ConfigFieldKind::Boolean => "true or false",
        ConfigFieldKind::Secret => "a secret",
    };
    let required = if field.required { ", required" } else { "" };
    let redacted = if field.redacted { ", redacted" } else { "" };
    let default =
        field.default.as_ref().map(|value| format!(", default {}", InOrder(value))).unwrap_or_default();
    let about = field.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    format!("{kind}{required}{redacted}{default}{about}")
}

fn compat(old: &SkillManifest, new: &SkillManifest) -> Vec<DiffRow> {
    let neutral = |subject: &str, old: Option<String>, new: Option<String>| {
        changed(DiffSection::Compat, subject, old, new, Change::Neutral)
    };
    let (before, after) = (&old.compat, &new.compat);
    let nodes = |manifest: &SkillManifest| {
        let mut names = manifest.capabilities.node_capabilities.clone();
        names.sort();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let protocol = |compat: &crate::manifest::Compat| Some(compat.required_protocol_major.to_string());
    [
        neutral("plugin contract", protocol(before), protocol(after)),
        neutral(
            "first Palyra",
            Some(before.min_palyra_version.to_string()),
            Some(after.min_palyra_version.to_string()),
        ),
        neutral(
            "last Palyra",
            before.max_palyra_version.as_ref().map(ToString::to_string),
            after.max_palyra_version.as_ref().map(ToString::to_string),
        ),
        neutral("machine", nodes(old), nodes(new)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn text(old: &SkillManifest, new: &SkillManifest) -> Vec<DiffRow> {
    let (before, after) = (text_by_pointer(old), text_by_pointer(new));
    let pointers: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let shown = |texts: Option<&Vec<String>>| texts.map(|texts| texts.join("\n"));
    let row = |pointer: &String| {
        let (old, new) = (before.get(pointer), after.get(pointer));
        // Removing text adds no instruction, but a missing caveat can change what a model does.
        changed(DiffSection::Text, pointer, shown(old), shown(new), Change::Text)
    };
    let removed_tools: Vec<String> = removed_tools(old, new);
    let of_removed = |pointer: &str| removed_tools.iter().any(|prefix| pointer.starts_with(prefix.as_str()));
    pointers.into_iter().filter(|pointer| !of_removed(pointer)).filter_map(row).collect()
}

/// Returns the pointer prefixes of removed tools. Removing a tool is narrowing, so its texts need no rows.
fn removed_tools(old: &SkillManifest, new: &SkillManifest) -> Vec<String> {
    let kept: BTreeSet<&String> = new.entrypoints.tools.iter().map(|tool| &tool.id).collect();
    let gone = old.entrypoints.tools.iter().filter(|tool| !kept.contains(&tool.id));
    gone.map(|tool| format!("/tools/{}/", tool.id)).collect()
}

fn set_rows(section: DiffSection, old: &[String], new: &[String]) -> Vec<DiffRow> {
    let (before, after): (BTreeSet<&String>, BTreeSet<&String>) =
        (old.iter().collect(), new.iter().collect());
    let gone = before
        .difference(&after)
        .filter_map(|name| changed(section, name, Some((*name).clone()), None, Change::Narrowing));
    let added = after
        .difference(&before)
        .filter_map(|name| changed(section, name, None, Some((*name).clone()), Change::Growth));
    gone.chain(added).collect()
}

fn lines(grants: &[Capability]) -> Option<String> {
    let shown: Vec<String> = grants.iter().map(ToString::to_string).collect();
    (!shown.is_empty()).then(|| shown.join("\n"))
}

fn changed(
    section: DiffSection,
    subject: &str,
    old: Option<String>,
    new: Option<String>,
    change: Change,
) -> Option<DiffRow> {
    (old != new).then(|| DiffRow { section, subject: subject.to_owned(), old, new, change })
}

//! Checks the tables of tools: each entry must be part of the requests of the skill.

use palyra_common::capabilities::{
    FilesystemAccess, FilesystemGrant, HostPattern, HttpRule, Scheme, StorageGrant,
};
use palyra_common::{Capability, CapabilityGrantSet};
use semver::Version;

use super::capabilities::{CapabilityTable, RULES as SKILL_RULES};
use super::{Checked, Rule, require, steps};
use crate::grants::{grants_of, http_rules_of, is_requested, secret_grants_of};
use crate::manifest::error::ManifestProblem;
use crate::manifest::locate::Step;
use crate::manifest::model::{Capabilities, SkillManifest};

/// Maximum number of grants in the tables of all tools, because each is compared with those of the skill.
const MAX_NARROWED: usize = 512;
/// The first version of Palyra that supports `storage_read_prefixes` and capabilities of tools.
const SINCE: Version = Version::new(0, 1, 0);

pub(super) const RULES: [Rule; 2] = [check_tools, check_version];

/// Checks the table of each tool that has one.
fn check_tools(manifest: &SkillManifest) -> Checked {
    // The lists of a tool are compared with the skill's only if those are valid.
    if SKILL_RULES.iter().any(|rule| rule(manifest).is_err()) {
        return Ok(());
    }
    let skill = grants_of(&manifest.capabilities);
    let mut count = 0;
    for index in 0..manifest.entrypoints.tools.len() {
        let Some(table) = CapabilityTable::of_tool(manifest, index) else { continue };
        table.check_grants()?;
        let listed = listed(&table);
        count += listed.len();
        require(
            count <= MAX_NARROWED,
            || table.at(Vec::new()),
            || ManifestProblem::value(format!("{count} grants of tools"), format!("at most {MAX_NARROWED}")),
        )?;
        listed.into_iter().try_for_each(|(path, grant)| check_requested(&skill, path, &grant))?;
    }
    Ok(())
}

/// Requires a minimum version, because an older Palyra rejects the new keys as unknown without a useful reason.
fn check_version(manifest: &SkillManifest) -> Checked {
    let narrows = manifest.entrypoints.tools.iter().any(|tool| tool.capabilities.is_some());
    let least = &manifest.compat.min_palyra_version;
    require(
        *least >= SINCE || (!narrows && manifest.capabilities.storage_read_prefixes.is_empty()),
        || steps!["compat", "min_palyra_version"],
        || {
            let expected = format!("at least `{SINCE}`");
            ManifestProblem::text(&least.to_string(), expected).with_fix(format!(
                "`storage_read_prefixes` and capabilities of tools need Palyra {SINCE}; set \
                 `min_palyra_version = \"{SINCE}\"`"
            ))
        },
    )
}

fn check_requested(skill: &CapabilityGrantSet, path: Vec<Step>, grant: &Capability) -> Checked {
    require(
        is_requested(skill, grant),
        || path,
        || {
            ManifestProblem::text(&grant.to_string(), "something that `[capabilities]` of the skill includes")
                .with_fix("a tool can only narrow: request it under `[capabilities]`, or remove it here")
        },
    )
}

/// Returns the grants of a table, each with the path of its entry.
fn listed(table: &CapabilityTable<'_>) -> Vec<(Vec<Step>, Capability)> {
    let asked: &Capabilities = table.capabilities();
    let mut listed = Vec::new();
    let mut add = |steps: Vec<Step>, grant: Capability| listed.push((table.at(steps), grant));
    for (index, host) in asked.http_egress_allowlist.iter().enumerate() {
        if let Ok(host) = host.parse::<HostPattern>() {
            let rule = HttpRule::any(Scheme::Https, host, Scheme::Https.default_port());
            add(steps!["http_egress_allowlist", index], Capability::Http(rule));
        }
    }
    for (index, rule) in asked.http_rules.iter().enumerate() {
        for rule in http_rules_of(rule).unwrap_or_default() {
            add(steps!["http_rules", index, "host"], Capability::Http(rule));
        }
    }
    for (index, secret) in asked.secrets.iter().enumerate() {
        for (number, grant) in secret_grants_of(secret).unwrap_or_default().into_iter().enumerate() {
            add(steps!["secrets", index, "key_names", number], Capability::Secret(grant));
        }
    }
    let quota = asked.storage_quota_bytes;
    for (index, prefix) in asked.storage_prefixes.iter().enumerate() {
        if let Ok(prefix) = prefix.parse() {
            let grant = StorageGrant { max_bytes: quota, ..StorageGrant::read_write(prefix) };
            add(steps!["storage_prefixes", index], Capability::Storage(grant));
        }
    }
    for (index, prefix) in asked.storage_read_prefixes.iter().enumerate() {
        if let Ok(prefix) = prefix.parse() {
            add(steps!["storage_read_prefixes", index], Capability::Storage(StorageGrant::read(prefix)));
        }
    }
    for (index, channel) in asked.channels.iter().enumerate() {
        if let Ok(channel) = channel.parse() {
            add(steps!["channels", index], Capability::Channel(channel));
        }
    }
    let roots = &asked.filesystem;
    for (key, access, names) in [
        ("read_roots", FilesystemAccess::Read, &roots.read_roots),
        ("write_roots", FilesystemAccess::ReadWrite, &roots.write_roots),
    ] {
        for (index, name) in names.iter().enumerate() {
            if let Ok(root) = name.parse() {
                let grant = FilesystemGrant::unmapped(access, root);
                add(steps!["filesystem", key, index], Capability::Filesystem(grant));
            }
        }
    }
    listed
}

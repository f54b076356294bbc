//! Checks the requests of a skill and its tools with the same grammar as each kind of grant.

use std::borrow::Cow;

use palyra_common::capabilities::{
    ChannelName, HostPattern, RootName, SecretForm, SecretScope, StoragePrefix,
};

use super::{Checked, Refusal, Rule, at_most, distinct, manifest_host, require, steps};
use crate::compat::NodeCapability;
use crate::grants::{http_rules_of, quota_field, secret_grants_of};
use crate::manifest::error::{ManifestProblem, closest, one_of};
use crate::manifest::locate::Step;
use crate::manifest::model::{Capabilities, SecretAccess, SkillManifest};
use crate::manifest::names::is_word;

const MAX_RULES: usize = 128;
const MAX_LIST: usize = 64;
/// Maximum value of a quota or limit, the largest integer that JSON carries exactly.
const MAX_NUMBER: u64 = (1 << 53) - 1;

pub(super) const RULES: [Rule; 7] = [
    |manifest| check_http(&CapabilityTable::of_skill(manifest)),
    |manifest| check_filesystem(&CapabilityTable::of_skill(manifest)),
    |manifest| check_secrets(&CapabilityTable::of_skill(manifest)),
    |manifest| check_storage(&CapabilityTable::of_skill(manifest)),
    |manifest| check_names(&CapabilityTable::of_skill(manifest)),
    |manifest| check_nodes(&CapabilityTable::of_skill(manifest)),
    |manifest| check_quotas(&CapabilityTable::of_skill(manifest)),
];

/// A table of capabilities and its place in the manifest: `[capabilities]`, or that of a tool.
pub(super) struct CapabilityTable<'m> {
    skill_id: &'m str,
    capabilities: Cow<'m, Capabilities>,
    path: Vec<Step>,
}

impl<'m> CapabilityTable<'m> {
    pub(super) fn of_skill(manifest: &'m SkillManifest) -> Self {
        let capabilities = Cow::Borrowed(&manifest.capabilities);
        Self { skill_id: &manifest.skill_id, capabilities, path: steps!["capabilities"] }
    }

    /// Returns the table of a tool, if it has one.
    pub(super) fn of_tool(manifest: &'m SkillManifest, index: usize) -> Option<Self> {
        let narrowed = manifest.entrypoints.tools.get(index)?.capabilities.as_ref()?;
        let capabilities = Cow::Owned(narrowed.within(&manifest.capabilities));
        let path = steps!["entrypoints", "tools", index, "capabilities"];
        Some(Self { skill_id: &manifest.skill_id, capabilities, path })
    }

    /// Returns the full path of a key of the table.
    pub(super) fn at(&self, steps: Vec<Step>) -> Vec<Step> {
        self.path.iter().cloned().chain(steps).collect()
    }

    /// Returns the entries of a list of the table, with their paths.
    pub(super) fn entries<'l>(
        &'l self,
        key: &'l str,
        list: &'l [String],
    ) -> impl Iterator<Item = (&'l str, Vec<Step>)> {
        let entry = move |(index, item): (usize, &'l String)| (item.as_str(), self.at(steps![key, index]));
        list.iter().enumerate().map(entry)
    }

    pub(super) fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Applies the rules that the tables of tools share with that of the skill.
    pub(super) fn check_grants(&self) -> Checked {
        [check_http, check_filesystem, check_secrets, check_storage, check_channels]
            .iter()
            .try_for_each(|rule| rule(self))
    }
}

fn check_http(table: &CapabilityTable<'_>) -> Checked {
    let capabilities = table.capabilities();
    let hosts = &capabilities.http_egress_allowlist;
    at_most(hosts, MAX_RULES, || table.at(steps!["http_egress_allowlist"]))?;
    for (host, place) in table.entries("http_egress_allowlist", hosts) {
        check_host(host, capabilities, place)?;
    }
    distinct(table.entries("http_egress_allowlist", hosts))?;
    at_most(&capabilities.http_rules, MAX_RULES, || table.at(steps!["http_rules"]))?;
    let mut total = hosts.len();
    for (index, rule) in capabilities.http_rules.iter().enumerate() {
        let at = |key: &str| table.at(steps!["http_rules", index, key]);
        check_host(&rule.host, capabilities, at("host"))?;
        at_most(&rule.ports, 16, || at("ports"))?;
        at_most(&rule.methods, 16, || at("methods"))?;
        at_most(&rule.paths, MAX_LIST, || at("paths"))?;
        require(
            !rule.ports.contains(&0),
            || at("ports"),
            || ManifestProblem::text("0", "a port from 1 to 65535"),
        )?;
        for (key, cap) in [
            ("request_bytes", rule.request_bytes),
            ("response_bytes", rule.response_bytes),
            ("total_bytes", rule.total_bytes),
        ] {
            check_number(cap, || at(key))?;
        }
        let rules = http_rules_of(rule)
            .map_err(|(key, error)| Refusal { path: at(key), problem: ManifestProblem::Grant(error) })?;
        total += rules.len();
        // Rules are compared pairwise; more than this would be slow and unreadable.
        require(
            total <= MAX_RULES,
            || at("host"),
            || {
                ManifestProblem::value(
                    format!("{total} combinations of port and path"),
                    format!("at most {MAX_RULES}"),
                )
            },
        )?;
    }
    Ok(())
}

fn check_host(text: &str, capabilities: &Capabilities, place: Vec<Step>) -> Result<(), Refusal> {
    let host = manifest_host(text).map_err(|problem| Refusal { path: place.clone(), problem })?;
    check_wildcard(&host, capabilities, place)
}

fn check_wildcard(host: &HostPattern, capabilities: &Capabilities, place: Vec<Step>) -> Checked {
    require(
        !host.is_wildcard() || capabilities.wildcard_opt_in,
        || place,
        || {
            ManifestProblem::text(&host.to_string(), "a host without a wildcard")
                .with_fix("list the hosts, or set `wildcard_opt_in = true` under `[capabilities]`")
        },
    )
}

fn check_filesystem(table: &CapabilityTable<'_>) -> Checked {
    let roots = &table.capabilities().filesystem;
    for (key, names) in [("read_roots", &roots.read_roots), ("write_roots", &roots.write_roots)] {
        let at = |index: usize| table.at(steps!["filesystem", key, index]);
        let entries = || names.iter().enumerate().map(|(index, name)| (name.as_str(), at(index)));
        at_most(names, MAX_LIST, || table.at(steps!["filesystem", key]))?;
        for (name, place) in entries() {
            parse::<RootName>(name, place)?;
        }
        distinct(entries())?;
    }
    Ok(())
}

fn check_secrets(table: &CapabilityTable<'_>) -> Checked {
    let secrets = &table.capabilities().secrets;
    at_most(secrets, MAX_LIST, || table.at(steps!["secrets"]))?;
    for (index, secret) in secrets.iter().enumerate() {
        let at = |key: &str| table.at(steps!["secrets", index, key]);
        let scope = secret.scope.parse::<SecretScope>();
        let scope =
            scope.map_err(|error| Refusal { path: at("scope"), problem: ManifestProblem::Grant(error) })?;
        if let SecretScope::Skill(owner) = &scope {
            require(
                *owner == table.skill_id,
                || at("scope"),
                || {
                    ManifestProblem::text(&secret.scope, format!("`skill:{}`", table.skill_id))
                        .with_fix("a skill cannot request secrets of another skill")
                },
            )?;
        }
        check_secret(table, secret, index)?;
    }
    let named: Vec<(String, Vec<Step>)> = secrets
        .iter()
        .enumerate()
        .flat_map(|(index, secret)| {
            secret.key_names.iter().enumerate().map(move |(number, key)| {
                let place = table.at(steps!["secrets", index, "key_names", number]);
                (format!("{}/{key}", secret.scope), place)
            })
        })
        .collect();
    require(
        named.len() <= MAX_LIST,
        || table.at(steps!["secrets"]),
        || ManifestProblem::value(format!("{} secrets", named.len()), format!("at most {MAX_LIST}")),
    )?;
    distinct(named.iter().map(|(name, place)| (name.as_str(), place.clone())))
}

fn check_secret(table: &CapabilityTable<'_>, secret: &SecretAccess, index: usize) -> Checked {
    let at = |key: &str| table.at(steps!["secrets", index, key]);
    require(
        !secret.key_names.is_empty(),
        || at("key_names"),
        || ManifestProblem::value("no name", "at least one secret"),
    )?;
    at_most(&secret.key_names, MAX_LIST, || at("key_names"))?;
    at_most(&secret.hosts, MAX_LIST, || at("hosts"))?;
    at_most(&secret.inject, 16, || at("inject"))?;
    for (number, host) in secret.hosts.iter().enumerate() {
        check_host(host, table.capabilities(), table.at(steps!["secrets", index, "hosts", number]))?;
    }
    for (number, form) in secret.inject.iter().enumerate() {
        parse::<SecretForm>(form, table.at(steps!["secrets", index, "inject", number]))?;
    }
    let usable = secret.reveal || (!secret.hosts.is_empty() && !secret.inject.is_empty());
    require(
        usable,
        || table.at(steps!["secrets", index]),
        || ManifestProblem::value("an unusable secret", "`hosts` and `inject`, or `reveal = true`"),
    )?;
    secret_grants_of(secret)
        .map(|_| ())
        .map_err(|error| Refusal { path: at("key_names"), problem: ManifestProblem::Grant(error) })
}

fn check_storage(table: &CapabilityTable<'_>) -> Checked {
    let capabilities = table.capabilities();
    for (key, prefixes) in [
        ("storage_prefixes", &capabilities.storage_prefixes),
        ("storage_read_prefixes", &capabilities.storage_read_prefixes),
    ] {
        at_most(prefixes, MAX_LIST, || table.at(steps![key]))?;
        for (prefix, place) in table.entries(key, prefixes) {
            parse::<StoragePrefix>(prefix, place)?;
        }
        distinct(table.entries(key, prefixes))?;
    }
    let quota = capabilities.storage_quota_bytes;
    check_number(quota, || table.at(steps!["storage_quota_bytes"]))?;
    let named = quota.is_none() || !capabilities.storage_prefixes.is_empty();
    require(
        named,
        || table.at(steps!["storage_quota_bytes"]),
        || ManifestProblem::value("a quota without storage", "`storage_prefixes` beside it"),
    )
}

fn check_channels(table: &CapabilityTable<'_>) -> Checked {
    let channels = &table.capabilities().channels;
    at_most(channels, MAX_LIST, || table.at(steps!["channels"]))?;
    for (channel, place) in table.entries("channels", channels) {
        parse::<ChannelName>(channel, place)?;
    }
    distinct(table.entries("channels", channels))
}

fn check_names(table: &CapabilityTable<'_>) -> Checked {
    check_channels(table)?;
    let devices = &table.capabilities().device_capabilities;
    at_most(devices, MAX_LIST, || table.at(steps!["device_capabilities"]))?;
    for (device, place) in table.entries("device_capabilities", devices) {
        require(
            device.len() <= 64 && is_word(device, "-_"),
            || place,
            || ManifestProblem::text(device, "the name of a device, for example `camera`"),
        )?;
    }
    distinct(table.entries("device_capabilities", devices))
}

fn check_nodes(table: &CapabilityTable<'_>) -> Checked {
    let names = &table.capabilities().node_capabilities;
    at_most(names, MAX_LIST, || table.at(steps!["node_capabilities"]))?;
    let known = NodeCapability::all_names();
    let (mut systems, mut processors) = (0, 0);
    for (name, place) in table.entries("node_capabilities", names) {
        match name.parse::<NodeCapability>() {
            Ok(NodeCapability::Os(_)) => systems += 1,
            Ok(NodeCapability::Arch(_)) => processors += 1,
            Ok(_) => {}
            Err(_) => {
                let problem = ManifestProblem::text(name, one_of(&known));
                let problem = match closest(name, &known) {
                    Some(meant) => problem.with_fix(format!("did you mean `{meant}`?")),
                    None => problem,
                };
                return super::refuse(place, problem);
            }
        }
        require(
            systems <= 1 && processors <= 1,
            || place,
            || {
                ManifestProblem::text(
                    name,
                    "at most one `os:` and one `arch:`, because every entry must match",
                )
            },
        )?;
    }
    distinct(table.entries("node_capabilities", names))
}

fn check_quotas(table: &CapabilityTable<'_>) -> Checked {
    let known = crate::grants::quota_names();
    for (name, value) in &table.capabilities().quotas.0 {
        let at = || table.at(steps!["quotas", name.as_str()]);
        let Some(kind) = quota_field(name) else {
            return super::refuse(
                at(),
                ManifestProblem::UnknownKey { key: super::super::error::clip(name), known },
            );
        };
        require(*value > 0, at, || ManifestProblem::text("0", format!("a {kind} limit of at least 1")))?;
        check_number(Some(*value), at)?;
    }
    Ok(())
}

fn check_number(value: Option<u64>, path: impl FnOnce() -> Vec<Step>) -> Checked {
    let value = value.unwrap_or(0);
    require(value <= MAX_NUMBER, path, || {
        ManifestProblem::text(&value.to_string(), format!("at most {MAX_NUMBER}"))
    })
}

fn parse<T>(text: &str, place: Vec<Step>) -> Checked
where
    T: std::str::FromStr<Err = palyra_common::capabilities::GrantSyntaxError>,
{
    text.parse::<T>()
        .map(|_| ())
        .map_err(|error| Refusal { path: place, problem: ManifestProblem::Grant(error) })
}

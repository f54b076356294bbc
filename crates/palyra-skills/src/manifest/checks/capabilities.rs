//! What a skill asks for, read with the one grammar of each kind of grant.

use palyra_common::capabilities::{
    ChannelName, HostPattern, RootName, SecretForm, SecretScope, StoragePrefix,
};

use super::{Checked, Refusal, Rule, at_most, distinct, indexed, manifest_host, require, steps};
use crate::compat::NodeCapability;
use crate::grants::{http_rules_of, quota_field, secret_grants_of};
use crate::manifest::error::{ManifestProblem, closest, one_of};
use crate::manifest::locate::Step;
use crate::manifest::model::{Capabilities, SecretAccess, SkillManifest};
use crate::manifest::names::is_word;

const MAX_RULES: usize = 128;
const MAX_LIST: usize = 64;
/// Largest quota or cap: what JSON can carry exactly.
const MAX_NUMBER: u64 = (1 << 53) - 1;

pub(super) const RULES: [Rule; 7] = [
    |manifest| check_http(&manifest.capabilities),
    |manifest| check_filesystem(&manifest.capabilities),
    check_secrets,
    |manifest| check_storage(&manifest.capabilities),
    |manifest| check_names(&manifest.capabilities),
    |manifest| check_nodes(&manifest.capabilities),
    |manifest| check_quotas(&manifest.capabilities),
];

fn check_http(capabilities: &Capabilities) -> Checked {
    at_most(&capabilities.http_egress_allowlist, MAX_RULES, || {
        steps!["capabilities", "http_egress_allowlist"]
    })?;
    for (host, place) in
        indexed(&capabilities.http_egress_allowlist, &["capabilities", "http_egress_allowlist"])
    {
        check_host(host, capabilities, place)?;
    }
    distinct(indexed(&capabilities.http_egress_allowlist, &["capabilities", "http_egress_allowlist"]))?;
    at_most(&capabilities.http_rules, MAX_RULES, || steps!["capabilities", "http_rules"])?;
    let mut total = capabilities.http_egress_allowlist.len();
    for (index, rule) in capabilities.http_rules.iter().enumerate() {
        let at = |key: &str| steps!["capabilities", "http_rules", index, key];
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
        // Rules are compared pairwise; more than this is slow and nobody could read it.
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
                .with_fix("name the hosts, or set `wildcard_opt_in = true` under `[capabilities]`")
        },
    )
}

fn check_filesystem(capabilities: &Capabilities) -> Checked {
    let roots = &capabilities.filesystem;
    for (key, names) in [("read_roots", &roots.read_roots), ("write_roots", &roots.write_roots)] {
        at_most(names, MAX_LIST, || steps!["capabilities", "filesystem", key])?;
        for (name, place) in indexed(names, &["capabilities", "filesystem", key]) {
            parse::<RootName>(name, place)?;
        }
        distinct(indexed(names, &["capabilities", "filesystem", key]))?;
    }
    Ok(())
}

fn check_secrets(manifest: &SkillManifest) -> Checked {
    let capabilities = &manifest.capabilities;
    at_most(&capabilities.secrets, MAX_LIST, || steps!["capabilities", "secrets"])?;
    for (index, secret) in capabilities.secrets.iter().enumerate() {
        let at = |key: &str| steps!["capabilities", "secrets", index, key];
        let scope = secret.scope.parse::<SecretScope>();
        let scope =
            scope.map_err(|error| Refusal { path: at("scope"), problem: ManifestProblem::Grant(error) })?;
        if let SecretScope::Skill(owner) = &scope {
            require(
                *owner == manifest.skill_id,
                || at("scope"),
                || {
                    ManifestProblem::text(&secret.scope, format!("`skill:{}`", manifest.skill_id))
                        .with_fix("a skill cannot ask for the secrets of another one")
                },
            )?;
        }
        check_secret(secret, capabilities, index)?;
    }
    let secrets = capabilities.secrets.iter().enumerate();
    let named: Vec<(String, Vec<Step>)> = secrets
        .flat_map(|(index, secret)| {
            secret.key_names.iter().enumerate().map(move |(number, key)| {
                (
                    format!("{}/{key}", secret.scope),
                    steps!["capabilities", "secrets", index, "key_names", number],
                )
            })
        })
        .collect();
    require(
        named.len() <= MAX_LIST,
        || steps!["capabilities", "secrets"],
        || ManifestProblem::value(format!("{} secrets", named.len()), format!("at most {MAX_LIST}")),
    )?;
    distinct(named.iter().map(|(name, place)| (name.as_str(), place.clone())))
}

fn check_secret(secret: &SecretAccess, capabilities: &Capabilities, index: usize) -> Checked {
    let at = |key: &str| steps!["capabilities", "secrets", index, key];
    require(
        !secret.key_names.is_empty(),
        || at("key_names"),
        || ManifestProblem::value("no name", "at least one secret"),
    )?;
    at_most(&secret.key_names, MAX_LIST, || at("key_names"))?;
    at_most(&secret.hosts, MAX_LIST, || at("hosts"))?;
    at_most(&secret.inject, 16, || at("inject"))?;
    for (number, host) in secret.hosts.iter().enumerate() {
        check_host(host, capabilities, steps!["capabilities", "secrets", index, "hosts", number])?;
    }
    for (number, form) in secret.inject.iter().enumerate() {
        parse::<SecretForm>(form, steps!["capabilities", "secrets", index, "inject", number])?;
    }
    let usable = secret.reveal || (!secret.hosts.is_empty() && !secret.inject.is_empty());
    require(
        usable,
        || steps!["capabilities", "secrets", index],
        || {
            ManifestProblem::value(
                "a secret nothing can be done with",
                "`hosts` and `inject`, or `reveal = true`",
            )
        },
    )?;
    secret_grants_of(secret)
        .map(|_| ())
        .map_err(|error| Refusal { path: at("key_names"), problem: ManifestProblem::Grant(error) })
}

fn check_storage(capabilities: &Capabilities) -> Checked {
    at_most(&capabilities.storage_prefixes, MAX_LIST, || steps!["capabilities", "storage_prefixes"])?;
    for (prefix, place) in indexed(&capabilities.storage_prefixes, &["capabilities", "storage_prefixes"]) {
        parse::<StoragePrefix>(prefix, place)?;
    }
    distinct(indexed(&capabilities.storage_prefixes, &["capabilities", "storage_prefixes"]))?;
    let quota = capabilities.storage_quota_bytes;
    check_number(quota, || steps!["capabilities", "storage_quota_bytes"])?;
    let named = quota.is_none() || !capabilities.storage_prefixes.is_empty();
    require(
        named,
        || steps!["capabilities", "storage_quota_bytes"],
        || ManifestProblem::value("a quota without storage", "`storage_prefixes` beside it"),
    )
}

fn check_names(capabilities: &Capabilities) -> Checked {
    at_most(&capabilities.channels, MAX_LIST, || steps!["capabilities", "channels"])?;
    for (channel, place) in indexed(&capabilities.channels, &["capabilities", "channels"]) {
        parse::<ChannelName>(channel, place)?;
    }
    distinct(indexed(&capabilities.channels, &["capabilities", "channels"]))?;
    at_most(&capabilities.device_capabilities, MAX_LIST, || steps!["capabilities", "device_capabilities"])?;
    for (device, place) in
        indexed(&capabilities.device_capabilities, &["capabilities", "device_capabilities"])
    {
        require(
            device.len() <= 64 && is_word(device, "-_"),
            || place,
            || ManifestProblem::text(device, "the name of a device, as in `camera`"),
        )?;
    }
    distinct(indexed(&capabilities.device_capabilities, &["capabilities", "device_capabilities"]))
}

fn check_nodes(capabilities: &Capabilities) -> Checked {
    let names = &capabilities.node_capabilities;
    at_most(names, MAX_LIST, || steps!["capabilities", "node_capabilities"])?;
    let known = NodeCapability::all_names();
    let (mut systems, mut processors) = (0, 0);
    for (name, place) in indexed(names, &["capabilities", "node_capabilities"]) {
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
                    "at most one `os:` and one `arch:`, because every entry must hold",
                )
            },
        )?;
    }
    distinct(indexed(names, &["capabilities", "node_capabilities"]))
}

fn check_quotas(capabilities: &Capabilities) -> Checked {
    let known = crate::grants::quota_names();
    for (name, value) in &capabilities.quotas.0 {
        let at = || steps!["capabilities", "quotas", name.as_str()];
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

//! Converts the tables of a manifest to grant sets, for the skill and for tools that narrow its grants.

use std::collections::BTreeSet;

use palyra_common::capabilities::{
    FilesystemAccess, FilesystemGrant, GrantSyntaxError, HostPattern, HttpRule, PathPattern, Scheme,
    SecretForm, SecretGrant, SecretRef, StorageGrant,
};
use palyra_common::{Capability, CapabilityGrantSet};

use crate::manifest::{Capabilities, HttpRuleText, SecretAccess, SkillManifest, ToolEntrypoint};

/// Returns every grant that a manifest requests, which is the upper bound for the skill.
///
/// A request that does not match its grammar grants nothing; [`crate::manifest::parse_manifest_toml`] rejects it with
/// a reason.
#[must_use]
pub fn capability_grants_from_manifest(manifest: &SkillManifest) -> CapabilityGrantSet {
    grants_of(&manifest.capabilities)
}

/// Returns the grants of a tool if its own table leaves less than the skill requests, else `None`.
#[must_use]
pub fn narrowed_grants_of_tool(
    manifest: &SkillManifest,
    tool: &ToolEntrypoint,
) -> Option<CapabilityGrantSet> {
    let listed = grants_of(&tool.capabilities.as_ref()?.within(&manifest.capabilities));
    let skill = capability_grants_from_manifest(manifest);
    Some(skill.intersect(&listed)).filter(|left| *left != skill)
}

/// Returns the upper bound of the grants for a call of `tool`: those of the skill, narrowed by the tool's own table.
pub fn grants_of_tool(manifest: &SkillManifest, tool: &ToolEntrypoint) -> CapabilityGrantSet {
    narrowed_grants_of_tool(manifest, tool).unwrap_or_else(|| capability_grants_from_manifest(manifest))
}

/// Returns whether a grant that a tool lists is part of the requests of its skill. A byte limit that the tool omits is
/// that of the skill.
pub(crate) fn is_requested(skill: &CapabilityGrantSet, listed: &Capability) -> bool {
    let shared = skill.intersect(&CapabilityGrantSet::from_iter([listed.clone()]));
    Vec::<Capability>::from(shared).iter().any(|shared| match (shared, listed) {
        (Capability::Http(shared), Capability::Http(listed)) => {
            let limited = HttpRule {
                request_bytes: listed.request_bytes.or(shared.request_bytes),
                response_bytes: listed.response_bytes.or(shared.response_bytes),
                total_bytes: listed.total_bytes.or(shared.total_bytes),
                ..listed.clone()
            };
            *shared == limited
        }
        _ => shared == listed,
    })
}

pub(crate) fn grants_of(capabilities: &Capabilities) -> CapabilityGrantSet {
    let secrets = capabilities.secrets.iter().filter_map(|secret| secret_grants_of(secret).ok()).flatten();
    http_grants(capabilities)
        .map(Capability::Http)
        .chain(secrets.map(Capability::Secret))
        .chain(storage_grants(capabilities).map(Capability::Storage))
        .chain(capabilities.channels.iter().filter_map(|name| name.parse().ok()).map(Capability::Channel))
        .chain(filesystem_grants(capabilities).map(Capability::Filesystem))
        .collect()
}

fn http_grants(capabilities: &Capabilities) -> impl Iterator<Item = HttpRule> {
    let hosts = capabilities.http_egress_allowlist.iter().filter_map(|host| host.parse::<HostPattern>().ok());
    let short = hosts.map(|host| HttpRule::any(Scheme::Https, host, Scheme::Https.default_port()));
    let rules = capabilities.http_rules.iter().filter_map(|rule| http_rules_of(rule).ok()).flatten();
    short.chain(rules)
}

/// Expands a table to rules, one per port and path. An error names the invalid key.
pub(crate) fn http_rules_of(text: &HttpRuleText) -> Result<Vec<HttpRule>, (&'static str, GrantSyntaxError)> {
    let scheme = parse_scheme(text.scheme.as_deref()).map_err(|error| ("scheme", error))?;
    let host: HostPattern = text.host.parse().map_err(|error| ("host", error))?;
    let methods = text.methods.iter().map(|method| parse_method(method)).collect::<Result<BTreeSet<_>, _>>();
    let methods = methods.map_err(|error| ("methods", error))?;
    let paths = text.paths.iter().map(|path| path.parse()).collect::<Result<Vec<PathPattern>, _>>();
    let mut paths = paths.map_err(|error| ("paths", error))?;
    if paths.is_empty() {
        paths.push(PathPattern::any());
    }
    let default_port = [scheme.default_port()];
    let ports = if text.ports.is_empty() { &default_port[..] } else { &text.ports };
    let rule = |port: u16, path: &PathPattern| HttpRule {
        scheme,
        host: host.clone(),
        port,
        methods: (!methods.is_empty()).then(|| methods.clone()),
        path: path.clone(),
        request_bytes: text.request_bytes,
        response_bytes: text.response_bytes,
        total_bytes: text.total_bytes,
    };
    Ok(ports.iter().flat_map(|port| paths.iter().map(|path| rule(*port, path))).collect())
}

fn parse_scheme(text: Option<&str>) -> Result<Scheme, GrantSyntaxError> {
    match text {
        None | Some("https") => Ok(Scheme::Https),
        Some("http") => Ok(Scheme::Http),
        Some(other) => Err(part("scheme", other, "expected `https` or `http`")),
    }
}

/// Parses one method with the grammar of rules; rejects a list, `*` and the empty text, which are valid in a rule.
fn parse_method(text: &str) -> Result<String, GrantSyntaxError> {
    let rule: HttpRule = format!("{text} https://example.com").parse()?;
    match rule.methods {
        Some(methods) if methods.len() == 1 && methods.contains(text) => Ok(text.to_owned()),
        _ => Err(part("http method", text, "expected one upper-case word, for example `GET`")),
    }
}

/// Expands a table to grants, one per secret.
pub(crate) fn secret_grants_of(text: &SecretAccess) -> Result<Vec<SecretGrant>, GrantSyntaxError> {
    let hosts = text.hosts.iter().map(|host| host.parse()).collect::<Result<Vec<HostPattern>, _>>()?;
    let inject = text.inject.iter().map(|form| form.parse()).collect::<Result<BTreeSet<SecretForm>, _>>()?;
    let grant = |key: &String| {
        let secret: SecretRef = format!("{}/{key}", text.scope).parse()?;
        Ok(SecretGrant::new(secret, hosts.clone(), inject.clone(), text.reveal))
    };
    text.key_names.iter().map(grant).collect()
}

fn storage_grants(capabilities: &Capabilities) -> impl Iterator<Item = StorageGrant> {
    let prefixes = capabilities.storage_prefixes.iter().filter_map(|prefix| prefix.parse().ok());
    let max_bytes = capabilities.storage_quota_bytes;
    let written = prefixes.map(move |prefix| StorageGrant { max_bytes, ..StorageGrant::read_write(prefix) });
    let read = capabilities.storage_read_prefixes.iter().filter_map(|prefix| prefix.parse().ok());
    written.chain(read.map(StorageGrant::read))
}

fn filesystem_grants(capabilities: &Capabilities) -> impl Iterator<Item = FilesystemGrant> {
    let roots = |names: &[String], access| -> Vec<FilesystemGrant> {
        let parsed = names.iter().filter_map(|name| name.parse().ok());
        parsed.map(|root| FilesystemGrant::unmapped(access, root)).collect()
    };
    let filesystem = &capabilities.filesystem;
    roots(&filesystem.read_roots, FilesystemAccess::Read)
        .into_iter()
        .chain(roots(&filesystem.write_roots, FilesystemAccess::ReadWrite))
}

fn part(what: &'static str, text: &str, reason: &'static str) -> GrantSyntaxError {
    GrantSyntaxError::Part { what, text: crate::manifest::clip(text), reason }
}

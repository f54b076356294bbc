//! Permissions in plain English, displayed before a person consents.

pub use palyra_common::model::skills::{Permission, PermissionSeverity};

use palyra_common::byte_size::format_byte_size;
use palyra_common::capabilities::{
    FilesystemAccess, FilesystemGrant, HostPattern, HttpRule, Scheme, SecretForm, SecretGrant, StorageAccess,
    StorageGrant,
};
use palyra_common::limits::DEFAULT_STORAGE_BYTES;
use palyra_common::{Capability, LimitKind, RuntimeLimits};

use super::{capability_grants_from_manifest, limits_from_manifest, narrowed_grants_of_tool};
use crate::manifest::{SkillManifest, ToolEntrypoint};

/// Returns the permissions of a skill, most severe first.
#[must_use]
pub fn describe_permissions(manifest: &SkillManifest) -> Vec<Permission> {
    let grants: Vec<Capability> = capability_grants_from_manifest(manifest).into();
    let mut permissions: Vec<Permission> = grants.iter().map(describe_grant).collect();
    permissions.extend(manifest.capabilities.device_capabilities.iter().map(|device| Permission {
        text: format!("Use the device `{device}`"),
        severity: PermissionSeverity::High,
    }));
    permissions
        .extend(manifest.entrypoints.hooks.iter().flat_map(|hook| &hook.events).map(|event| hook(event)));
    permissions.extend(limits(&limits_from_manifest(manifest)));
    permissions.extend(manifest.entrypoints.tools.iter().filter_map(|tool| narrowed(manifest, tool)));
    permissions.sort_by_key(|permission| std::cmp::Reverse(permission.severity));
    permissions.dedup();
    permissions
}

/// Describes one grant.
#[must_use]
pub fn describe_grant(grant: &Capability) -> Permission {
    let (text, severity) = match grant {
        Capability::Http(rule) => http(rule),
        Capability::Secret(grant) => secret(grant),
        Capability::Storage(grant) => (storage(grant), PermissionSeverity::Low),
        Capability::Channel(name) => {
            (format!("Publish messages to the channel `{name}`"), PermissionSeverity::Medium)
        }
        Capability::Filesystem(grant) => filesystem(grant),
    };
    Permission { text, severity }
}

fn http(rule: &HttpRule) -> (String, PermissionSeverity) {
    let methods = match &rule.methods {
        None => "any request".to_owned(),
        Some(methods) => {
            let names: Vec<&str> = methods.iter().map(String::as_str).collect();
            format!("{} requests", and(&names))
        }
    };
    let place = HttpRule {
        methods: None,
        request_bytes: None,
        response_bytes: None,
        total_bytes: None,
        ..rule.clone()
    };
    let mut text = format!("Send {methods} to {place}");
    if rule.path.is_any() {
        text.push_str(", any path");
    }
    if let Some(shown) = other_spelling(&rule.host) {
        text.push_str(&format!(" ({shown})"));
    }
    if rule.host.is_wildcard() {
        text.push_str(", any value for `*`");
    }
    if rule.scheme == Scheme::Http {
        text.push_str(", without encryption");
    }
    for (cap, what) in [
        (rule.request_bytes, "per request"),
        (rule.response_bytes, "per response"),
        (rule.total_bytes, "per run"),
    ] {
        if let Some(cap) = cap {
            text.push_str(&format!(", at most {} {what}", format_byte_size(cap)));
        }
    }
    let wide = rule.host.is_wildcard() || rule.scheme == Scheme::Http;
    (text, if wide { PermissionSeverity::High } else { PermissionSeverity::Medium })
}

/// Returns the host name in its own script, if the rule shows the ASCII form.
fn other_spelling(host: &HostPattern) -> Option<String> {
    let (HostPattern::Name(name) | HostPattern::Wildcard(name)) = host else { return None };
    let (shown, valid) = idna::domain_to_unicode(name);
    (valid.is_ok() && shown != *name).then_some(shown)
}

fn secret(grant: &SecretGrant) -> (String, PermissionSeverity) {
    let hosts: Vec<String> = grant.hosts().iter().map(ToString::to_string).collect();
    let hosts = and(&hosts.iter().map(String::as_str).collect::<Vec<_>>());
    let forms: Vec<String> = grant.inject().iter().map(form).collect();
    let forms = or(&forms.iter().map(String::as_str).collect::<Vec<_>>());
    match (grant.reveal, grant.hosts().is_empty() || grant.inject().is_empty()) {
        (true, true) => (format!("Read the secret `{}`", grant.secret), PermissionSeverity::High),
        (true, false) => (
            format!("Read the secret `{}`, and send it to {hosts}, {forms}", grant.secret),
            PermissionSeverity::High,
        ),
        (false, _) => (
            format!("Send the secret `{}` to {hosts}, {forms}; the skill never sees it", grant.secret),
            PermissionSeverity::Medium,
        ),
    }
}

fn form(form: &SecretForm) -> String {
    match form {
        SecretForm::Bearer => "as a bearer token".to_owned(),
        SecretForm::Basic => "as a basic password".to_owned(),
        SecretForm::Header(name) => format!("in the header `{name}`"),
        SecretForm::Query(name) => format!("in the query parameter `{name}`"),
    }
}

fn storage(grant: &StorageGrant) -> String {
    match grant.access {
        StorageAccess::Read => format!("Read its own data under `{}`", grant.prefix),
        StorageAccess::ReadWrite => {
            let bytes = format_byte_size(grant.max_bytes.unwrap_or(DEFAULT_STORAGE_BYTES));
            format!("Store up to {bytes} of its own data under `{}`", grant.prefix)
        }
    }
}

/// Describes the remaining permissions of a tool that narrows those of the skill.
fn narrowed(manifest: &SkillManifest, tool: &ToolEntrypoint) -> Option<Permission> {
    let grants: Vec<Capability> = narrowed_grants_of_tool(manifest, tool)?.into();
    let texts: Vec<String> = grants.iter().map(|grant| lower_first(&describe_grant(grant).text)).collect();
    let left = if texts.is_empty() { "do none of this".to_owned() } else { texts.join("; ") };
    let text = format!("In the tool `{}` only: {left}", tool.id);
    Some(Permission { text, severity: PermissionSeverity::Low })
}

fn lower_first(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_lowercase().chain(rest).collect())
}

fn filesystem(grant: &FilesystemGrant) -> (String, PermissionSeverity) {
    let root = &grant.root;
    match grant.access {
        FilesystemAccess::Read => (
            format!(
                "Read files in the directory that an operator maps to \
                `{root}`"
            ),
            PermissionSeverity::Medium,
        ),
        FilesystemAccess::ReadWrite => (
            format!("Read, change and remove files in the directory that an operator maps to `{root}`"),
            PermissionSeverity::High,
        ),
    }
}

fn hook(event: &str) -> Permission {
    match event {
        "run:before_tool" => Permission {
            text: "See every tool call before it runs, and hold or block it".to_owned(),
            severity: PermissionSeverity::High,
        },
        "run:after_tool" => Permission {
            text: "See every tool call after it ran".to_owned(),
            severity: PermissionSeverity::High,
        },
        other => Permission {
            text: format!("Receive every `{other}` event"),
            severity: PermissionSeverity::Medium,
        },
    }
}

/// Describes limits above the defaults; lower ones need no permission.
fn limits(asked: &RuntimeLimits) -> Vec<Permission> {
    let ordinary = RuntimeLimits::default();
    let higher = |kind: LimitKind| {
        let (asked, ordinary) = (asked.get(kind)?, ordinary.get(kind)?);
        let (more, usual) = (grouped(kind.format_value(asked)), grouped(kind.format_value(ordinary)));
        let text = format!("Use up to {more} {} (default {usual})", thing(kind));
        (asked > ordinary).then_some(Permission { text, severity: PermissionSeverity::Low })
    };
    LimitKind::SETTABLE.into_iter().filter_map(higher).collect()
}

/// Separates the thousands of a number without a unit.
fn grouped(value: String) -> String {
    if !value.bytes().all(|digit| digit.is_ascii_digit()) {
        return value;
    }
    let groups = value.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

fn thing(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Fuel => "fuel",
        LimitKind::Memory => "memory",
        LimitKind::Tables => "table elements",
        LimitKind::Instances => "instances",
        LimitKind::Timeout => "time",
        LimitKind::Input => "input",
        LimitKind::Output => "output",
        LimitKind::Log => "log text",
        LimitKind::HostCalls => "host calls",
        LimitKind::Egress => "network traffic",
        LimitKind::Tape => "recorded steps",
        _ => "a limit",
    }
}

fn and(words: &[&str]) -> String {
    join(words, "and")
}

fn or(words: &[&str]) -> String {
    join(words, "or")
}

fn join(words: &[&str], last: &str) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_owned(),
        [head @ .., tail] => format!("{} {last} {tail}", head.join(", ")),
    }
}

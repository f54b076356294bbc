//! Denials: the attempted use, the failed check, and the smallest grant that would allow it.

use crate::address::ClosedAddress;
use crate::request::target::Target;
use ipnet::IpNet;
use palyra_common::capabilities::{HostPattern, HttpRule, PathPattern, SecretForm, SecretRef};
use palyra_common::{CapabilityKind, Denial};
use std::collections::BTreeSet;

/// Creates the denial of a request that no rule covers.
pub(crate) fn http(method: &str, target: &Target, reason: &str) -> Denial {
    let rule = exact_rule(method, target);
    Denial {
        kind: CapabilityKind::Http,
        subject: clipped(target.without_query()),
        reason: reason.to_owned(),
        manifest: Some(manifest_rule(Some(method), &rule)),
        grant: Some(format!("http:{rule}")),
    }
}

/// Creates the denial of a header that could make the server use another method, path or host than the rule names.
pub(crate) fn override_header(target: &Target, header: &str, rule: &HttpRule) -> Denial {
    let whole = HttpRule::any(target.scheme, target.host.clone(), target.port);
    Denial {
        kind: CapabilityKind::Http,
        subject: clipped(target.without_query()),
        reason: format!(
            "header `{header}` can change the method, path or host that the server uses, and rule `{rule}` \
            limits them"
        ),
        manifest: Some(manifest_rule(None, &whole)),
        grant: Some(format!("http:{whole}")),
    }
}

/// Creates the denial of a request that no grant can allow.
pub(crate) fn never(target: &Target, reason: &str) -> Denial {
    spelling(target.without_query(), reason)
}

/// Creates the denial of a URL whose notation no grant can match.
pub(crate) fn spelling(shown: &str, reason: &str) -> Denial {
    Denial {
        kind: CapabilityKind::Http,
        subject: clipped(shown),
        reason: reason.to_owned(),
        grant: None,
        manifest: None,
    }
}

/// Creates the denial of a granted host with a blocked address, which only an operator can allow.
pub(crate) fn closed_address(target: &Target, closed: ClosedAddress) -> Denial {
    let ClosedAddress { address, why } = closed;
    // The address of a name reveals the operator's network. It is only in the grant, which guests do not receive.
    let reason = match target.host.address() {
        Some(_) => format!("`{address}` is {why}"),
        None => format!("`{}` resolves to {why}", target.host),
    };
    Denial {
        kind: CapabilityKind::Http,
        subject: clipped(target.without_query()),
        reason,
        grant: Some(format!("address:{}", IpNet::from(address))),
        manifest: None,
    }
}

/// Creates the denial of a request to one of Palyra's own listeners.
pub(crate) fn own_listener(target: &Target) -> Denial {
    never(target, "it is a listener of Palyra")
}

/// Creates the denial of a secret's placement in a request.
pub(crate) fn injection(secret: &SecretRef, host: &HostPattern, form: &SecretForm, reason: String) -> Denial {
    Denial {
        kind: CapabilityKind::Secret,
        subject: secret.to_string(),
        reason,
        grant: Some(format!("secret:{secret} hosts={host} inject={form}")),
        manifest: Some(format!(
            "add `[[capabilities.secrets]]` with scope = \"{}\", key_names = [\"{}\"], hosts = [\"{host}\"], inject = [\"{form}\"]",
            secret.scope, secret.key
        )),
    }
}

/// Creates the denial of a request into which the guest itself put a secret.
pub(crate) fn leak(secret: &SecretRef, host: &HostPattern, place: &str) -> Denial {
    Denial {
        kind: CapabilityKind::Secret,
        subject: secret.to_string(),
        reason: format!("the guest put its value into the {place} of a request to `{host}`"),
        grant: Some(format!("secret:{secret} hosts={host} reveal")),
        manifest: Some(format!(
            "add `[[capabilities.secrets]]` with scope = \"{}\", key_names = [\"{}\"], hosts = [\"{host}\"], reveal = true",
            secret.scope, secret.key
        )),
    }
}

/// Clips text from a guest for a message.
pub(crate) fn clipped(text: &str) -> String {
    palyra_common::text::clip_marked(text, 256).into_owned()
}

/// Returns the narrowest rule for this method, origin and path.
fn exact_rule(method: &str, target: &Target) -> HttpRule {
    let mut rule = HttpRule::any(target.scheme, target.host.clone(), target.port);
    rule.methods = Some(BTreeSet::from([method.to_owned()]));
    rule.path = exact_path(target.path());
    rule
}

/// Returns the narrowest pattern that matches a path. A segment with `*` becomes `*`, and a path that no pattern can
/// name needs the whole host.
fn exact_path(path: &str) -> PathPattern {
    const LONGEST: usize = 1_024;
    let segments: Vec<&str> =
        path.split('/').map(|part| if part.contains('*') { "*" } else { part }).collect();
    let pattern = segments.join("/").parse::<PathPattern>();
    pattern
        .ok()
        .filter(|pattern| path.len() <= LONGEST && pattern.matches(path))
        .unwrap_or_else(PathPattern::any)
}

fn manifest_rule(method: Option<&str>, rule: &HttpRule) -> String {
    let mut line = format!("add `[[capabilities.http_rules]]` with host = \"{}\"", rule.host);
    if rule.scheme.as_str() != "https" {
        line.push_str(&format!(", scheme = \"{}\"", rule.scheme.as_str()));
    }
    if rule.port != rule.scheme.default_port() {
        line.push_str(&format!(", ports = [{}]", rule.port));
    }
    if let Some(method) = method {
        line.push_str(&format!(", methods = [\"{method}\"]"));
    }
    if !rule.path.is_any() {
        line.push_str(&format!(", paths = [\"{}\"]", rule.path));
    }
    line
}

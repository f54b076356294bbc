//! Handles: opaque numbers for the capabilities of one run.

use crate::random::{RandomUse, RunSeed};
use crate::run_context::{HostFailure, RunContext};
use palyra_common::capabilities::{HostPattern, HttpRule, Scheme};
use palyra_common::{CapabilityGrantSet, CapabilityKind, Denial};
use rand_core::Rng;

/// The kinds of capabilities that guests use through handles.
const KINDS: [CapabilityKind; 4] =
    [CapabilityKind::Http, CapabilityKind::Secret, CapabilityKind::Storage, CapabilityKind::Channel];

/// The handles of one run: random, distinct and positive.
#[derive(Debug, Default)]
pub struct CapabilityHandles(Vec<(i32, CapabilityKind, usize)>);

impl CapabilityHandles {
    pub(crate) fn draw(grants: &CapabilityGrantSet, seed: &RunSeed) -> Self {
        let total: usize = KINDS.iter().map(|kind| count(grants, *kind)).sum();
        if total == 0 {
            return Self::default();
        }
        let mut generator = seed.generator(RandomUse::Handles);
        let mut handles: Vec<(i32, CapabilityKind, usize)> = Vec::with_capacity(total);
        for kind in KINDS {
            for index in 0..count(grants, kind) {
                let handle = loop {
                    let drawn = (generator.next_u32() >> 1).cast_signed();
                    if drawn > 0 && !handles.iter().any(|(other, _, _)| *other == drawn) {
                        break drawn;
                    }
                };
                handles.push((handle, kind, index));
            }
        }
        Self(handles)
    }

    /// Returns the number of capabilities of a kind.
    pub fn count(&self, kind: CapabilityKind) -> i32 {
        i32::try_from(self.0.iter().filter(|(_, k, _)| *k == kind).count()).unwrap_or(i32::MAX)
    }

    /// Returns the handle of a capability by kind and index, or `-1` if there is none.
    pub fn at(&self, kind: CapabilityKind, index: i32) -> i32 {
        let Ok(index) = usize::try_from(index) else { return -1 };
        self.0.iter().find(|(_, k, i)| *k == kind && *i == index).map_or(-1, |(handle, _, _)| *handle)
    }

    /// Returns the kind and index of the capability behind a handle.
    pub fn lookup(&self, handle: i32) -> Option<(CapabilityKind, usize)> {
        self.0.iter().find(|(h, _, _)| *h == handle).map(|(_, kind, index)| (*kind, *index))
    }
}

impl RunContext {
    /// Returns the index of the grant behind a handle, or a denial that explains the invalid handle.
    pub(crate) fn resolve(
        &self,
        op: &'static str,
        handle: i32,
        wanted: CapabilityKind,
        subject: &str,
    ) -> Result<usize, HostFailure> {
        match self.handles.lookup(handle) {
            Some((kind, index)) if kind == wanted => Ok(index),
            found => {
                self.refuse(op, self.handle_denial(handle, wanted, subject, found.map(|(kind, _)| kind)))
            }
        }
    }

    /// Returns the handle for a name, or `-1`. A missing name is stored to explain a denial that may follow.
    pub(crate) fn find(&self, kind: CapabilityKind, name: &str) -> i32 {
        let grants = &self.grants;
        let index = match kind {
            CapabilityKind::Http => grants.http().iter().position(|rule| names_rule(rule, name)),
            CapabilityKind::Secret => {
                grants.secrets().iter().position(|g| g.secret.key == name || g.secret.to_string() == name)
            }
            CapabilityKind::Storage => {
                grants.storage().iter().position(|grant| grant.prefix.as_str() == name)
            }
            CapabilityKind::Channel => grants.channels().iter().position(|channel| channel.as_str() == name),
            CapabilityKind::Filesystem => None,
        };
        let handle = index
            .and_then(|index| i32::try_from(index).ok())
            .map_or(-1, |index| self.handles.at(kind, index));
        if handle == -1 {
            let clipped = self.secrets.redact_text(name).chars().take(200).collect();
            self.changing().missed = Some((kind, clipped));
        }
        handle
    }

    /// Returns the name behind a handle.
    pub(crate) fn handle_name(&self, handle: i32) -> Option<String> {
        let (kind, index) = self.handles.lookup(handle)?;
        Some(match kind {
            CapabilityKind::Http => self.grants.http()[index].to_string(),
            CapabilityKind::Secret => self.grants.secrets()[index].secret.to_string(),
            CapabilityKind::Storage => self.grants.storage()[index].prefix.to_string(),
            CapabilityKind::Channel | CapabilityKind::Filesystem => self.grants.channels()[index].to_string(),
        })
    }

    fn handle_denial(
        &self,
        handle: i32,
        wanted: CapabilityKind,
        subject: &str,
        found: Option<CapabilityKind>,
    ) -> Denial {
        let missed = self.changing().missed.clone().filter(|(kind, _)| handle == -1 && *kind == wanted);
        let subject = &*self.secrets.redact_text(subject);
        let (subject, reason) = match (&missed, found) {
            (Some((_, name)), _) => (name.clone(), "no grant has this name".to_owned()),
            (None, Some(kind)) => (label(handle, subject), format!("the handle has the kind `{kind}`")),
            (None, None) => {
                (label(handle, subject), "the guest used a handle that it was never given".to_owned())
            }
        };
        let name = missed.map(|(_, name)| name);
        let grant = name.as_deref().and_then(|name| suggested_grant(wanted, name));
        let manifest = name.as_deref().and_then(|name| suggested_manifest(wanted, name));
        Denial {
            kind: wanted,
            subject: palyra_common::redact::escape_untrusted(&subject),
            reason,
            grant,
            manifest,
        }
    }
}

fn label(handle: i32, subject: &str) -> String {
    if subject.is_empty() { format!("handle {handle}") } else { subject.chars().take(200).collect() }
}

fn suggested_grant(kind: CapabilityKind, name: &str) -> Option<String> {
    let text = match kind {
        CapabilityKind::Http if name.contains("://") => format!("http:{name}"),
        CapabilityKind::Http => format!("http:https://{name}"),
        CapabilityKind::Secret if name.contains('/') => format!("secret:{name} reveal"),
        CapabilityKind::Secret => format!("secret:global/{name} reveal"),
        CapabilityKind::Storage if name.ends_with('/') => format!("storage:{name}"),
        CapabilityKind::Storage => format!("storage:{name}/"),
        CapabilityKind::Channel => format!("channel:{name}"),
        CapabilityKind::Filesystem => return None,
    };
    let grant: palyra_common::Capability = text.parse().ok()?;
    let shown = grant.to_string();
    // Injecting a secret is better than revealing it; the operator replaces the placeholder for the host.
    Some(match kind {
        CapabilityKind::Secret => shown.replace(" reveal", " hosts=HOST inject=bearer"),
        _ => shown,
    })
}

fn suggested_manifest(kind: CapabilityKind, name: &str) -> Option<String> {
    match kind {
        CapabilityKind::Http => suggested_rule(name),
        CapabilityKind::Secret => Some(format!("add `{name}` to `[[capabilities.secrets]]`")),
        CapabilityKind::Storage => {
            let prefix = name.trim_end_matches('/');
            Some(format!("add `\"{prefix}/\"` to `capabilities.storage_prefixes`"))
        }
        CapabilityKind::Channel => Some(format!("add `\"{name}\"` to `capabilities.channels`")),
        CapabilityKind::Filesystem => None,
    }
}

/// Returns the line of `skill.toml` for a URL. The allowlist contains only host names, for HTTPS on port 443.
fn suggested_rule(name: &str) -> Option<String> {
    let is_method = |byte: u8| byte.is_ascii_uppercase() || byte == b',';
    let url = match name.split_once(' ') {
        None => name,
        // The text of a rule can start with methods.
        Some((methods, url)) if methods.bytes().all(is_method) => url,
        Some(_) => return None,
    };
    let uri: http::Uri = url.parse().ok()?;
    let host: HostPattern = uri.host()?.parse().ok()?;
    let (scheme, of_scheme) = match uri.scheme_str() {
        None | Some("https") => (Scheme::Https, ""),
        Some("http") => (Scheme::Http, "`scheme = \"http\"`, "),
        Some(_) => return None,
    };
    let port = uri.port_u16().unwrap_or(scheme.default_port());
    Some(if scheme == Scheme::Https && port == scheme.default_port() {
        format!("add `\"{host}\"` to `capabilities.http_egress_allowlist`")
    } else {
        format!("add `[[capabilities.http_rules]]` with `host = \"{host}\"`, {of_scheme}`ports = [{port}]`")
    })
}

/// Returns whether a name refers to a rule: its text, a host that it covers, or a URL that it covers.
fn names_rule(rule: &HttpRule, name: &str) -> bool {
    if rule.to_string() == name {
        return true;
    }
    let Ok(uri) = name.parse::<http::Uri>() else { return false };
    let Some(host) = uri.host().and_then(|host| host.parse::<HostPattern>().ok()) else { return false };
    let scheme = match uri.scheme_str() {
        None => return rule.host.matches(&host),
        Some("https") => Scheme::Https,
        Some("http") => Scheme::Http,
        Some(_) => return false,
    };
    let port = uri.port_u16().unwrap_or(scheme.default_port());
    rule.covers_origin(scheme, &host, port) && (rule.path.is_any() || rule.path.matches(uri.path()))
}

fn count(grants: &CapabilityGrantSet, kind: CapabilityKind) -> usize {
    match kind {
        CapabilityKind::Http => grants.http().len(),
        CapabilityKind::Secret => grants.secrets().len(),
        CapabilityKind::Storage => grants.storage().len(),
        CapabilityKind::Channel => grants.channels().len(),
        CapabilityKind::Filesystem => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants() -> CapabilityGrantSet {
        ["storage:a/", "storage:b/", "channel:x", "http:https://a.example/x/*"]
            .map(|g| g.parse().unwrap())
            .into_iter()
            .collect()
    }

    #[test]
    fn handles_are_distinct_positive_and_follow_the_seed() {
        let seed = RunSeed([7; 32]);
        let handles = CapabilityHandles::draw(&grants(), &seed);
        let mut all: Vec<i32> = handles.0.iter().map(|(handle, _, _)| *handle).collect();
        assert!(all.iter().all(|handle| *handle > 0));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 4);
        assert_eq!(handles.count(CapabilityKind::Storage), 2);
        assert_eq!(handles.at(CapabilityKind::Storage, 2), -1);
        assert_eq!(handles.at(CapabilityKind::Storage, -1), -1);
        assert_eq!(handles.0, CapabilityHandles::draw(&grants(), &seed).0);
        assert_ne!(handles.0, CapabilityHandles::draw(&grants(), &RunSeed([8; 32])).0);
    }

    #[test]
    fn suggested_manifest_names_what_its_key_accepts() {
        let http = |name: &str| suggested_manifest(CapabilityKind::Http, name);
        for name in
            ["https://api.example.com/v1/items?q=1", "api.example.com", "GET https://api.example.com:443/x"]
        {
            let expected = "add `\"api.example.com\"` to `capabilities.http_egress_allowlist`";
            assert_eq!(http(name).as_deref(), Some(expected), "{name}");
        }
        let rule = "add `[[capabilities.http_rules]]` with `host = \"a.example\"`, ";
        assert_eq!(http("https://a.example:8443/x"), Some(format!("{rule}`ports = [8443]`")));
        assert_eq!(http("http://a.example/x"), Some(format!("{rule}`scheme = \"http\"`, `ports = [80]`")));
        assert_eq!(http("ftp://a.example/x"), None);
        assert_eq!(http("the weather"), None);
        let prefix = suggested_manifest(CapabilityKind::Storage, "notes");
        assert_eq!(prefix.as_deref(), Some("add `\"notes/\"` to `capabilities.storage_prefixes`"));
    }

    #[test]
    fn rules_are_found_by_url_or_host() {
        let rule: HttpRule = "GET https://a.example/x/*".parse().unwrap();
        for name in
            ["a.example", "https://a.example/x/1", "https://A.example/x/1?q", "GET https://a.example/x/*"]
        {
            assert!(names_rule(&rule, name), "{name}");
        }
        for name in
            ["b.example", "http://a.example/x/1", "https://a.example:8443/x/1", "https://a.example/y", ""]
        {
            assert!(!names_rule(&rule, name), "{name}");
        }
    }
}

//! Counts the capabilities and resources that a run used.

use palyra_common::CapabilityGrantSet;
use palyra_common::capabilities::{HostPattern, HttpRule};
use palyra_plugins_runtime::HostCallTrace;
use palyra_state::runs::{CapabilityUse, Touched, UseCount};

/// Counts the host calls of a run by capability; every grant is listed, also unused ones.
pub(super) fn count(grants: &CapabilityGrantSet, calls: &[HostCallTrace]) -> CapabilityUse {
    let mut uses: CapabilityUse = declared(grants).map(|name| (name, UseCount::default())).collect();
    for call in calls {
        let count = uses.entry(capability_name(grants, call)).or_default();
        match call.outcome {
            "ok" => count.used += 1,
            "denied" => count.denied += 1,
            _ => count.failed += 1,
        }
    }
    uses
}

/// Returns every resource that a run touched; denied calls do not count.
pub(super) fn touched(grants: &CapabilityGrantSet, calls: &[HostCallTrace]) -> Touched {
    let mut touched = Touched::new();
    for call in calls.iter().filter(|call| call.outcome != "denied") {
        let Some(place) = place(grants, call) else { continue };
        *touched.entry(place).or_default() += 1;
    }
    touched
}

fn place(grants: &CapabilityGrantSet, call: &HostCallTrace) -> Option<(&'static str, String)> {
    match call.op.split('.').next().unwrap_or_default() {
        "http" => Some(("host", host_of(&call.subject).to_ascii_lowercase())),
        "secrets" => Some(("secret", call.subject.clone())),
        "storage" => {
            Some(("key_prefix", capability_name(grants, call).trim_start_matches("storage:").to_owned()))
        }
        "channels" => Some(("channel", call.subject.clone())),
        "fs" => root_of(grants, call).map(|root| ("file_root", root.to_owned())),
        _ => None,
    }
}

/// Returns the granted root of a path such as `/docs/a.txt`.
fn root_of<'a>(grants: &'a CapabilityGrantSet, call: &HostCallTrace) -> Option<&'a str> {
    let name = call.subject.trim_start_matches('/').split('/').next().unwrap_or_default();
    grants.filesystem().iter().map(|grant| grant.root.as_str()).find(|root| *root == name)
}

/// Returns the names under which uses of the grants are counted.
pub(super) fn declared(grants: &CapabilityGrantSet) -> impl Iterator<Item = String> + '_ {
    let http = grants.http().iter().map(|rule| format!("http:{}", rule.host));
    let secrets = grants.secrets().iter().map(|grant| format!("secret:{}", grant.secret));
    let storage = grants.storage().iter().map(|grant| format!("storage:{}", grant.prefix));
    let channels = grants.channels().iter().map(|name| format!("channel:{name}"));
    let roots = grants.filesystem().iter().map(|grant| format!("fs:{}", grant.root));
    http.chain(secrets).chain(storage).chain(channels).chain(roots)
}

/// Returns the name of the capability that a host call used.
fn capability_name(grants: &CapabilityGrantSet, call: &HostCallTrace) -> String {
    let named = match call.op.split('.').next().unwrap_or_default() {
        "http" => {
            let host: Option<HostPattern> = host_of(&call.subject).parse().ok();
            let covers = |rule: &&HttpRule| host.as_ref().is_some_and(|host| rule.host.matches(host));
            grants.http().iter().find(covers).map(|rule| format!("http:{}", rule.host))
        }
        // A name that is not granted is text of the guest and must not become a key of the record.
        "secrets" => {
            let grant = grants.secrets().iter().find(|grant| grant.secret.to_string() == call.subject);
            grant.map(|grant| format!("secret:{}", grant.secret))
        }
        "storage" => {
            let grant = grants.storage().iter().find(|grant| call.subject.starts_with(grant.prefix.as_str()));
            grant.map(|grant| format!("storage:{}", grant.prefix))
        }
        "channels" => {
            let name = grants.channels().iter().find(|name| name.as_str() == call.subject);
            name.map(|name| format!("channel:{name}"))
        }
        "fs" => root_of(grants, call).map(|root| format!("fs:{root}")),
        _ => None,
    };
    named.unwrap_or_else(|| call.op.to_owned())
}

/// Returns the host of a request: `api.example.com` for `GET https://api.example.com:8443/x`.
pub(super) fn host_of(subject: &str) -> &str {
    let url = subject.split_once(' ').map_or(subject, |(_, url)| url);
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::time::Duration;

    use palyra_common::OperatorGrants;

    use super::*;

    #[test]
    fn file_calls_are_counted_by_their_root() {
        let grants = OperatorGrants::parse(["fs-read:docs=/srv/docs", "fs-write:out=/srv/out"]).unwrap();
        let call = |op: &'static str, subject: &str, outcome: &'static str| HostCallTrace {
            op,
            subject: subject.to_owned(),
            outcome,
            elapsed: Duration::ZERO,
        };
        let calls = [
            call("fs.open", "/docs/a.txt", "ok"),
            call("fs.read", "/docs/a.txt", "ok"),
            call("fs.open", "/docs/b.txt", "no_entry"),
            call("fs.open", "/docs/c.txt", "denied"),
            call("fs.open", "/etc/passwd", "denied"),
        ];
        let uses = count(&grants.capabilities, &calls);
        assert_eq!(uses["fs:docs"], UseCount { used: 2, denied: 1, failed: 1 });
        assert_eq!(uses["fs:out"], UseCount::default());
        assert_eq!(uses["fs.open"], UseCount { used: 0, denied: 1, failed: 0 });
        let touched = touched(&grants.capabilities, &calls);
        assert_eq!(touched.into_iter().collect::<Vec<_>>(), [(("file_root", "docs".to_owned()), 3)]);
    }

    #[test]
    fn guest_cannot_invent_capability_names() {
        let grants = OperatorGrants::parse(["channel:news", "secret:global/a reveal"]).unwrap().capabilities;
        let call = |op: &'static str, subject: &str, outcome: &'static str| HostCallTrace {
            op,
            subject: subject.to_owned(),
            outcome,
            elapsed: Duration::ZERO,
        };
        let mut calls: Vec<HostCallTrace> = (0..300)
            .flat_map(|n| {
                let name = format!("made-up-{n}");
                [call("channels.publish", &name, "denied"), call("secrets.reveal", &name, "denied")]
            })
            .collect();
        calls.push(call("channels.publish", "news", "ok"));
        let uses = count(&grants, &calls);
        let counted: Vec<(&str, u64, u64)> = uses
            .iter()
            .map(|(capability_name, uses)| (capability_name.as_str(), uses.used, uses.denied))
            .collect();
        let expected = [
            ("channel:news", 1, 0),
            ("channels.publish", 0, 300),
            ("secret:global/a", 0, 0),
            ("secrets.reveal", 0, 300),
        ];
        assert_eq!(counted, expected);
    }
}

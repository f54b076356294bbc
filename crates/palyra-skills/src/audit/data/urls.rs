//! URLs of hosts that the manifest does not request. Programs contain many of them, so this is only a note.

use std::collections::BTreeSet;

use palyra_common::capabilities::HostPattern;

use crate::audit::finding::FindingId;
use crate::audit::report::Findings;
use crate::manifest::Capabilities;

/// The prefixes of the URLs to search for.
pub(super) const PREFIXES: [&str; 2] = ["https://", "http://"];
/// Maximum number of hosts recorded for one entry; the note names the first few.
const MAX_HOSTS: usize = 256;
const NAMED_HOSTS: usize = 5;
const MAX_HOST_BYTES: usize = 253;

/// The hosts in one entry that the manifest does not declare.
pub(super) struct UndeclaredHosts {
    declared: Vec<HostPattern>,
    seen: BTreeSet<Vec<u8>>,
    undeclared: BTreeSet<String>,
}

impl UndeclaredHosts {
    pub(super) fn new(capabilities: &Capabilities) -> Self {
        let rules = capabilities.http_rules.iter().map(|rule| &rule.host);
        let declared = capabilities.http_egress_allowlist.iter().chain(rules);
        Self {
            declared: declared.filter_map(|host| host.parse().ok()).collect(),
            seen: BTreeSet::new(),
            undeclared: BTreeSet::new(),
        }
    }

    /// Records the host that starts at `start`.
    pub(super) fn note(&mut self, bytes: &[u8], start: usize) {
        if self.seen.len() >= MAX_HOSTS {
            return;
        }
        let rest = bytes.get(start..).unwrap_or_default();
        let length = rest.iter().take(MAX_HOST_BYTES).take_while(|byte| is_host_byte(**byte)).count();
        let host = rest.get(..length).unwrap_or_default().to_ascii_lowercase();
        // Format strings, a bare `https://` and local names such as `localhost` have no dot.
        if !host.contains(&b'.') || !self.seen.insert(host.clone()) {
            return;
        }
        let Some(host) = String::from_utf8(host).ok().and_then(|host| host.parse::<HostPattern>().ok())
        else {
            return;
        };
        if !self.declared.iter().any(|declared| declared.matches(&host)) {
            self.undeclared.insert(host.to_string());
        }
    }

    pub(super) fn report(self, path: &str, findings: &mut Findings<'_>) {
        if self.undeclared.is_empty() {
            return;
        }
        let named: Vec<_> =
            self.undeclared.iter().take(NAMED_HOSTS).map(|host| format!("`{host}`")).collect();
        let more = self.undeclared.len().saturating_sub(named.len());
        let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
        let message =
            format!("contains URLs of hosts that skill.toml does not request: {}{rest}", named.join(", "));
        findings.add(FindingId::UrlUndeclared, path, message, None);
    }
}

const fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
}

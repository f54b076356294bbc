//! Requested capabilities that the audit policy restricts.

use super::finding::FindingId;
use super::report::{Findings, quote};
use crate::manifest::Capabilities;

/// Checks wildcards, devices, plain http and revealed secrets.
pub(super) fn check(capabilities: &Capabilities, findings: &mut Findings<'_>) {
    check_hosts(capabilities, findings);
    for device in &capabilities.device_capabilities {
        if !findings.policy().allowed_devices.contains(device) {
            let message = format!("requests the device `{}`, which the policy does not allow", quote(device));
            findings.add(FindingId::CapabilityDevice, "/capabilities/device_capabilities", message, None);
        }
    }
    for rule in capabilities.http_rules.iter().filter(|rule| rule.scheme.as_deref() == Some("http")) {
        let message = format!("requests unencrypted HTTP to `{}`", quote(&rule.host));
        findings.add(FindingId::CapabilityPlainHttp, "/capabilities/http_rules", message, None);
    }
    for secret in capabilities.secrets.iter().filter(|secret| secret.reveal) {
        let names = quote(&secret.key_names.join(", "));
        let message = format!(
            "requests the plain values of the secrets {names} of scope \
            `{}`",
            quote(&secret.scope)
        );
        findings.add(FindingId::CapabilityReveal, "/capabilities/secrets", message, None);
    }
}

fn check_hosts(capabilities: &Capabilities, findings: &mut Findings<'_>) {
    let allowlist = capabilities.http_egress_allowlist.iter();
    let lists = [
        ("/capabilities/http_egress_allowlist", allowlist.collect::<Vec<_>>()),
        ("/capabilities/http_rules", capabilities.http_rules.iter().map(|rule| &rule.host).collect()),
        ("/capabilities/secrets", capabilities.secrets.iter().flat_map(|secret| &secret.hosts).collect()),
    ];
    for (subject, hosts) in lists {
        for host in hosts.into_iter().filter(|host| host.contains('*')) {
            if !findings.policy().allowed_wildcard_hosts.contains(host) {
                let message =
                    format!("requests every host of `{}`, which the policy does not list", quote(host));
                findings.add(FindingId::CapabilityWildcard, subject, message, Some(host));
            }
        }
    }
}

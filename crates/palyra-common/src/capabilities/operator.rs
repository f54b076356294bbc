//! Operator grants: capabilities, plus address ranges that only an operator can allow.

use super::{Capability, CapabilityGrantSet, GrantSyntaxError, HostPattern};
use ipnet::IpNet;
use std::net::IpAddr;

/// The grants of an operator, from flags, a profile or a policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorGrants {
    /// The granted capabilities.
    pub capabilities: CapabilityGrantSet,
    /// Address ranges that connections may use although they are private, loopback or otherwise blocked.
    pub allow_addresses: Vec<IpNet>,
}

impl OperatorGrants {
    /// Parses a list of grants. An IP address in an HTTP rule also allows connections to exactly that address.
    pub fn parse<S: AsRef<str>>(grants: impl IntoIterator<Item = S>) -> Result<Self, GrantSyntaxError> {
        let mut capabilities = Vec::new();
        let mut allow_addresses = Vec::new();
        for grant in grants {
            let grant = grant.as_ref();
            if let Some(range) = grant.strip_prefix("address:") {
                allow_addresses.push(parse_range(range)?);
                continue;
            }
            let capability: Capability = grant.parse()?;
            if let Capability::Http(rule) = &capability
                && let HostPattern::Address(address) = rule.host
            {
                allow_addresses.push(IpNet::from(address));
            }
            capabilities.push(capability);
        }
        allow_addresses.sort();
        allow_addresses.dedup();
        Ok(Self { capabilities: CapabilityGrantSet::from_iter(capabilities), allow_addresses })
    }

    /// Returns the grants in the form that [`OperatorGrants::parse`] reads, sorted.
    pub fn texts(&self) -> Vec<String> {
        let capabilities = Vec::<Capability>::from(self.capabilities.clone());
        let addresses = self.allow_addresses.iter().map(|range| format!("address:{range}"));
        capabilities.iter().map(ToString::to_string).chain(addresses).collect()
    }
}

fn parse_range(text: &str) -> Result<IpNet, GrantSyntaxError> {
    let range = text.parse::<IpNet>().map(|net| net.trunc());
    range
        .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
        .map_err(|_| GrantSyntaxError::part("address range", text, "it is not an address or a CIDR range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let grants = OperatorGrants::parse([
            "http:GET http://127.0.0.1:80/",
            "address:10.1.2.3/8",
            "address:::1",
            "channel:a",
        ])
        .unwrap();
        let shown: Vec<String> = grants.allow_addresses.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["10.0.0.0/8", "127.0.0.1/32", "::1/128"]);
        for bad in ["address:", "address:10.0.0.0/33", "address:localhost"] {
            assert!(OperatorGrants::parse([bad]).is_err(), "{bad}");
        }
    }
}

//! Host patterns: an exact name, a wildcard for one label, or an IP address.

use super::GrantSyntaxError;
use super::lattice::Authority;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The hosts that a rule applies to. Names are lower case, in ASCII (IDNA) form, without a trailing dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostPattern {
    /// Exactly this IP address.
    Address(IpAddr),
    /// Exactly this host name.
    Name(String),
    /// `*.NAME`: exactly one label before this name.
    Wildcard(String),
}

impl HostPattern {
    /// Returns whether the pattern matches a host in normal form.
    pub fn matches(&self, host: &Self) -> bool {
        match (self, host) {
            (Self::Wildcard(base), Self::Name(name)) => name
                .strip_suffix(base.as_str())
                .and_then(|head| head.strip_suffix('.'))
                .is_some_and(|label| !label.is_empty() && !label.contains('.')),
            _ => self == host,
        }
    }

    /// Returns whether the pattern has a wildcard.
    pub fn is_wildcard(&self) -> bool {
        matches!(self, Self::Wildcard(_))
    }

    /// Returns the address, if the pattern is one.
    pub fn address(&self) -> Option<IpAddr> {
        match self {
            Self::Address(address) => Some(*address),
            _ => None,
        }
    }
}

impl FromStr for HostPattern {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |reason| GrantSyntaxError::part("host", text, reason);
        if text.is_empty() {
            return Err(bad("it is empty"));
        }
        if text.len() > 253 + 2 {
            return Err(bad("it is longer than 253 bytes"));
        }
        if let Some(inner) = text.strip_prefix('[') {
            let inner = inner.strip_suffix(']').ok_or_else(|| bad("missing `]`"))?;
            return inner
                .parse::<Ipv6Addr>()
                .map(|a| Self::Address(a.into()))
                .map_err(|_| bad("it is not an IPv6 address"));
        }
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self::Address(address));
        }
        if let Some(base) = text.strip_prefix("*.") {
            let base = normal_name(base).map_err(bad)?;
            if !base.contains('.') {
                return Err(bad("a wildcard needs at least two labels after it"));
            }
            return Ok(Self::Wildcard(base));
        }
        normal_name(text).map(Self::Name).map_err(bad)
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
            Self::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            Self::Name(name) => f.write_str(name),
            Self::Wildcard(base) => write!(f, "*.{base}"),
        }
    }
}

impl Authority for HostPattern {
    fn is_within(&self, other: &Self) -> bool {
        self == other || other.matches(self)
    }

    fn meet(&self, other: &Self) -> Option<Self> {
        if self.is_within(other) {
            Some(self.clone())
        } else if other.is_within(self) {
            Some(other.clone())
        } else {
            None
        }
    }
}

/// Returns the lower-case ASCII form of a DNS name, and refuses spellings that resolvers interpret differently.
fn normal_name(text: &str) -> Result<String, &'static str> {
    if text.contains('*') {
        return Err("`*` is only allowed as the first label");
    }
    if text.ends_with('.') {
        return Err("it ends with a dot");
    }
    if text.contains(['@', '/', ':', '\\', '%', '?', '#', ' ']) {
        return Err("it has a character that is not allowed in a host name");
    }
    let ascii = idna::domain_to_ascii_strict(text).map_err(|_| "it is not a valid domain name")?;
    if ascii.is_empty()
        || ascii.len() > 253
        || ascii.split('.').any(|label| label.is_empty() || label.len() > 63)
    {
        return Err("it is not a valid domain name");
    }
    if looks_numeric(&ascii) {
        return Err("it is an obfuscated address");
    }
    Ok(ascii)
}

/// Returns whether `inet_aton` would accept the name as an address: decimal, octal or hexadecimal, decided by the
/// last label.
fn looks_numeric(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    let hexadecimal = last.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit()));
    hexadecimal || last.bytes().all(|b| b.is_ascii_digit()) || name.parse::<Ipv4Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, GrantSyntaxError> {
        text.parse::<HostPattern>().map(|host| host.to_string())
    }

    #[test]
    fn normal_form() {
        for (text, expected) in [
            ("api.example.com", "api.example.com"),
            ("API.Example.COM", "api.example.com"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("*.example.com", "*.example.com"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]", "[::1]"),
            ("::1", "[::1]"),
            ("localhost", "localhost"),
        ] {
            assert_eq!(parse(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn refused() {
        for text in [
            "",
            "*",
            "*.com",
            "a.*.com",
            "user@evil.com",
            "example.com.",
            "example.com:443",
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "127.1",
            "a..b",
            "[::1",
            "ex ample.com",
            "a/b",
            "%65vil.com",
            "-bad.example",
            "1.2.3.4.5",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_wildcard_is_one_label() {
        let pattern: HostPattern = "*.example.com".parse().unwrap();
        let matches = |host: &str| pattern.matches(&host.parse().unwrap());
        assert!(matches("a.example.com"));
        assert!(!matches("example.com"));
        assert!(!matches("a.b.example.com"));
        assert!(!matches("aexample.com"));
    }
}

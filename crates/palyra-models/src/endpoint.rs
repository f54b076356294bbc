//! Endpoints of providers: a checked base URL, and the egress rule for it.

use crate::protocol::Protocol;
use palyra_common::capabilities::{HostPattern, HttpRule, Scheme};
use palyra_egress::IpNet;
use std::fmt;

/// The base URL of a provider, such as `https://api.openai.com/v1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    base_url: String,
    scheme: Scheme,
    host: HostPattern,
    allow_loopback: bool,
}

/// The text is not a valid base URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid base URL of a model provider `{url}`: {reason}")]
pub struct BadEndpoint {
    /// The rejected text, clipped to 200 characters.
    pub url: String,
    /// The violated requirement.
    pub reason: String,
}

impl Endpoint {
    /// Checks a base URL. If it has no path, `/v1` is appended.
    ///
    /// `http` is accepted only for loopback addresses, and these only with `allow_loopback`.
    pub fn new(url: &str, allow_loopback: bool) -> Result<Self, BadEndpoint> {
        let bad =
            |reason: &str| BadEndpoint { url: url.chars().take(200).collect(), reason: reason.to_owned() };
        if url.len() > 1_024 || url.contains([' ', '*', '#', '?', '@', '\\']) {
            return Err(bad("it must not contain spaces, `*`, `?`, `#`, `@` or `\\`"));
        }
        let base_url = match url.trim_end_matches('/') {
            base if base.split_once("://").is_some_and(|(_, rest)| !rest.contains('/')) => {
                format!("{base}/v1")
            }
            base => base.to_owned(),
        };
        let rule = base_url.parse::<HttpRule>().map_err(|error| bad(&error.to_string()))?;
        if rule.host.is_wildcard() {
            return Err(bad("its host is a pattern"));
        }
        let is_loopback = is_this_machine(&rule.host);
        if is_loopback && !allow_loopback {
            return Err(bad("it is on this machine, which must be allowed explicitly"));
        }
        if rule.scheme == Scheme::Http && !is_loopback {
            return Err(bad("`http` is only allowed for this machine; use `https`"));
        }
        Ok(Self { base_url, scheme: rule.scheme, host: rule.host, allow_loopback })
    }

    /// Returns the base URL, with its path and without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    pub(crate) fn host(&self) -> &HostPattern {
        &self.host
    }

    pub(crate) fn is_host(&self, name: &str) -> bool {
        self.host.to_string() == name
    }

    /// Returns the URL of a request.
    pub(crate) fn url(&self, protocol: Protocol) -> String {
        format!("{}{}", self.base_url, protocol.path())
    }

    /// Returns the only rule that covers requests of this protocol.
    pub(crate) fn rule(&self, protocol: Protocol) -> Result<HttpRule, BadEndpoint> {
        let url = self.url(protocol);
        let rule = format!("POST {url}").parse();
        rule.map_err(|error: palyra_common::capabilities::GrantSyntaxError| BadEndpoint {
            url,
            reason: error.to_string(),
        })
    }

    /// Returns the address ranges that are opened besides public ones.
    pub(crate) fn open_addresses(&self) -> Vec<IpNet> {
        const LOOPBACK: [&str; 2] = ["127.0.0.0/8", "::1/128"];
        let ranges: &[&str] = if self.allow_loopback { &LOOPBACK } else { &[] };
        ranges.iter().filter_map(|range| range.parse().ok()).collect()
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base_url)
    }
}

fn is_this_machine(host: &HostPattern) -> bool {
    match host.address() {
        Some(address) => address.to_canonical().is_loopback(),
        None => {
            let name = host.to_string();
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn base_url_gets_a_path_and_names_its_requests() {
        for (given, base) in [
            ("https://api.openai.com", "https://api.openai.com/v1"),
            ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
            ("https://router.example/api/v1", "https://router.example/api/v1"),
            ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
            ("http://localhost:8080/v1", "http://localhost:8080/v1"),
            ("http://[::1]:8080", "http://[::1]:8080/v1"),
        ] {
            let endpoint = Endpoint::new(given, true).unwrap();
            assert_eq!(endpoint.base_url(), base);
            for protocol in Protocol::ALL {
                assert!(endpoint.rule(protocol).is_ok(), "{given} {protocol}");
            }
        }
    }

    #[test]
    fn plain_http_and_this_machine_need_permission() {
        for (url, allow_loopback) in [
            ("http://127.0.0.1:8080", false),
            ("https://localhost", false),
            ("http://[::ffff:127.0.0.1]:1", false),
            ("http://api.example.com/v1", true),
            ("http://192.168.1.4:8080/v1", true),
            ("https://*.example.com/v1", true),
            ("https://user@example.com/v1", true),
            ("https://example.com/v1?key=x", true),
            ("ftp://example.com", true),
            ("example.com", true),
            ("", true),
        ] {
            assert!(Endpoint::new(url, allow_loopback).is_err(), "{url}");
        }
    }
}

//! HTTP rules: scheme, host, port, methods, path and byte limits.

use super::lattice::Authority;
use super::{GrantSyntaxError, HostPattern, PathPattern};
use crate::byte_size::{format_byte_size, parse_byte_size};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// An egress rule: `GET,POST https://api.example.com:8443/items/* response=1MiB`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HttpRule {
    /// The URL scheme.
    pub scheme: Scheme,
    /// The host or hosts, in normal form.
    pub host: HostPattern,
    /// The port, 1 to 65535.
    pub port: u16,
    /// The permitted methods; `None` permits any.
    pub methods: Option<BTreeSet<String>>,
    /// The permitted paths.
    pub path: PathPattern,
    /// Maximum size of one request body, in bytes.
    pub request_bytes: Option<u64>,
    /// Maximum size of one response body, in bytes.
    pub response_bytes: Option<u64>,
    /// Maximum size of all requests and responses of one run under this rule, in bytes.
    pub total_bytes: Option<u64>,
}

/// The URL scheme of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// HTTP without TLS; never implied by another rule.
    Http,
    /// HTTP over TLS.
    Https,
}

impl Scheme {
    /// Returns the scheme as written in a URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// Returns the port of URLs without one.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// Methods that do not change data on the server.
const SAFE_METHODS: [&str; 3] = ["GET", "HEAD", "OPTIONS"];

impl HttpRule {
    /// Returns whether the rule allows only methods that do not change data on the server.
    pub fn is_read_only(&self) -> bool {
        let safe = |method: &String| SAFE_METHODS.contains(&method.as_str());
        self.methods.as_ref().is_some_and(|methods| methods.iter().all(safe))
    }

    /// Creates a rule for every method and path of one host and port.
    pub fn any(scheme: Scheme, host: HostPattern, port: u16) -> Self {
        Self {
            scheme,
            host,
            port,
            methods: None,
            path: PathPattern::any(),
            request_bytes: None,
            response_bytes: None,
            total_bytes: None,
        }
    }

    /// Returns whether the rule matches scheme, host and port.
    pub fn covers_origin(&self, scheme: Scheme, host: &HostPattern, port: u16) -> bool {
        self.scheme == scheme && self.port == port && self.host.matches(host)
    }

    /// Returns whether the rule restricts methods or paths, which a method-override header could bypass.
    pub fn is_narrowed(&self) -> bool {
        self.methods.is_some() || !self.path.is_any()
    }

    /// Returns whether the rule permits a method.
    pub fn covers_method(&self, method: &str) -> bool {
        self.methods.as_ref().is_none_or(|methods| methods.contains(method))
    }
}

impl FromStr for HttpRule {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split(' ').filter(|word| !word.is_empty()).peekable();
        let missing = || GrantSyntaxError::part("http rule", text, "it has no URL");
        let first = words.next().ok_or_else(missing)?;
        let (methods, url) = if first.contains("://") {
            (None, first)
        } else {
            (parse_methods(first)?, words.next().ok_or_else(missing)?)
        };
        let mut rule = parse_url(url)?;
        rule.methods = methods;
        for option in words {
            rule.set_option(option)?;
        }
        Ok(rule)
    }
}

impl HttpRule {
    fn set_option(&mut self, option: &str) -> Result<(), GrantSyntaxError> {
        let bad = |reason| GrantSyntaxError::part("http option", option, reason);
        let (name, value) = option.split_once('=').ok_or_else(|| bad("expected NAME=BYTES"))?;
        let field = match name {
            "request" => &mut self.request_bytes,
            "response" => &mut self.response_bytes,
            "total" => &mut self.total_bytes,
            _ => return Err(bad("the options are `request`, `response` and `total`")),
        };
        if field.is_some() {
            return Err(bad("it is given more than once"));
        }
        *field = Some(parse_byte_size(value).map_err(|_| bad("expected NAME=BYTES"))?);
        Ok(())
    }
}

fn parse_methods(text: &str) -> Result<Option<BTreeSet<String>>, GrantSyntaxError> {
    if text == "*" {
        return Ok(None);
    }
    let bad = |reason| GrantSyntaxError::part("http method", text, reason);
    let mut methods = BTreeSet::new();
    for method in text.split(',') {
        if method.is_empty()
            || method.len() > 20
            || !method.bytes().all(|b| b.is_ascii_uppercase() || b == b'-')
        {
            return Err(bad("methods are upper-case words, separated by commas"));
        }
        if matches!(method, "CONNECT" | "TRACE") {
            return Err(bad("CONNECT and TRACE cannot be granted"));
        }
        methods.insert(method.to_owned());
    }
    Ok(Some(methods))
}

fn parse_url(url: &str) -> Result<HttpRule, GrantSyntaxError> {
    let bad = |reason| GrantSyntaxError::part("URL", url, reason);
    let (scheme, rest) = url.split_once("://").ok_or_else(|| bad("it has no scheme"))?;
    let scheme = match scheme {
        "https" => Scheme::Https,
        "http" => Scheme::Http,
        _ => return Err(bad("the scheme is `https` or `http`")),
    };
    let (authority, path) = match rest.find('/') {
        Some(index) => (&rest[..index], Some(&rest[index..])),
        None => (rest, None),
    };
    if authority.contains(['@', '?', '#']) {
        return Err(bad("it has user information or a query"));
    }
    let (host, port) =
        split_port(authority).ok_or_else(|| bad("the port is not a number from 1 to 65535"))?;
    let mut rule = HttpRule::any(scheme, host.parse()?, port.unwrap_or(scheme.default_port()));
    if let Some(path) = path {
        rule.path = path.parse()?;
    }
    Ok(rule)
}

/// Splits `host:port`. Returns `None` if the port is not a plain number from 1 to 65535.
fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let host_end = if authority.starts_with('[') { authority.find(']').map(|i| i + 1)? } else { 0 };
    match authority[host_end..].find(':') {
        None => Some((authority, None)),
        Some(index) => {
            let (host, port) = authority.split_at(host_end + index);
            let digits = &port[1..];
            let plain =
                !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| digits.parse().ok()).flatten().map(|port| (host, Some(port)))
        }
    }
}

impl fmt::Display for HttpRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(methods) = &self.methods {
            let joined: Vec<&str> = methods.iter().map(String::as_str).collect();
            write!(f, "{} ", joined.join(","))?;
        }
        write!(f, "{}://{}", self.scheme.as_str(), self.host)?;
        if self.port != self.scheme.default_port() {
            write!(f, ":{}", self.port)?;
        }
        if !self.path.is_any() {
            write!(f, "{}", self.path)?;
        }
        for (name, value) in
            [("request", self.request_bytes), ("response", self.response_bytes), ("total", self.total_bytes)]
        {
            if let Some(value) = value {
                write!(f, " {name}={}", format_byte_size(value))?;
            }
        }
        Ok(())
    }
}

impl Authority for HttpRule {
    fn is_within(&self, other: &Self) -> bool {
        self.meet(other).as_ref() == Some(self)
    }

    fn meet(&self, other: &Self) -> Option<Self> {
        if self.scheme != other.scheme || self.port != other.port {
            return None;
        }
        let methods = match (&self.methods, &other.methods) {
            (None, methods) | (methods, None) => methods.clone(),
            (Some(a), Some(b)) => {
                let both: BTreeSet<String> = a.intersection(b).cloned().collect();
                if both.is_empty() {
                    return None;
                }
                Some(both)
            }
        };
        Some(Self {
            scheme: self.scheme,
            host: self.host.meet(&other.host)?,
            port: self.port,
            methods,
            path: self.path.meet(&other.path)?,
            request_bytes: tighter(self.request_bytes, other.request_bytes),
            response_bytes: tighter(self.response_bytes, other.response_bytes),
            total_bytes: tighter(self.total_bytes, other.total_bytes),
        })
    }
}

/// Returns the smaller of two limits, where `None` is no limit.
pub(super) fn tighter(left: Option<u64>, right: Option<u64>) -> Option<u64> {
    match (left, right) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (cap, None) | (None, cap) => cap,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_form() {
        for (text, expected) in [
            ("https://api.example.com", "https://api.example.com"),
            ("https://API.example.com:443/**", "https://api.example.com"),
            ("* https://api.example.com/", "https://api.example.com/"),
            (
                "POST,GET https://api.example.com:8443/items/*",
                "GET,POST https://api.example.com:8443/items/*",
            ),
            (
                "GET http://127.0.0.1:8080/x  total=1024k response=10",
                "GET http://127.0.0.1:8080/x response=10 total=1MiB",
            ),
            ("GET https://[::1]:8443/", "GET https://[::1]:8443/"),
            ("https://*.example.com", "https://*.example.com"),
        ] {
            let rule: HttpRule = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(rule.to_string(), expected, "{text}");
            assert_eq!(rule.to_string().parse::<HttpRule>().unwrap(), rule);
        }
    }

    #[test]
    fn refused() {
        for text in [
            "",
            "GET",
            "GET example.com",
            "ftp://example.com",
            "https://",
            "https://user@example.com",
            "https://example.com:0",
            "https://example.com:080",
            "https://example.com:99999",
            "https://example.com:44:3",
            "https://example.com?x",
            "https://example.com/a?b",
            "get https://example.com",
            "CONNECT https://example.com",
            "GET,, https://example.com",
            "GET https://example.com extra",
            "GET https://example.com request=1 request=2",
            "GET https://example.com speed=1",
            "https://*.com",
            "https://*",
        ] {
            assert!(text.parse::<HttpRule>().is_err(), "{text}");
        }
    }
}

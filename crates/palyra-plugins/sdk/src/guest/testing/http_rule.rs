//! HTTP grants: `GET,POST https://api.example.com/items/* response=1MiB`.

use super::grants::parse_bytes;
use super::names::{is_host_pattern, is_path_pattern};
use super::url::{self, Url};

/// One rule of egress.
#[derive(Debug, Clone)]
pub(super) struct HttpRule {
    /// The rule as it was written.
    pub(super) text: String,
    methods: Option<Vec<String>>,
    scheme: String,
    host: String,
    port: u16,
    path: Option<String>,
    pub(super) request_bytes: Option<u64>,
    pub(super) response_bytes: Option<u64>,
    pub(super) total_bytes: Option<u64>,
}

impl HttpRule {
    /// Reads the part of a grant line after `http:`.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut words = text.split(' ').filter(|word| !word.is_empty());
        let first = words.next().ok_or("it has no URL")?;
        let (methods, address) = if first.contains("://") {
            (None, first)
        } else {
            (
                parse_methods(first).ok_or("methods are upper-case words, and never CONNECT or TRACE")?,
                words.next().ok_or("it has no URL")?,
            )
        };
        let mut rule = parse_address(address)?;
        rule.text = text.to_owned();
        rule.methods = methods;
        for option in words {
            let (name, value) = option.split_once('=').ok_or("an option is NAME=BYTES")?;
            let field = match name {
                "request" => &mut rule.request_bytes,
                "response" => &mut rule.response_bytes,
                "total" => &mut rule.total_bytes,
                _ => return Err("the options are `request`, `response` and `total`"),
            };
            if field.is_some() {
                return Err("an option is given twice");
            }
            *field = Some(parse_bytes(value).ok_or("an option is NAME=BYTES")?);
        }
        Ok(rule)
    }

    /// Returns whether scheme, host, port and path are covered.
    pub(super) fn covers(&self, url: &Url) -> bool {
        self.scheme == url.scheme
            && self.port == url.port
            && self.covers_host(&url.host)
            && self.path.as_ref().is_none_or(|pattern| path_matches(pattern, &url.path))
    }

    /// Returns whether the host is covered.
    pub(super) fn covers_host(&self, host: &str) -> bool {
        host_matches(&self.host, host)
    }

    /// Returns whether the method is covered.
    pub(super) fn covers_method(&self, method: &str) -> bool {
        self.methods.as_ref().is_none_or(|methods| methods.iter().any(|known| known == method))
    }
}

/// Returns whether the hosts are equal, or for `*.host` whether there is exactly one label more.
pub(super) fn host_matches(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        None => pattern == host,
        Some(base) => host
            .strip_suffix(base)
            .and_then(|head| head.strip_suffix('.'))
            .is_some_and(|label| !label.is_empty() && !label.contains('.')),
    }
}

/// Parses the methods of a rule; `Some(None)` is any method.
fn parse_methods(text: &str) -> Option<Option<Vec<String>>> {
    if text == "*" {
        return Some(None);
    }
    let methods: Vec<String> = text.split(',').map(str::to_owned).collect();
    let plain = |method: &String| {
        !matches!(method.as_str(), "" | "CONNECT" | "TRACE")
            && method.bytes().all(|b| b.is_ascii_uppercase() || b == b'-')
    };
    methods.iter().all(plain).then_some(Some(methods))
}

fn parse_address(address: &str) -> Result<HttpRule, &'static str> {
    let (scheme, rest) = address.split_once("://").ok_or("it has no scheme")?;
    let default_port = url::default_port(scheme).ok_or("the scheme is `https` or `http`")?;
    let end = rest.find('/').unwrap_or(rest.len());
    let (host, port) = url::split_authority(&rest[..end])?;
    if !is_host_pattern(&host) {
        return Err("a host is a name, `*.` and a name, or an address");
    }
    let path = Some(&rest[end..]).filter(|path| !path.is_empty() && *path != "/**").map(str::to_owned);
    if path.as_ref().is_some_and(|path| !is_path_pattern(path)) {
        return Err("in a path `*` is a whole segment, and `**` only the last");
    }
    Ok(HttpRule {
        text: String::new(),
        methods: None,
        scheme: scheme.to_owned(),
        host,
        port: port.unwrap_or(default_port),
        path,
        request_bytes: None,
        response_bytes: None,
        total_bytes: None,
    })
}

/// Matches literal segments, `*` for exactly one, and `**` at the end for any rest.
fn path_matches(pattern: &str, path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    if lower.contains("%2f") || lower.contains("%5c") {
        return false;
    }
    let mut given = path.split('/');
    for expected in pattern.split('/') {
        match (expected, given.next()) {
            ("**", _) => return true,
            ("*", Some(segment)) if !segment.is_empty() => {}
            (literal, Some(segment)) if literal == segment => {}
            _ => return false,
        }
    }
    given.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(rule: &str, method: &str, address: &str) -> bool {
        let rule = HttpRule::parse(rule).unwrap();
        rule.covers(&url::parse(address).unwrap()) && rule.covers_method(method)
    }

    #[test]
    fn covered_or_not() {
        for (rule, method, address, expected) in [
            ("https://a.example", "POST", "https://A.example/x/y?z", true),
            ("https://a.example", "GET", "http://a.example/", false),
            ("https://a.example", "GET", "https://a.example:444/", false),
            ("https://a.example:444/**", "GET", "https://a.example:444/", true),
            ("GET https://a.example/items/*", "GET", "https://a.example/items/1", true),
            ("GET https://a.example/items/*", "POST", "https://a.example/items/1", false),
            ("GET https://a.example/items/*", "GET", "https://a.example/items/1/2", false),
            ("GET https://a.example/items/*", "GET", "https://a.example/items/", false),
            ("GET https://a.example/items/**", "GET", "https://a.example/items", true),
            ("GET https://a.example/items/**", "GET", "https://a.example/items/1/2", true),
            ("GET https://a.example/items/**", "GET", "https://a.example/items/a%2Fb", false),
            ("* https://a.example/", "PUT", "https://a.example", true),
            ("* https://a.example/", "PUT", "https://a.example/x", false),
            ("https://*.a.example", "GET", "https://b.a.example/", true),
            ("https://*.a.example", "GET", "https://c.b.a.example/", false),
            ("https://*.a.example", "GET", "https://a.example/", false),
        ] {
            assert_eq!(covers(rule, method, address), expected, "{rule} {method} {address}");
        }
    }

    #[test]
    fn refused() {
        for rule in [
            "",
            "GET",
            "get https://a.example",
            "ftp://a.example",
            "https://u@a.example",
            "TRACE https://a.example",
            "https://*",
            "https://a.example/x*",
            "https://a.example speed=1",
            "https://a.example total=x",
            "https://a.example total=1 total=2",
        ] {
            assert!(HttpRule::parse(rule).is_err(), "{rule}");
        }
    }
}

//! The target of a request: the guest's URL, parsed so that no other program could interpret it differently.

use crate::denial;
use crate::error::EgressError;
use crate::limits::MAX_URL_BYTES;
use palyra_common::capabilities::{HostPattern, HttpRule, Scheme};
use palyra_common::redact::escape_untrusted;
use url::{Host, Position, Url};

/// A URL in normal form, with the guest's notation of it.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) scheme: Scheme,
    pub(crate) host: HostPattern,
    pub(crate) port: u16,
    url: Url,
    spelled: String,
}

impl Target {
    /// Parses a URL.
    ///
    /// A notation that could reach another host than the one it seems to name is denied. Other text that is not a URL
    /// for a request is an invalid request.
    pub(crate) fn parse(spelled: String) -> Result<Self, EgressError> {
        check_text(&spelled)?;
        let (scheme, authority) = split(&spelled)?;
        let origin = read_authority(&spelled, scheme, authority)?;
        let url =
            Url::parse(&spelled).map_err(|error| EgressError::invalid(format!("invalid URL: {error}")))?;
        if url.fragment().is_some() {
            return Err(EgressError::invalid("the URL has a fragment"));
        }
        if !same_origin(&url, &origin) {
            return Err(ambiguous(&spelled, "its host is ambiguous"));
        }
        Ok(Self { scheme, host: origin.host, port: origin.port, url, spelled })
    }

    /// Returns the URL in normal form.
    pub(crate) fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Returns the URL as the guest wrote it.
    pub(crate) fn spelled(&self) -> &str {
        &self.spelled
    }

    /// Returns `https://host` or `https://host:port`.
    pub(crate) fn origin(&self) -> &str {
        &self.url[..Position::BeforePath]
    }

    /// Returns `host` or `host:port`, as in the `Host` header.
    pub(crate) fn authority(&self) -> &str {
        &self.url[Position::BeforeHost..Position::BeforePath]
    }

    pub(crate) fn path(&self) -> &str {
        self.url.path()
    }

    pub(crate) fn query(&self) -> Option<&str> {
        self.url.query()
    }

    /// Returns the URL without its query, for messages.
    pub(crate) fn without_query(&self) -> &str {
        &self.url[..Position::AfterPath]
    }
}

fn check_text(spelled: &str) -> Result<(), EgressError> {
    if spelled.len() > MAX_URL_BYTES {
        return Err(EgressError::invalid(format!("the URL is longer than {MAX_URL_BYTES} bytes")));
    }
    if spelled.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(ambiguous(spelled, "it has a space or a control character"));
    }
    if spelled.contains('\\') {
        return Err(ambiguous(spelled, "it has a backslash"));
    }
    Ok(())
}

/// Splits scheme and authority at the positions that every URL parser uses.
fn split(spelled: &str) -> Result<(Scheme, &str), EgressError> {
    let (scheme, rest) =
        spelled.split_once("://").ok_or_else(|| EgressError::invalid("the URL is not absolute"))?;
    let scheme = match scheme {
        _ if scheme.eq_ignore_ascii_case("https") => Scheme::Https,
        _ if scheme.eq_ignore_ascii_case("http") => Scheme::Http,
        _ => return Err(ambiguous(spelled, "only `https` and `http` are supported")),
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    if authority.contains('@') {
        return Err(ambiguous(spelled, "a URL with user information is not allowed"));
    }
    Ok((scheme, authority))
}

/// Parses the authority with the grammar of grants, so that both always agree.
fn read_authority(spelled: &str, scheme: Scheme, authority: &str) -> Result<HttpRule, EgressError> {
    let origin: HttpRule = format!("{}://{authority}", scheme.as_str()).parse().map_err(
        |error: palyra_common::capabilities::GrantSyntaxError| ambiguous(spelled, &error.to_string()),
    )?;
    if origin.host.is_wildcard() {
        return Err(ambiguous(spelled, "a request requires a host, not a pattern"));
    }
    if !authority.is_ascii() && !is_normal_unicode(authority, &origin.host) {
        return Err(ambiguous(spelled, &format!("its host is another spelling of `{}`", origin.host)));
    }
    Ok(origin)
}

/// Returns whether a name with non-ASCII letters equals the normal form of its ASCII form, ignoring case.
fn is_normal_unicode(authority: &str, host: &HostPattern) -> bool {
    let HostPattern::Name(ascii) = host else { return false };
    let name = authority.split(':').next().unwrap_or(authority);
    let (unicode, result) = idna::domain_to_unicode(ascii);
    result.is_ok() && unicode == name.to_lowercase()
}

fn same_origin(url: &Url, origin: &HttpRule) -> bool {
    let same_host = match (url.host(), &origin.host) {
        (Some(Host::Domain(name)), HostPattern::Name(ours)) => name == ours,
        (Some(Host::Ipv4(address)), HostPattern::Address(ours)) => address == *ours,
        (Some(Host::Ipv6(address)), HostPattern::Address(ours)) => address == *ours,
        _ => false,
    };
    same_host
        && url.scheme() == origin.scheme.as_str()
        && url.port_or_known_default() == Some(origin.port)
        && url.username().is_empty()
        && url.password().is_none()
}

/// Creates a denial that no grant lifts, because the URL must be written differently.
fn ambiguous(spelled: &str, reason: &str) -> EgressError {
    let shown = spelled.split(['?', '#']).next().unwrap_or(spelled);
    EgressError::Denied(denial::spelling(&escape_untrusted(shown), reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(url: &str) -> Result<String, EgressError> {
        Target::parse(url.to_owned()).map(|target| target.url().to_owned())
    }

    #[test]
    fn normal_form() {
        for (spelled, expected) in [
            ("https://api.example.com", "https://api.example.com/"),
            ("HTTPS://API.Example.COM:443/Items", "https://api.example.com/Items"),
            ("http://api.example.com:8080/?a=b%20c", "http://api.example.com:8080/?a=b%20c"),
            ("https://api.example.com/a/./b/../c", "https://api.example.com/a/c"),
            ("https://api.example.com/a/%2e%2E/b", "https://api.example.com/b"),
            ("https://api.example.com/%2e%2e/%2e%2e/", "https://api.example.com/"),
            ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
            ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
            ("https://[::1]:8443/", "https://[::1]:8443/"),
            ("https://127.0.0.1/", "https://127.0.0.1/"),
            ("https://api.example.com?x=1", "https://api.example.com/?x=1"),
        ] {
            assert_eq!(normal(spelled).as_deref(), Ok(expected), "{spelled}");
        }
    }

    #[test]
    fn g08_spellings_that_are_denied() {
        for spelled in [
            "https://api.example.com@evil.example/",
            "https://user:pass@api.example.com/",
            "https://api.example.com%40evil.example/",
            "https://api.example.com./",
            "https://api.example.com\\@evil.example/",
            "https:\\\\api.example.com/",
            "https://api.example.com\t/",
            " https://api.example.com/",
            "https://api.exam\nple.com/",
            "https://api.example.com/a\u{a0}b",
            "https://*.example.com/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0177.0.0.1/",
            "https://127.1/",
            "https://0x7f.0.0.0x1/",
            "https://127.0.0.1./",
            "https://①②⑦.⓪.⓪.①/",
            "https://[::1%25eth0]/",
            "https://ａpi.example.com/",
            "https://api。example.com/",
            "https://api.example.com:0443/",
            "https://api.example.com:/",
            "https://api.example.com:0/",
            "https://api.example.com:65536/",
            "https:///api.example.com/",
            "https:///",
            "ftp://api.example.com/",
            "file:///etc/passwd",
            "https+unix://api.example.com/",
        ] {
            let error = normal(spelled).unwrap_err();
            assert!(
                matches!(&error, EgressError::Denied(denial) if denial.grant.is_none()),
                "{spelled}: {error:?}"
            );
        }
    }

    #[test]
    fn mistakes() {
        for spelled in
            ["", "api.example.com", "/items", "https:api.example.com", "https://api.example.com/#top"]
        {
            let error = normal(spelled).unwrap_err();
            assert!(matches!(error, EgressError::InvalidRequest(_)), "{spelled}: {error:?}");
        }
        assert!(normal(&format!("https://api.example.com/{}", "a".repeat(MAX_URL_BYTES))).is_err());
    }

    #[test]
    fn a_look_alike_stays_another_host() {
        let target = Target::parse("https://аpi.example.com/".into()).unwrap();
        assert_eq!(target.host.to_string(), "xn--pi-6kc.example.com");
    }
}

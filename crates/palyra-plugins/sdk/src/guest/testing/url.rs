//! Absolute URLs, read more strictly than the host does.

/// The parts of a URL that rules compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    pub(super) scheme: String,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) path: String,
}

/// The reason why a URL is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UrlError {
    /// The URL could refer to another host than it seems to. The host denies it.
    Ambiguous(&'static str),
    /// The text is not a URL for a request, which is an invalid argument.
    Invalid(&'static str),
}

/// Parses `scheme://host[:port][/path][?query]`.
pub(super) fn parse(text: &str) -> Result<Url, UrlError> {
    if text.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err(UrlError::Ambiguous("it has a space, a control character or a backslash"));
    }
    if !text.is_ascii() {
        return Err(UrlError::Invalid("the harness reads URLs in ASCII"));
    }
    let (scheme, rest) = text.split_once("://").ok_or(UrlError::Invalid("it is not absolute"))?;
    let scheme = scheme.to_ascii_lowercase();
    let default_port = default_port(&scheme).ok_or(UrlError::Ambiguous("the scheme is `https` or `http`"))?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, port) = split_authority(&rest[..end]).map_err(UrlError::Ambiguous)?;
    if rest.contains('#') {
        return Err(UrlError::Invalid("it has a fragment"));
    }
    let path = rest[end..].split('?').next().filter(|path| !path.is_empty()).unwrap_or("/");
    if path.split('/').any(|segment| segment == "." || segment == "..") {
        return Err(UrlError::Invalid("the path has a `.` or `..` segment"));
    }
    Ok(Url { scheme, host, port: port.unwrap_or(default_port), path: path.to_owned() })
}

/// Splits `host[:port]` and lowers the case of the host.
pub(super) fn split_authority(authority: &str) -> Result<(String, Option<u16>), &'static str> {
    if authority.contains('@') {
        return Err("it has user information");
    }
    let host_end = if authority.starts_with('[') {
        authority.find(']').ok_or("missing `]`")? + 1
    } else {
        authority.find(':').unwrap_or(authority.len())
    };
    let (host, port) = authority.split_at(host_end);
    if host.is_empty() || host.ends_with('.') {
        return Err("the host is empty or ends with a dot");
    }
    let port = match port.strip_prefix(':') {
        Some(digits) => Some(read_port(digits).ok_or("the port is not a number from 1 to 65535")?),
        None if port.is_empty() => None,
        None => return Err("the host has trailing characters"),
    };
    Ok((host.to_ascii_lowercase(), port))
}

fn read_port(digits: &str) -> Option<u16> {
    let plain = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

/// Returns the default port of `https` or `http`.
pub(super) fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "https" => Some(443),
        "http" => Some(80),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let url = parse("HTTPS://API.example.com:8443/a/b?c=/d").unwrap();
        assert_eq!(
            (url.scheme.as_str(), url.host.as_str(), url.port, url.path.as_str()),
            ("https", "api.example.com", 8443, "/a/b")
        );
        assert_eq!(parse("http://[::1]?x").unwrap().port, 80);
        assert_eq!(parse("https://a.example").unwrap().path, "/");
    }

    #[test]
    fn refused() {
        let (ambiguous, invalid) = (
            [
                "ftp://a.example/",
                "https:///x",
                "https://user@a.example/",
                "https://a.example./",
                "https://a.example:0/",
                "https://a.example:080/",
                "https://a.example/ x",
                "https://a.example\\@b.example/",
                "https://[::1",
                "https://[::1]x/",
            ],
            ["api.example.com/x", "https://a.example/#f", "https://a.example/../x", "https://ä.example/"],
        );
        for text in ambiguous {
            assert!(matches!(parse(text), Err(UrlError::Ambiguous(_))), "{text}");
        }
        for text in invalid {
            assert!(matches!(parse(text), Err(UrlError::Invalid(_))), "{text}");
        }
    }
}

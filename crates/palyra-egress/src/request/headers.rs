//! The header lines a guest may send.

use crate::error::EgressError;
use crate::limits::{MAX_HEADERS, MAX_REQUEST_HEADER_BYTES};
use http::{HeaderMap, HeaderName, HeaderValue};
use palyra_common::text::clip_untrusted;

/// Checks the guest's header lines: count and size first, then each name and value.
pub(crate) fn read_headers(lines: &[(String, String)]) -> Result<HeaderMap, EgressError> {
    if lines.len() > MAX_HEADERS {
        return Err(EgressError::invalid(format!(
            "{} header lines exceed the limit of {MAX_HEADERS}",
            lines.len()
        )));
    }
    let bytes: usize = lines.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
    if bytes > MAX_REQUEST_HEADER_BYTES {
        return Err(EgressError::invalid(format!(
            "{bytes} bytes of headers exceed the limit of {MAX_REQUEST_HEADER_BYTES}"
        )));
    }
    let mut headers = HeaderMap::with_capacity(lines.len() + 4);
    for (name, value) in lines {
        let shown = || clip_untrusted(name, 64);
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| EgressError::invalid(format!("invalid header name `{}`", shown())))?;
        if is_set_by_the_host(&parsed) {
            return Err(EgressError::invalid(format!("only the host can set header `{parsed}`")));
        }
        let value = HeaderValue::from_str(value).ok().filter(|_| value.is_ascii()).ok_or_else(|| {
            EgressError::invalid(format!("the value of header `{parsed}` is not printable ASCII"))
        })?;
        headers.append(parsed, value);
    }
    Ok(headers)
}

/// Returns whether the host sets the header, because it determines the target or the end of a message.
pub(crate) fn is_set_by_the_host(name: &HeaderName) -> bool {
    let name = name.as_str();
    name.starts_with("proxy-")
        || matches!(
            name,
            "host"
                | "connection"
                | "keep-alive"
                | "te"
                | "trailer"
                | "transfer-encoding"
                | "upgrade"
                | "content-length"
                | "expect"
                | "http2-settings"
        )
}

/// Headers with which frameworks and proxies replace the method, path or host of the request line.
const OVERRIDES: [&str; 20] = [
    "forwarded",
    "x-envoy-original-path",
    "x-forwarded-host",
    "x-forwarded-method",
    "x-forwarded-path",
    "x-forwarded-prefix",
    "x-forwarded-server",
    "x-forwarded-uri",
    "x-host",
    "x-http-host-override",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-host",
    "x-original-method",
    "x-original-path",
    "x-original-uri",
    "x-original-url",
    "x-override-url",
    "x-rewrite-url",
];

/// Returns the first header that can make a server act on another method, path or host than the rule was checked for.
///
/// `_` counts as `-`, because CGI and WSGI give both spellings the same variable.
pub(crate) fn find_override(lines: &[(String, String)]) -> Option<&'static str> {
    let known = |name: &str| {
        let name = name.to_ascii_lowercase().replace('_', "-");
        OVERRIDES.iter().copied().find(|known| *known == name)
    };
    lines.iter().take(MAX_HEADERS).find_map(|(name, _)| known(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[(&str, &str)]) -> Result<HeaderMap, EgressError> {
        let lines: Vec<_> =
            lines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        read_headers(&lines)
    }

    #[test]
    fn ordinary_lines_pass_in_order() {
        let headers = read(&[("Accept", "text/html"), ("X-Many", "1"), ("x-many", "2")]).unwrap();
        assert_eq!(headers.get_all("x-many").iter().collect::<Vec<_>>(), ["1", "2"]);
    }

    #[test]
    fn g08_lines_that_are_refused() {
        for name in [
            "Host",
            "connection",
            "Keep-Alive",
            "proxy-authorization",
            "Proxy-Connection",
            "TE",
            "trailer",
            "Transfer-Encoding",
            "upgrade",
            "Content-Length",
            "expect",
            "HTTP2-Settings",
            "",
            "a b",
            "a:b",
            "a\r\nb",
            "é",
            ":authority",
        ] {
            assert!(matches!(read(&[(name, "x")]), Err(EgressError::InvalidRequest(_))), "{name}");
        }
        for value in ["a\r\nhost: evil", "a\nb", "a\0b", "é", "\u{7f}"] {
            assert!(matches!(read(&[("x", value)]), Err(EgressError::InvalidRequest(_))), "{value:?}");
        }
    }

    #[test]
    fn count_and_size_are_bounded() {
        let line = ("x".to_owned(), "y".to_owned());
        assert!(read_headers(&vec![line.clone(); MAX_HEADERS]).is_ok());
        assert!(read_headers(&vec![line; MAX_HEADERS + 1]).is_err());
        let long = |bytes: usize| vec![("x".to_owned(), "y".repeat(bytes))];
        assert!(read_headers(&long(MAX_REQUEST_HEADER_BYTES - 5)).is_ok());
        assert!(read_headers(&long(MAX_REQUEST_HEADER_BYTES - 4)).is_err());
    }
}

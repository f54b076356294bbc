//! The cookie that carries a console session.
//!
//! Browsers send a cookie to every port of a host, so its name contains the port of the daemon: two daemons on one
//! machine do not overwrite each other's session.

use http::header::{COOKIE, HOST, ORIGIN};
use http::{HeaderMap, HeaderValue};

const NAME: &str = "palyra_console";

/// Returns the value of the session cookie; `None` if two cookies have its name.
pub(super) fn session_secret(headers: &HeaderMap) -> Option<&str> {
    let name = name(headers);
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let cookies = lines.flat_map(|line| line.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    let mut values = cookies.filter(|(found, _)| *found == name).map(|(_, value)| value);
    values.next().filter(|_| values.next().is_none())
}

/// Returns the header that sets the session cookie for this many seconds.
pub(super) fn set(headers: &HeaderMap, secret: &str, max_age_seconds: u64) -> Option<HeaderValue> {
    // Behind a proxy that terminates TLS, only the browser's `Origin` reveals that the page was loaded over TLS.
    let over_tls = headers
        .get(ORIGIN)
        .and_then(|origin| origin.to_str().ok())
        .is_some_and(|o| o.starts_with("https://"));
    let secure = if over_tls { "; Secure" } else { "" };
    let name = name(headers);
    let text =
        format!("{name}={secret}; Path=/; Max-Age={max_age_seconds}; HttpOnly; SameSite=Strict{secure}");
    let mut value = HeaderValue::from_str(&text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Returns the header that removes the session cookie.
pub(super) fn clear(headers: &HeaderMap) -> Option<HeaderValue> {
    set(headers, "", 0)
}

fn name(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let port = host.rsplit_once(':').map(|(_, port)| port);
    match port.filter(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())) {
        Some(port) => format!("{NAME}_{port}"),
        None => NAME.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn headers(pairs: &[(http::header::HeaderName, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn cookie_is_found_by_the_port_of_its_daemon() {
        let host = (HOST, "127.0.0.1:7437");
        let of = |cookies: &'static str| {
            let headers = headers(&[host.clone(), (COOKIE, cookies)]);
            session_secret(&headers).map(str::to_owned)
        };
        assert_eq!(of("a=b; palyra_console_7437=secret").as_deref(), Some("secret"));
        for none in ["", "palyra_console=x", "palyra_console_7438=x", "xpalyra_console_7437=x"] {
            assert_eq!(of(none), None, "{none}");
        }
        assert_eq!(of("palyra_console_7437=a; palyra_console_7437=b"), None);
        let plain = headers(&[(HOST, "palyra.example"), (COOKIE, "palyra_console=x")]);
        assert_eq!(session_secret(&plain), Some("x"));
        let address = headers(&[(HOST, "[::1]"), (COOKIE, "palyra_console=x")]);
        assert_eq!(session_secret(&address), Some("x"));
    }

    #[test]
    fn cookie_is_secure_where_the_page_came_over_tls() {
        let plain = headers(&[(HOST, "127.0.0.1:1"), (ORIGIN, "http://127.0.0.1:1")]);
        let text = "palyra_console_1=s; Path=/; Max-Age=60; HttpOnly; SameSite=Strict";
        assert_eq!(set(&plain, "s", 60).unwrap(), text);
        let tls = headers(&[(HOST, "palyra.example"), (ORIGIN, "https://palyra.example")]);
        let text = "palyra_console=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure";
        assert_eq!(clear(&tls).unwrap(), text);
    }
}

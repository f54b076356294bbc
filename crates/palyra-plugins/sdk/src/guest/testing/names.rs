//! Grammars of the names in grant lines.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Returns whether a name matches `[A-Za-z0-9._-]+` and is not `.` or `..`, with at most 128 bytes.
pub(super) fn is_plain(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    (1..=128).contains(&name.len()) && name.bytes().all(fits) && name != "." && name != ".."
}

/// Returns whether a name matches `[a-z0-9][a-z0-9._-]*`, with at most 64 bytes.
pub(super) fn is_channel(name: &str) -> bool {
    is_lower(name) && name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Returns whether a prefix consists of lower-case segments, each followed by `/`.
pub(super) fn is_storage_prefix(prefix: &str) -> bool {
    prefix.len() <= 200 && prefix.strip_suffix('/').is_some_and(|inner| inner.split('/').all(is_lower))
}

/// Returns whether a name is `global/key`, or `principal:…/key`, `channel:…/key`, `skill:…/key`.
pub(super) fn is_secret(name: &str) -> bool {
    let Some((scope, key)) = name.split_once('/') else { return false };
    let known = match scope.split_once(':') {
        None => scope == "global",
        Some((kind, owner)) => matches!(kind, "principal" | "channel" | "skill") && is_plain(owner),
    };
    known && is_plain(key)
}

/// Returns whether a pattern is a name, `*.` with a name of at least two labels, or an address in its usual spelling.
pub(super) fn is_host_pattern(host: &str) -> bool {
    if let Some(base) = host.strip_prefix("*.") {
        return base.contains('.') && is_name(base);
    }
    match host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().is_ok(),
        None => host.parse::<Ipv4Addr>().is_ok() || is_name(host),
    }
}

fn is_name(host: &str) -> bool {
    let plain = |label: &str| {
        (1..=63).contains(&label.len()) && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let last = host.rsplit('.').next().unwrap_or(host);
    let numeric = last.starts_with("0x") || last.bytes().all(|b| b.is_ascii_digit());
    host.split('.').all(plain) && !numeric
}

/// Returns whether `path` is an absolute path pattern: `*` matches a whole segment, `**` is allowed only at the end.
pub(super) fn is_path_pattern(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let encoded = ["%2f", "%5c", "%2e"].iter().any(|code| lower.contains(code));
    let Some(rest) =
        path.strip_prefix('/').filter(|_| path.bytes().all(|b| b.is_ascii_graphic()) && !encoded)
    else {
        return false;
    };
    let last = rest.split('/').count() - 1;
    let fits = |(index, segment): (usize, &str)| match segment {
        "**" => index == last,
        "*" => true,
        "." | ".." => false,
        literal => !literal.contains(['*', '?', '#', '\\']),
    };
    rest.split('/').enumerate().all(fits)
}

fn is_lower(name: &str) -> bool {
    is_plain(name) && !name.bytes().any(|b| b.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(grammar: fn(&str) -> bool, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(grammar(text), "{text}");
        }
        for text in bad {
            assert!(!grammar(text), "{text}");
        }
    }

    #[test]
    fn grammars() {
        check(is_channel, &["alerts", "a.b-c_1"], &["", ".a", "Alerts", "a b", &"a".repeat(65)]);
        check(is_storage_prefix, &["cache/", "a/b.c/"], &["", "/", "cache", "../", "a//", "A/"]);
        check(
            is_secret,
            &["global/k", "skill:acme.notes/pin"],
            &["k", "global/", "team:x/k", "skill:/k", "global/a/b", "global/.."],
        );
        check(
            is_host_pattern,
            &["a.example", "*.a.example", "127.0.0.1", "[::1]"],
            &["", "*", "*.com", "a..b", "a_b.c", "[::1", "[x]", "0x7f.1", "1.2.3"],
        );
        check(
            is_path_pattern,
            &["/", "/a/*", "/a/**", "/*/b"],
            &["", "a", "/**/a", "/a*", "/../a", "/a?b", "/a%2Fb", "/ä"],
        );
    }
}

//! Path patterns: literal segments, `*` for exactly one segment, `**` at the end for any rest.

use super::GrantSyntaxError;
use super::lattice::Authority;
use std::fmt;
use std::str::FromStr;

/// The paths of a host that a rule covers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathPattern {
    segments: Vec<Segment>,
    /// Whether any further segments match.
    open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Segment {
    Literal(String),
    Any,
}

impl PathPattern {
    /// Returns the pattern of every path, `/**`.
    pub fn any() -> Self {
        Self { segments: Vec::new(), open: true }
    }

    /// Returns whether this is `/**`.
    pub fn is_any(&self) -> bool {
        self.open && self.segments.is_empty()
    }

    /// Returns whether the pattern matches a normalized absolute path.
    ///
    /// A path that servers read in different ways (see [`is_ambiguous`]) matches only `/**`.
    pub fn matches(&self, path: &str) -> bool {
        if self.is_any() {
            return true;
        }
        let Some(rest) = path.strip_prefix('/') else { return false };
        if is_ambiguous(rest) {
            return false;
        }
        let mut given = rest.split('/');
        for segment in &self.segments {
            match (segment, given.next()) {
                (Segment::Literal(literal), Some(text)) if literal == text => {}
                (Segment::Any, Some(text)) if !text.is_empty() => {}
                _ => return false,
            }
        }
        self.open || given.next().is_none()
    }
}

/// Returns whether servers disagree about which resource a path names.
///
/// The path is decoded once, as servers do. The result must be valid UTF-8 without control characters,
/// separators, characters that some servers map to a separator or dot, or anything a second decoding would change.
fn is_ambiguous(rest: &str) -> bool {
    rest.contains('\\') || rest.split('/').any(|segment| decode(segment).is_none_or(|text| is_unsafe(&text)))
}

/// Decodes a segment once; `None` for a broken escape (also the `%u002f` of IIS) and for bytes that are not UTF-8.
fn decode(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        bytes.push(match (first, after) {
            (b'%', [high, low, tail @ ..]) => {
                rest = tail;
                hex_digit(*high)? << 4 | hex_digit(*low)?
            }
            (b'%', _) => return None,
            _ => first,
        });
    }
    String::from_utf8(bytes).ok()
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn is_unsafe(decoded: &str) -> bool {
    decoded.chars().any(|c| c.is_control() || looks_like_separator(c))
        || has_escape(decoded)
        || is_dot_segment_with_parameters(decoded)
}

/// Returns whether a character is `/` or `\`, or becomes `/`, `\`, `.`, `%` or `;` by compatibility normalisation or a
/// code page.
fn looks_like_separator(c: char) -> bool {
    matches!(c, '/' | '\\')
        || matches!(c, '\u{2044}' | '\u{2215}' | '\u{29F8}' | '\u{FF0F}')
        || matches!(c, '\u{2216}' | '\u{29F5}' | '\u{29F9}' | '\u{FE68}' | '\u{FF3C}')
        || matches!(c, '\u{2024}' | '\u{2025}' | '\u{FE52}' | '\u{FF0E}')
        || matches!(c, '\u{FE6A}' | '\u{FF05}' | '\u{37E}' | '\u{FE54}' | '\u{FF1B}')
}

/// Returns whether decoding a second time would change the text: `%2e` left over from `%252e`, or `%u002e`.
fn has_escape(decoded: &str) -> bool {
    let is_hex = |byte: &u8| byte.is_ascii_hexdigit();
    decoded.as_bytes().windows(3).any(|window| match window {
        [b'%', b'u' | b'U', _] => true,
        [b'%', digits @ ..] => digits.iter().all(is_hex),
        _ => false,
    })
}

/// Returns whether a segment is like `..;x`, of which some servers drop the parameters.
fn is_dot_segment_with_parameters(decoded: &str) -> bool {
    decoded.split_once(';').is_some_and(|(name, _)| matches!(name, "." | ".."))
}

impl FromStr for PathPattern {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |reason| GrantSyntaxError::part("path", text, reason);
        let rest = text.strip_prefix('/').ok_or_else(|| bad("it does not start with `/`"))?;
        if text.contains(['?', '#', '\\', ' ']) {
            return Err(bad("it has a character that is not allowed in a path"));
        }
        if !text.is_ascii() {
            return Err(bad("write other characters percent-encoded"));
        }
        let lower = text.to_ascii_lowercase();
        if lower.contains("%2f") || lower.contains("%5c") || lower.contains("%2e") {
            return Err(bad("it has an encoded slash, backslash or dot"));
        }
        let mut parts: Vec<&str> = rest.split('/').collect();
        let open = parts.last() == Some(&"**");
        if open {
            parts.pop();
        }
        let segments = parts
            .into_iter()
            .map(|part| match part {
                "*" => Ok(Segment::Any),
                "." | ".." => Err(bad("it has a `.` or `..` segment")),
                _ if part.contains('*') => {
                    Err(bad("`*` stands for a whole segment, and `**` only at the end"))
                }
                _ => Ok(Segment::Literal(part.to_owned())),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { segments, open })
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.segments {
            match segment {
                Segment::Literal(text) => write!(f, "/{text}")?,
                Segment::Any => f.write_str("/*")?,
            }
        }
        if self.open { f.write_str("/**") } else { Ok(()) }
    }
}

impl Authority for PathPattern {
    fn is_within(&self, other: &Self) -> bool {
        self.meet(other).as_ref() == Some(self)
    }

    fn meet(&self, other: &Self) -> Option<Self> {
        let (short, long) =
            if self.segments.len() <= other.segments.len() { (self, other) } else { (other, self) };
        if short.segments.len() < long.segments.len() && !short.open {
            return None;
        }
        let mut segments = Vec::with_capacity(long.segments.len());
        for (index, segment) in long.segments.iter().enumerate() {
            segments.push(match (segment, short.segments.get(index)) {
                (any, None) => any.clone(),
                (Segment::Any, Some(Segment::Literal(text)))
                | (Segment::Literal(text), Some(Segment::Any)) => {
                    if text.is_empty() {
                        return None;
                    }
                    Segment::Literal(text.clone())
                }
                (a, Some(b)) if a == b => a.clone(),
                _ => return None,
            });
        }
        // A closed pattern of the same length closes the result; a shorter open one does not restrict it further.
        let open = long.open && short.open;
        Some(Self { segments, open })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        pattern.parse::<PathPattern>().unwrap().matches(path)
    }

    #[test]
    fn matching() {
        for (pattern, yes, no) in [
            ("/", vec!["/"], vec!["/a", "//"]),
            ("/items/*", vec!["/items/1"], vec!["/items", "/items/", "/items/1/2", "/item/1"]),
            ("/items/**", vec!["/items/", "/items/1/2", "/items"], vec!["/itemsx", "/"]),
            ("/a/*/c", vec!["/a/b/c"], vec!["/a/c", "/a/b/d", "/a//c"]),
            ("/**", vec!["/", "/x%2fy"], vec![]),
            (
                "/a/**",
                vec!["/a/b"],
                vec!["/a/x%2F..%2f..", "/a/b%5c", "/a/..;/b", "/a/%2E%2e;x=1/b", "/a/.%3B/b"],
            ),
            ("/a/**", vec!["/a/b;v=1", "/a/...;x", "/a/;x"], vec![]),
            ("/a/**", vec!["/a/100%25", "/a/%C3%BC", "/a/x%20y", "/a/50%25-off"], vec![]),
        ] {
            for path in yes {
                assert!(matches(pattern, path), "{pattern} {path}");
            }
            for path in no {
                assert!(!matches(pattern, path), "{pattern} {path}");
            }
        }
    }

    #[test]
    fn narrowed_pattern_rejects_paths_that_servers_read_differently() {
        for path in [
            "/a/%252e%252e%252fadmin",
            "/a/%25%32%65",
            "/a/%25252e",
            "/a/%25u002e",
            "/a/..%c0%af..",
            "/a/%ff",
            "/a/%00",
            "/a/x%00.png",
            "/a/%0d%0a",
            "/a/%7f",
            "/a/%EF%BC%8F..",
            "/a/..\u{FF0F}admin",
            "/a/%E2%88%95",
            "/a/%EF%BC%8E%EF%BC%8E",
            "/a/%EF%BC%BC",
            "/a/%EF%BC%852e",
            "/a/%u002e",
            "/a/%2",
            "/a/%",
            "/a/%zz",
            "/a/%2E%2E%3Bx",
        ] {
            assert!(!matches("/a/**", path), "{path}");
            assert!(!matches("/a/*", path), "{path}");
            assert!(matches("/**", path), "{path}");
        }
    }

    #[test]
    fn refused() {
        for text in ["", "items", "/a*", "/**/b", "/../x", "/a?b", "/%2e%2e/", "/é", "/a b"] {
            assert!(text.parse::<PathPattern>().is_err(), "{text}");
        }
    }
}

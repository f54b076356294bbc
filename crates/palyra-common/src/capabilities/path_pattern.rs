//! Path patterns: literal segments, `*` for exactly one segment, `**` at the end for any rest.

use super::GrantSyntaxError;
use super::lattice::Authority;
use std::fmt;
use std::str::FromStr;

/// Which paths of a host a rule names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathPattern {
    segments: Vec<Segment>,
    /// Whether any further segments may follow.
    open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Segment {
    Literal(String),
    Any,
}

impl PathPattern {
    /// Every path: `/**`.
    pub fn any() -> Self {
        Self { segments: Vec::new(), open: true }
    }

    /// Whether this is `/**`.
    pub fn is_any(&self) -> bool {
        self.open && self.segments.is_empty()
    }

    /// The pattern of exactly this path, `*` and all.
    pub fn literal(path: &str) -> Self {
        let segments =
            path.trim_start_matches('/').split('/').map(|s| Segment::Literal(s.to_owned())).collect();
        Self { segments, open: false }
    }

    /// Whether a normalised absolute path matches. A path with `%2f`, `%5c` or a dot segment that carries
    /// parameters (`..;x`) matches only `/**`, because servers disagree about what it means.
    pub fn matches(&self, path: &str) -> bool {
        if self.is_any() {
            return true;
        }
        let Some(rest) = path.strip_prefix('/') else { return false };
        let lower = rest.to_ascii_lowercase();
        if lower.contains("%2f") || lower.contains("%5c") || rest.contains('\\') {
            return false;
        }
        if lower.split('/').any(is_dot_segment_with_parameters) {
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

/// `..;x` and its encoded spellings: some servers drop the parameters and climb.
fn is_dot_segment_with_parameters(lower: &str) -> bool {
    let name_end = lower.find(';').or_else(|| lower.find("%3b"));
    name_end.is_some_and(|end| matches!(lower[..end].replace("%2e", ".").as_str(), "." | ".."))
}

impl FromStr for PathPattern {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |reason| GrantSyntaxError::part("path", text, reason);
        let rest = text.strip_prefix('/').ok_or_else(|| bad("it does not start with `/`"))?;
        if text.contains(['?', '#', '\\', ' ']) {
            return Err(bad("it has a character that a path cannot have"));
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
        // An equally long closed pattern closes the result; a shorter open one leaves the longer as it is.
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
    fn refused() {
        for text in ["", "items", "/a*", "/**/b", "/../x", "/a?b", "/%2e%2e/", "/é", "/a b"] {
            assert!(text.parse::<PathPattern>().is_err(), "{text}");
        }
    }
}

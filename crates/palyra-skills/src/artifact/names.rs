//! Paths of entries, limited to characters that name the same file on every system.

use crate::constants::{
    ASSETS_PREFIX, MANIFEST_PATH, MAX_PATH_BYTES, MAX_PATH_SEGMENTS, MODULES_PREFIX, PROVENANCE_PATH,
    SBOM_PATH, SIGNATURE_PATH,
};

/// The rule that an entry path violates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum NameProblem {
    /// The path is empty or longer than [`MAX_PATH_BYTES`].
    #[error("the path has {0} bytes, expected 1 to {MAX_PATH_BYTES}")]
    Length(usize),
    /// The path has more than [`MAX_PATH_SEGMENTS`] segments.
    #[error("the path has {0} segments, the limit is {MAX_PATH_SEGMENTS}")]
    Depth(usize),
    /// A byte is outside the alphabet.
    #[error("byte {byte:#04x} at {offset} is not one of a-z 0-9 . _ - /")]
    Byte { byte: u8, offset: usize },
    /// Two slashes are adjacent, or the path starts or ends with a slash.
    #[error("it has an empty segment")]
    EmptySegment,
    /// A segment is `.`, `..`, `.name` or `name.`.
    #[error("a segment starts or ends with a dot")]
    Dot,
    /// A segment is a Windows device name: `con`, `nul`, `com1` and similar.
    #[error("a segment is a device name on Windows")]
    Device,
    /// The path is well formed, but a skill has no such entry.
    #[error("a skill cannot have this entry")]
    NotAPlace,
}

impl NameProblem {
    /// Returns advice for the author of the skill.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Self::NotAPlace => {
                "a skill holds `skill.toml`, `modules/*.wasm`, `assets/**`, `sbom.cyclonedx.json`, \
                 `provenance.json` and `signature.json`; put other files under `assets/`"
            }
            _ => {
                "rename the file: segments of a-z 0-9 . _ -, no dot at either end, for example `assets/icons/home.svg`"
            }
        }
    }
}

/// Checks that `path` is valid and names an entry that a skill can have.
///
/// # Errors
/// The first rule that the path violates. [`NameProblem::NotAPlace`] is checked last.
pub fn check_entry_path(path: &[u8]) -> Result<&str, NameProblem> {
    let text = check_grammar(path)?;
    let is_module = text
        .strip_prefix(MODULES_PREFIX)
        .and_then(|name| name.strip_suffix(".wasm"))
        .is_some_and(|stem| !stem.is_empty() && !stem.contains('/'));
    let fixed = [MANIFEST_PATH, SBOM_PATH, PROVENANCE_PATH, SIGNATURE_PATH].contains(&text);
    if fixed || is_module || text.starts_with(ASSETS_PREFIX) { Ok(text) } else { Err(NameProblem::NotAPlace) }
}

fn check_grammar(path: &[u8]) -> Result<&str, NameProblem> {
    if path.is_empty() || path.len() > MAX_PATH_BYTES {
        return Err(NameProblem::Length(path.len()));
    }
    let stranger = |byte: &u8| !matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'/');
    if let Some(offset) = path.iter().position(stranger) {
        return Err(NameProblem::Byte { byte: path.get(offset).copied().unwrap_or_default(), offset });
    }
    let text = std::str::from_utf8(path).map_err(|_| NameProblem::Length(path.len()))?;
    let depth = text.split('/').count();
    if depth > MAX_PATH_SEGMENTS {
        return Err(NameProblem::Depth(depth));
    }
    text.split('/').try_for_each(check_segment)?;
    Ok(text)
}

fn check_segment(segment: &str) -> Result<(), NameProblem> {
    if segment.is_empty() {
        return Err(NameProblem::EmptySegment);
    }
    if segment.starts_with('.') || segment.ends_with('.') {
        return Err(NameProblem::Dot);
    }
    if is_device(segment.split('.').next().unwrap_or(segment)) {
        return Err(NameProblem::Device);
    }
    Ok(())
}

/// Returns whether Windows opens a device for this name, with any extension.
fn is_device(stem: &str) -> bool {
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    matches!(stem, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_a_table() {
        for good in
            ["skill.toml", "modules/a-b_c.1.wasm", "assets/a", "assets/1/2/3/4/5/6/7", "assets/console.txt"]
        {
            assert_eq!(check_entry_path(good.as_bytes()), Ok(good));
        }
        let long = format!("assets/{}", "a".repeat(194));
        for (bad, problem) in [
            ("", NameProblem::Length(0)),
            (long.as_str(), NameProblem::Length(201)),
            ("assets/1/2/3/4/5/6/7/8", NameProblem::Depth(9)),
            ("SKILL.TOML", NameProblem::Byte { byte: b'S', offset: 0 }),
            ("assets/a b", NameProblem::Byte { byte: b' ', offset: 8 }),
            ("assets//a", NameProblem::EmptySegment),
            ("assets/", NameProblem::EmptySegment),
            ("/abs", NameProblem::EmptySegment),
            ("../../x", NameProblem::Dot),
            ("assets/.git", NameProblem::Dot),
            ("assets/a.", NameProblem::Dot),
            ("assets/nul.txt", NameProblem::Device),
            ("assets/com1", NameProblem::Device),
            ("assets/lpt9.a.b", NameProblem::Device),
            ("modules/a.txt", NameProblem::NotAPlace),
            ("modules/deep/a.wasm", NameProblem::NotAPlace),
            ("sbom.json", NameProblem::NotAPlace),
            ("assets", NameProblem::NotAPlace),
        ] {
            assert_eq!(check_entry_path(bad.as_bytes()), Err(problem), "{bad}");
            assert!(!problem.hint().is_empty());
        }
    }
}

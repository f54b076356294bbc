//! The example skills that are compiled into `palyra`.
//!
//! A plain `cargo build` embeds the small ones, which are committed as packages under `packages/`. `cargo xtask
//! build` builds all of them from source and embeds those. The program trusts exactly these releases, by the payload
//! digest that is compiled in beside each package; the key that signed a package does not matter.

#![forbid(unsafe_code)]

/// One example skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInSkill {
    /// The name of its directory under `examples/skills`.
    pub name: &'static str,
    /// The digest of everything in it that is signed, as 64 hexadecimal digits.
    pub payload_sha256: &'static str,
    /// The `.palyra-skill` file.
    pub package: &'static [u8],
}

/// Every example skill of this version, by name.
pub const ALL_NAMES: [&str; 11] = [
    "counter-wat",
    "echo-http",
    "notes-js",
    "notify",
    "packing-list",
    "stats-python",
    "table-chart",
    "text-tools",
    "todo",
    "tool-gate",
    "wordcount-c",
];

/// The skills that are in this build, by name.
pub const EMBEDDED: &[BuiltInSkill] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The names of the example skills that this build lacks.
pub fn missing() -> impl Iterator<Item = &'static str> {
    ALL_NAMES.into_iter().filter(|name| EMBEDDED.iter().all(|skill| skill.name != *name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_build_has_the_small_skills_and_no_unknown_one() {
        let names: Vec<&str> = EMBEDDED.iter().map(|skill| skill.name).collect();
        assert!(names.contains(&"counter-wat") && names.contains(&"wordcount-c"), "{names:?}");
        assert!(names.is_sorted() && names.iter().all(|name| ALL_NAMES.contains(name)), "{names:?}");
        assert_eq!(names.len() + missing().count(), ALL_NAMES.len());
    }

    #[test]
    fn every_digest_is_64_hexadecimal_digits() {
        for skill in EMBEDDED {
            let hex = skill.payload_sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(hex && skill.payload_sha256.len() == 64 && !skill.package.is_empty(), "{}", skill.name);
        }
    }
}

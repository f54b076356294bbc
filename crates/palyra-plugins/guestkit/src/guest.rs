//! `guest.toml`: the name and language of a guest.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::contract;
use crate::error::GuestkitError;

/// The file whose presence makes a directory a guest.
pub(crate) const GUEST_FILE: &str = "guest.toml";

const DEFAULT_WORLD: &str = "tool-plugin";
const LONGEST_NAME: usize = 64;

/// A guest whose description was read and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guest {
    directory: PathBuf,
    name: String,
    language: Language,
    world: String,
    source: PathBuf,
}

/// The language of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// A Cargo package with crate type `cdylib`.
    Rust,
    /// A C file, or a directory of C files.
    C,
    /// A JavaScript module, bundled and embedded into an engine.
    Js,
    /// A TypeScript module, bundled and embedded into a JavaScript engine.
    Ts,
    /// A Python module, embedded into an interpreter.
    Python,
    /// WebAssembly text, assembled without further changes.
    Wat,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GuestFile {
    lang: Language,
    name: String,
    world: Option<String>,
    source: Option<PathBuf>,
}

impl Guest {
    /// Reads and checks the `guest.toml` in `directory`.
    pub fn read(directory: &Path) -> Result<Self, GuestkitError> {
        let directory = directory.canonicalize().map_err(GuestkitError::file("find", directory))?;
        let path = directory.join(GUEST_FILE);
        let text = std::fs::read_to_string(&path).map_err(GuestkitError::file("read", &path))?;
        let file: GuestFile = toml::from_str(&text)
            .map_err(|source| GuestkitError::GuestFile { path: path.clone(), source: Box::new(source) })?;
        let bad = |field, reason| GuestkitError::GuestField { path: path.clone(), field, reason };

        check_name(&file.name).map_err(|reason| bad("name", reason))?;
        let world = file.world.unwrap_or_else(|| DEFAULT_WORLD.to_owned());
        contract::resolve_world(&world)
            .map_err(|_| bad("world", format!("the contract has no world `{world}`")))?;
        let source = file.source.unwrap_or_else(|| PathBuf::from(file.lang.default_source()));
        check_source(&directory, &source, file.lang).map_err(|reason| bad("source", reason))?;
        Ok(Self { directory, name: file.name, language: file.lang, world, source })
    }

    /// Returns the absolute path of the guest's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the name of the built file, without `.wasm`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the language of the guest.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns the WIT world that the guest implements.
    pub fn world(&self) -> &str {
        &self.world
    }

    /// Returns the source file (for C also a directory), relative to [`Guest::directory`].
    pub fn source(&self) -> &Path {
        &self.source
    }

    /// Returns the absolute path of the source.
    pub(crate) fn source_path(&self) -> PathBuf {
        self.directory.join(&self.source)
    }
}

impl Language {
    fn default_source(self) -> &'static str {
        match self {
            Self::Rust => "Cargo.toml",
            Self::C => "guest.c",
            Self::Js => "guest.js",
            Self::Ts => "guest.ts",
            Self::Python => "guest.py",
            Self::Wat => "guest.wat",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Rust => "rust",
            Self::C => "c",
            Self::Js => "js",
            Self::Ts => "ts",
            Self::Python => "python",
            Self::Wat => "wat",
        })
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
    let sound = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.bytes().all(allowed)
        && name.as_bytes()[0].is_ascii_alphanumeric();
    if sound {
        return Ok(());
    }
    Err(format!(
        "`{}` is not 1 to {LONGEST_NAME} of a-z, 0-9, `-` and `_`, starting with a letter or digit",
        name.escape_debug()
    ))
}

fn check_source(directory: &Path, source: &Path, language: Language) -> Result<(), String> {
    let inside = source.components().all(|part| matches!(part, Component::Normal(_)));
    if !inside || source.as_os_str().is_empty() {
        return Err(format!("`{}` is not a path inside the directory of the guest", source.display()));
    }
    let path = directory.join(source);
    if path.is_file() || (language == Language::C && path.is_dir()) {
        return Ok(());
    }
    Err(format!("file `{}` does not exist", source.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Guest, GuestkitError> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("guest.wat"), "(module)").unwrap();
        std::fs::create_dir(directory.path().join("src")).unwrap();
        std::fs::write(directory.path().join("src/main.c"), "").unwrap();
        std::fs::write(directory.path().join(GUEST_FILE), text).unwrap();
        Guest::read(directory.path())
    }

    #[test]
    fn a_short_description_gets_the_defaults() {
        let guest = read("lang = \"wat\"\nname = \"counter-wat\"\n").unwrap();
        assert_eq!(
            (guest.name(), guest.language(), guest.world()),
            ("counter-wat", Language::Wat, "tool-plugin")
        );
        assert_eq!(guest.source(), Path::new("guest.wat"));
    }

    #[test]
    fn every_field_can_be_given() {
        let guest =
            read("lang = \"c\"\nname = \"x_1\"\nworld = \"full-plugin\"\nsource = \"src\"\n").unwrap();
        assert_eq!((guest.world(), guest.source()), ("full-plugin", Path::new("src")));
        assert!(guest.source_path().is_absolute());
    }

    #[test]
    fn what_is_not_a_description_is_refused() {
        for text in [
            "",
            "lang = \"wat\"",
            "name = \"x\"",
            "lang = \"cobol\"\nname = \"x\"",
            "lang = \"wat\"\nname = 3",
            "lang = \"wat\"\nname = \"x\"\nworlds = \"tool-plugin\"",
            "lang = \"wat\"\nname = \"x\"\nname = \"y\"",
            "not toml",
        ] {
            assert!(matches!(read(text), Err(GuestkitError::GuestFile { .. })), "{text}");
        }
    }

    fn check_field(text: &str, expected: &str) {
        let error = read(text).unwrap_err();
        assert!(
            matches!(&error, GuestkitError::GuestField { field, .. } if *field == expected),
            "{text}: {error:?}"
        );
    }

    #[test]
    fn unsound_values_name_their_field() {
        for name in ["", "Upper", "../up", "a/b", "-a", "a b", "ä", &"x".repeat(65)] {
            check_field(&format!("lang = \"wat\"\nname = \"{name}\""), "name");
        }
        check_field("lang = \"wat\"\nname = \"x\"\nworld = \"nothing\"", "world");
        for source in ["", "missing.wat", "/etc/passwd", "../guest.wat", "./guest.wat", "src"] {
            check_field(&format!("lang = \"wat\"\nname = \"x\"\nsource = \"{source}\""), "source");
        }
    }

    #[test]
    fn a_directory_without_a_description_is_a_file_error() {
        let directory = tempfile::tempdir().unwrap();
        assert!(matches!(Guest::read(directory.path()), Err(GuestkitError::File { action: "read", .. })));
        assert!(matches!(Guest::read(&directory.path().join("gone")), Err(GuestkitError::File { .. })));
    }
}

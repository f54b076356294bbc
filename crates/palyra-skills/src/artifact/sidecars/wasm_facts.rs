//! Build facts embedded in a module: its producers, and its dependencies if `cargo auditable` recorded them.

use std::collections::BTreeSet;

use serde::Deserialize;
use wasmparser::{CustomSectionReader, KnownCustom, Parser, Payload};

/// The custom section written by `cargo auditable`: JSON compressed with zlib.
const DEPENDENCIES_SECTION: &str = ".dep-v0";
/// Maximum size of that section after decompression, in bytes.
const MAX_DEPENDENCY_BYTES: usize = 4 << 20;
/// Maximum number of producers, and of dependencies, read from one module.
const MAX_FACTS: usize = 4_096;
/// Maximum length of a producer name or version, in bytes; longer ones are skipped.
const MAX_TEXT_BYTES: usize = 128;

/// Build facts of one module. Empty if the module cannot be parsed; the audit rejects such a module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleFacts {
    /// Languages and tools from the `producers` sections.
    pub producers: BTreeSet<Producer>,
    /// Crates that the linker recorded, without build dependencies.
    pub dependencies: BTreeSet<CargoDependency>,
}

/// One language or tool that produced a module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Producer {
    /// `language`, `processed-by` or `sdk`.
    pub field: String,
    /// The name of the language or tool, printable ASCII.
    pub name: String,
    /// The version, possibly empty.
    pub version: String,
}

/// One crate linked into a module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CargoDependency {
    /// The name of the crate.
    pub name: String,
    /// The version, valid semver.
    pub version: String,
    /// `crates.io`, `git`, `local` or another registry.
    pub source: String,
}

/// Reads the facts of a module or component, including nested ones. Time and memory are bounded.
#[must_use]
pub fn read_module_facts(bytes: &[u8]) -> ModuleFacts {
    let mut facts = ModuleFacts::default();
    for payload in Parser::new(0).parse_all(bytes) {
        match payload {
            Ok(Payload::CustomSection(section)) => facts.read_section(&section),
            Ok(_) => {}
            Err(_) => break,
        }
    }
    facts
}

impl ModuleFacts {
    fn read_section(&mut self, section: &CustomSectionReader<'_>) {
        if section.name() == DEPENDENCIES_SECTION {
            self.read_dependencies(section.data());
        } else if let KnownCustom::Producers(fields) = section.as_known() {
            for field in fields.into_iter().flatten() {
                for value in field.values.into_iter().flatten() {
                    self.keep_producer(field.name, value.name, value.version);
                }
            }
        }
    }

    fn keep_producer(&mut self, field: &str, name: &str, version: &str) {
        let plain = |text: &str| {
            text.len() <= MAX_TEXT_BYTES && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        };
        let known = matches!(field, "language" | "processed-by" | "sdk");
        if known && plain(name) && plain(version) && !name.is_empty() && self.producers.len() < MAX_FACTS {
            self.producers.insert(Producer {
                field: field.to_owned(),
                name: name.to_owned(),
                version: version.to_owned(),
            });
        }
    }

    fn read_dependencies(&mut self, data: &[u8]) {
        let Ok(json) = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(data, MAX_DEPENDENCY_BYTES)
        else {
            return;
        };
        let Ok(list) = serde_json::from_slice::<AuditableList>(&json) else { return };
        let usable = list.packages.into_iter().filter(AuditablePackage::is_linked);
        for package in usable.take(MAX_FACTS.saturating_sub(self.dependencies.len())) {
            self.dependencies.insert(CargoDependency {
                name: package.name,
                version: package.version,
                source: package.source,
            });
        }
    }
}

/// The JSON of `cargo auditable`; unknown fields are ignored because the format may grow.
#[derive(Deserialize)]
struct AuditableList {
    packages: Vec<AuditablePackage>,
}

#[derive(Deserialize)]
struct AuditablePackage {
    name: String,
    version: String,
    source: String,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    root: bool,
}

impl AuditablePackage {
    fn is_linked(&self) -> bool {
        let word = |text: &str| {
            (1..=64).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        };
        let built = self.kind.as_deref() == Some("build");
        !self.root
            && !built
            && word(&self.name)
            && word(&self.source)
            && semver::Version::parse(&self.version).is_ok()
    }
}

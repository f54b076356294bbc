//! A directory of packages with its lists.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use palyra_skills::BuiltArtifact;

use super::package::write_whole;

/// File with the payload digest of each package, which the build of `palyra` reads.
const PAYLOADS: &str = "payloads.txt";
/// File with the source digest of each package.
const SOURCES: &str = "sources.txt";

/// The packages in one directory.
pub(super) struct Packages {
    directory: PathBuf,
    payloads: BTreeMap<String, String>,
    sources: BTreeMap<String, String>,
}

impl Packages {
    /// Reads the lists in a directory; empty if it does not exist.
    pub(super) fn read(directory: &Path) -> Result<Self> {
        let list = |name: &str| read_list(&directory.join(name));
        Ok(Self { directory: directory.to_owned(), payloads: list(PAYLOADS)?, sources: list(SOURCES)? })
    }

    /// Returns whether a package exists that was built from exactly this source.
    pub(super) fn is_current(&self, name: &str, source: &str) -> bool {
        self.sources.get(name).is_some_and(|known| known == source)
            && self.payloads.contains_key(name)
            && self.path(name).is_file()
    }

    /// Writes a package and updates the lists.
    pub(super) fn put(&mut self, name: &str, source: &str, built: &BuiltArtifact) -> Result<()> {
        make_directory(&self.directory)?;
        write_whole(&self.path(name), &built.bytes)?;
        self.payloads.insert(name.to_owned(), built.payload.to_string());
        self.sources.insert(name.to_owned(), source.to_owned());
        self.write_lists()
    }

    /// Removes packages of skills that no longer exist from the lists.
    pub(super) fn finish<'a>(&mut self, names: impl Iterator<Item = &'a str>) -> Result<()> {
        let names: Vec<&str> = names.collect();
        for name in self.names().into_iter().filter(|name| !names.contains(&name.as_str())) {
            std::fs::remove_file(self.path(&name)).ok();
            self.payloads.remove(&name);
            self.sources.remove(&name);
        }
        self.write_lists()
    }

    /// Copies some packages and their list to another directory.
    pub(super) fn copy(&self, names: &[&str], directory: &Path) -> Result<()> {
        make_directory(directory)?;
        let mut copied = Self::read(directory)?;
        for name in names {
            let payload = self.payload(name).ok_or_else(|| anyhow!("package `{name}` does not exist"))?;
            // Every signature is different, so an equal payload means the same release.
            if copied.payload(name) != Some(payload) {
                let bytes =
                    std::fs::read(self.path(name)).with_context(|| format!("cannot read `{name}`"))?;
                write_whole(&copied.path(name), &bytes)?;
                copied.payloads.insert((*name).to_owned(), payload.to_owned());
            }
        }
        write_list(&directory.join(PAYLOADS), &copied.payloads)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.payloads.keys().cloned().collect()
    }

    pub(super) fn payload(&self, name: &str) -> Option<&str> {
        self.payloads.get(name).map(String::as_str)
    }

    /// Formats one line about a package.
    pub(super) fn describe(&self, name: &str, unchanged: bool) -> String {
        let bytes = std::fs::metadata(self.path(name)).map_or(0, |metadata| metadata.len());
        let state = if unchanged { "unchanged" } else { "packaged" };
        format!("{name:<14} {bytes:>10} bytes  payload {}  {state}", self.payload(name).unwrap_or_default())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.palyra-skill"))
    }

    fn write_lists(&self) -> Result<()> {
        write_list(&self.directory.join(PAYLOADS), &self.payloads)?;
        write_list(&self.directory.join(SOURCES), &self.sources)
    }
}

fn make_directory(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("cannot create `{}`", path.display()))
}

fn read_list(path: &Path) -> Result<BTreeMap<String, String>> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        read => read.with_context(|| format!("cannot read `{}`", path.display()))?,
    };
    Ok(text
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(digest, name)| (name.into(), digest.into()))
        .collect())
}

/// Writes a list only if it changed: cargo rebuilds everything that depends on a written file.
fn write_list(path: &Path, list: &BTreeMap<String, String>) -> Result<()> {
    if list.is_empty() || read_list(path)? == *list {
        return Ok(());
    }
    let text: String = list.iter().map(|(name, digest)| format!("{digest}  {name}\n")).collect();
    write_whole(path, text.as_bytes())
}

//! Filesystem roots: logical names in a manifest, which the operator maps to directories.

use super::GrantSyntaxError;
use super::lattice::Authority;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The logical name of a root, `[a-z0-9-]+` with at most 64 bytes. The guest sees the directory as `/NAME`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootName(String);

/// The access that a grant gives to a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FilesystemAccess {
    /// Reading files and listing directories.
    Read,
    /// Reading, listing, creating, changing and removing files.
    ReadWrite,
}

/// Access to one root, with the directory that the operator mapped it to, if any.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilesystemGrant {
    /// The logical name of the root.
    pub root: RootName,
    /// The permitted access.
    pub access: FilesystemAccess,
    directory: Option<PathBuf>,
}

impl RootName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FilesystemGrant {
    /// Creates a grant without a directory, as manifests request it.
    pub fn unmapped(access: FilesystemAccess, root: RootName) -> Self {
        Self { root, access, directory: None }
    }

    /// Parses `NAME` or `NAME=DIRECTORY`. A directory that contains `..` is an error.
    pub fn parse(access: FilesystemAccess, text: &str) -> Result<Self, GrantSyntaxError> {
        let bad = |reason| GrantSyntaxError::part("filesystem root", text, reason);
        let (name, directory) = match text.split_once('=') {
            None => (text, None),
            Some((_, "")) => return Err(bad("the directory is empty")),
            Some((name, directory)) => (name, Some(PathBuf::from(directory))),
        };
        if directory.as_deref().is_some_and(|d| d.components().any(|c| c == std::path::Component::ParentDir))
        {
            return Err(bad("the directory contains `..`"));
        }
        Ok(Self { root: name.parse()?, access, directory })
    }

    /// Returns the directory, if an operator mapped one.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }
}

impl FromStr for RootName {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = (1..=64).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if !fits {
            return Err(GrantSyntaxError::part(
                "filesystem root",
                text,
                "expected `[a-z0-9-]+`, at most 64 bytes",
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for RootName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for FilesystemGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.access {
            FilesystemAccess::Read => "fs-read",
            FilesystemAccess::ReadWrite => "fs-write",
        };
        write!(f, "{kind}:{}", self.root)?;
        match &self.directory {
            Some(directory) => write!(f, "={}", directory.display()),
            None => Ok(()),
        }
    }
}

impl Authority for FilesystemGrant {
    fn is_within(&self, other: &Self) -> bool {
        self.meet(other).as_ref() == Some(self)
    }

    fn meet(&self, other: &Self) -> Option<Self> {
        if self.root != other.root {
            return None;
        }
        let directory = match (&self.directory, &other.directory) {
            (Some(a), Some(b)) if a != b => return None,
            (Some(directory), _) | (None, Some(directory)) => Some(directory.clone()),
            (None, None) => None,
        };
        Some(Self { root: self.root.clone(), access: self.access.min(other.access), directory })
    }
}

#[cfg(test)]
mod tests {
    use crate::Capability;

    #[test]
    fn grammar() {
        for text in ["fs-read:docs=/srv/docs", "fs-write:out=/srv/out", "fs-read:docs"] {
            assert_eq!(text.parse::<Capability>().unwrap().to_string(), text);
        }
        for text in [
            "fs-read:",
            "fs-read:.=/x",
            "fs-read:..",
            "fs-read:a/b=/x",
            "fs-read:docs=",
            "fs-read:docs=/a/../b",
            "fs-read:Docs=/x",
        ] {
            assert!(text.parse::<Capability>().is_err(), "{text}");
        }
    }
}

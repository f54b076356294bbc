//! Why bytes are not the one encoding of a skill.

use super::names::NameProblem;
use crate::constants::{MAX_ARCHIVE_BYTES, MAX_ENTRIES};

/// Why bytes are not the one encoding of a skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ArchiveError {
    /// Longer than an archive may be; found by length, before reading.
    #[error("the file has {length} bytes, the limit is {MAX_ARCHIVE_BYTES}")]
    TooLarge { length: u64 },
    /// The file could not be read.
    #[error("the file could not be read: {reason}")]
    Unreadable { reason: String },
    /// No end record anywhere near the end.
    #[error("the file is not a ZIP archive")]
    NotAnArchive,
    /// Bytes after the end record.
    #[error("{count} bytes follow the end of the archive")]
    DataAfterEnd { count: usize },
    /// Bytes before the first entry, or between two records.
    #[error("{count} bytes at offset {offset} belong to no entry")]
    StrayBytes { offset: u64, count: u64 },
    /// More entries than a skill may have.
    #[error("the archive has {count} entries, the limit is {MAX_ENTRIES}")]
    TooManyEntries { count: u32 },
    /// An entry larger than it may be; found in the directory, before its bytes are touched.
    #[error("entry `{path}` has {size} bytes, the limit is {limit}")]
    EntryTooLarge {
        path: String,
        /// The size its record gives.
        size: u64,
        /// The ceiling for this entry.
        limit: u64,
    },
    /// A record ends beyond the bytes there are.
    #[error("the {record} is truncated")]
    CutOff { record: ArchiveRecord },
    /// A field that does not have the one value it can have.
    #[error("{field} of the {record} is {found:#x}, expected {expected:#x}")]
    Field {
        record: ArchiveRecord,
        field: &'static str,
        found: u32,
        /// The value every canonical archive has there.
        expected: u32,
    },
    /// A path that is not acceptable.
    #[error("entry name `{path}`: {problem}")]
    Name {
        /// The path, with strange bytes escaped.
        path: String,
        /// What is wrong with it.
        problem: NameProblem,
    },
    /// The local header names another file than the directory.
    #[error("the directory has `{path}`, the local header has `{local}`")]
    NamesDiffer {
        path: String,
        /// The local header's name, with strange bytes escaped.
        local: String,
    },
    /// One path twice.
    #[error("duplicate entry `{path}`")]
    Duplicate { path: String },
    /// Entries out of order.
    #[error("entry `{path}` must precede `{after}`: entries are sorted bytewise")]
    Unsorted {
        /// The entry out of place.
        path: String,
        after: String,
    },
    /// A file that would also have to be a directory.
    #[error("entry `{path}` is both a file and the directory of `{child}`")]
    FileIsDirectory { path: String, child: String },
    /// An entry that every skill has is missing.
    #[error("entry `{path}` is missing")]
    Missing { path: &'static str },
    /// Encoding what was read gives other bytes.
    #[error("the bytes at offset {offset} differ from the canonical encoding")]
    NotCanonical {
        /// The first piece that differs starts here.
        offset: usize,
    },
}

impl ArchiveError {
    /// What a person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::TooLarge { .. } | Self::TooManyEntries { .. } | Self::EntryTooLarge { .. } => {
                "ask the publisher for a smaller build; the ceilings are part of the format".into()
            }
            Self::Unreadable { .. } => "check that the file exists and can be read".into(),
            Self::Name { problem, .. } => problem.hint().into(),
            Self::Missing { .. } => {
                "build it with `palyra skills package build`, which writes every part".into()
            }
            _ => "get the file again from its publisher; a skill is never repacked, edited or concatenated \
                  after `palyra skills package build`"
                .into(),
        }
    }
}

/// A record of the archive, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveRecord {
    /// The header before an entry's bytes.
    Local {
        /// The entry.
        path: String,
    },
    /// A record of the directory, by its place.
    Directory {
        /// Counted from 0.
        index: usize,
    },
    /// The last record.
    End,
}

impl std::fmt::Display for ArchiveRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Local { path } => write!(f, "local header of `{path}`"),
            Self::Directory { index } => write!(f, "directory record {index}"),
            Self::End => f.write_str("end record"),
        }
    }
}

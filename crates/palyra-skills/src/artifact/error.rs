//! Errors of reading an archive that is not the canonical encoding of a skill.

use super::names::NameProblem;
use crate::constants::{MAX_ARCHIVE_BYTES, MAX_ENTRIES};

/// A violation of the archive format, found while reading a `.palyra-skill` file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ArchiveError {
    /// The file is longer than [`MAX_ARCHIVE_BYTES`]; detected from its length, before it is read.
    #[error("the file has {length} bytes, the limit is {MAX_ARCHIVE_BYTES}")]
    TooLarge { length: u64 },
    /// The file could not be read.
    #[error("the file could not be read: {reason}")]
    Unreadable { reason: String },
    /// No end record exists in the last 64 KiB.
    #[error("the file is not a ZIP archive")]
    NotAnArchive,
    /// Bytes follow the end record, for example a ZIP comment.
    #[error("{count} bytes follow the end of the archive")]
    DataAfterEnd { count: usize },
    /// Bytes before the first entry, or between two records.
    #[error("{count} bytes at offset {offset} belong to no entry")]
    StrayBytes { offset: u64, count: u64 },
    /// The end record counts more than [`MAX_ENTRIES`] entries.
    #[error("the archive has {count} entries, the limit is {MAX_ENTRIES}")]
    TooManyEntries { count: u32 },
    /// An entry exceeds its limit; detected in the directory, before its bytes are read.
    #[error("entry `{path}` has {size} bytes, the limit is {limit}")]
    EntryTooLarge {
        path: String,
        /// The size in its record, in bytes.
        size: u64,
        /// The limit for this entry, in bytes.
        limit: u64,
    },
    /// A record extends past the end of the file.
    #[error("the {record} is truncated")]
    CutOff { record: ArchiveRecord },
    /// A field differs from the only value that the format allows.
    #[error("{field} of the {record} is {found:#x}, expected {expected:#x}")]
    Field {
        record: ArchiveRecord,
        field: &'static str,
        found: u32,
        /// The value that every canonical archive has in this field.
        expected: u32,
    },
    /// The path of an entry is invalid.
    #[error("entry name `{path}`: {problem}")]
    Name {
        /// The path, with non-printable bytes escaped.
        path: String,
        /// The rule that the path violates.
        problem: NameProblem,
    },
    /// The local header and the directory have different names.
    #[error("the directory has `{path}`, the local header has `{local}`")]
    NamesDiffer {
        path: String,
        /// The name in the local header, with non-printable bytes escaped.
        local: String,
    },
    /// Two entries have the same path.
    #[error("duplicate entry `{path}`")]
    Duplicate { path: String },
    /// The entries are not sorted bytewise by path.
    #[error("entry `{path}` must precede `{after}`: entries are sorted bytewise")]
    Unsorted {
        /// The first entry that is out of order.
        path: String,
        after: String,
    },
    /// One entry's path is also the parent directory of another.
    #[error("entry `{path}` is both a file and the directory of `{child}`")]
    FileIsDirectory { path: String, child: String },
    /// A required entry, such as `skill.toml`, is missing.
    #[error("entry `{path}` is missing")]
    Missing { path: &'static str },
    /// Encoding the parsed entries again gives other bytes.
    #[error("the bytes at offset {offset} differ from the canonical encoding")]
    NotCanonical {
        /// The offset of the first encoded piece that differs.
        offset: usize,
    },
}

impl ArchiveError {
    /// Returns advice for the user, shown under the message.
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
    /// The local header before the bytes of an entry.
    Local {
        /// The path of the entry.
        path: String,
    },
    /// A record of the central directory.
    Directory {
        /// The position of the record, counted from 0.
        index: usize,
    },
    /// The end record, the last bytes of the file.
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

//! Facts about files in the form in which tapes store them.

use serde::{Deserialize, Serialize};
use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, MetadataHashValue, NewTimestamp,
};

/// The kind of a file that was opened.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Opened {
    File,
    Directory,
}

/// The kind of a file. The names are part of the tape format.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Unknown,
    BlockDevice,
    CharacterDevice,
    Directory,
    Fifo,
    SymbolicLink,
    RegularFile,
    Socket,
}

impl From<DescriptorType> for Kind {
    fn from(kind: DescriptorType) -> Self {
        match kind {
            DescriptorType::Unknown => Self::Unknown,
            DescriptorType::BlockDevice => Self::BlockDevice,
            DescriptorType::CharacterDevice => Self::CharacterDevice,
            DescriptorType::Directory => Self::Directory,
            DescriptorType::Fifo => Self::Fifo,
            DescriptorType::SymbolicLink => Self::SymbolicLink,
            DescriptorType::RegularFile => Self::RegularFile,
            DescriptorType::Socket => Self::Socket,
        }
    }
}

impl From<Kind> for DescriptorType {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Unknown => Self::Unknown,
            Kind::BlockDevice => Self::BlockDevice,
            Kind::CharacterDevice => Self::CharacterDevice,
            Kind::Directory => Self::Directory,
            Kind::Fifo => Self::Fifo,
            Kind::SymbolicLink => Self::SymbolicLink,
            Kind::RegularFile => Self::RegularFile,
            Kind::Socket => Self::Socket,
        }
    }
}

/// Seconds and nanoseconds since 1970.
type Time = (u64, u32);

/// The result of `stat`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stat {
    kind: Kind,
    links: u64,
    size: u64,
    accessed: Option<Time>,
    modified: Option<Time>,
    changed: Option<Time>,
}

impl Stat {
    /// The virtual root directory, which has no facts from outside.
    pub(super) const TOP: Self =
        Self { kind: Kind::Directory, links: 1, size: 0, accessed: None, modified: None, changed: None };
}

impl From<DescriptorStat> for Stat {
    fn from(stat: DescriptorStat) -> Self {
        let time = |time: Option<Datetime>| time.map(|time| (time.seconds, time.nanoseconds));
        Self {
            kind: stat.type_.into(),
            links: stat.link_count,
            size: stat.size,
            accessed: time(stat.data_access_timestamp),
            modified: time(stat.data_modification_timestamp),
            changed: time(stat.status_change_timestamp),
        }
    }
}

impl From<Stat> for DescriptorStat {
    fn from(stat: Stat) -> Self {
        let time = |time: Option<Time>| time.map(|(seconds, nanoseconds)| Datetime { seconds, nanoseconds });
        Self {
            type_: stat.kind.into(),
            link_count: stat.links,
            size: stat.size,
            data_access_timestamp: time(stat.accessed),
            data_modification_timestamp: time(stat.modified),
            status_change_timestamp: time(stat.changed),
        }
    }
}

/// An entry of a listing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry(pub(super) Kind, pub(super) String);

impl From<Entry> for DirectoryEntry {
    fn from(Entry(kind, name): Entry) -> Self {
        Self { type_: kind.into(), name }
    }
}

/// The identity of a file.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Identity(u64, u64);

impl Identity {
    /// The identity of the virtual root directory.
    pub(super) const TOP: Self = Self(0, 0);
}

impl From<MetadataHashValue> for Identity {
    fn from(hash: MetadataHashValue) -> Self {
        Self(hash.lower, hash.upper)
    }
}

impl From<Identity> for MetadataHashValue {
    fn from(Identity(lower, upper): Identity) -> Self {
        Self { lower, upper }
    }
}

const FLAGS: [(DescriptorFlags, u8); 6] = [
    (DescriptorFlags::READ, 1),
    (DescriptorFlags::WRITE, 2),
    (DescriptorFlags::FILE_INTEGRITY_SYNC, 4),
    (DescriptorFlags::DATA_INTEGRITY_SYNC, 8),
    (DescriptorFlags::REQUESTED_WRITE_SYNC, 16),
    (DescriptorFlags::MUTATE_DIRECTORY, 32),
];

/// Returns descriptor flags as a number. The bits are part of the tape format.
pub(super) fn flag_bits(flags: DescriptorFlags) -> u8 {
    FLAGS.iter().filter(|(flag, _)| flags.contains(*flag)).map(|(_, bit)| bit).sum()
}

/// Returns the flags for the bits of [`flag_bits`].
pub(super) fn flags_of(bits: u8) -> DescriptorFlags {
    let mut flags = DescriptorFlags::empty();
    for (flag, _) in FLAGS.into_iter().filter(|(_, bit)| bits & bit != 0) {
        flags |= flag;
    }
    flags
}

/// Returns a time that a guest sets, in the form that replays compare.
pub(super) fn new_time(time: &NewTimestamp) -> serde_json::Value {
    match time {
        NewTimestamp::NoChange => serde_json::Value::Null,
        NewTimestamp::Now => "now".into(),
        NewTimestamp::Timestamp(time) => serde_json::json!([time.seconds, time.nanoseconds]),
    }
}

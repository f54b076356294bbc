//! What can be wrong with a journal, as facts.

use crate::TreeHash;

/// Who says that the journal was larger, or another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Witness {
    /// The head row of the database itself.
    Head,
    /// A signed checkpoint in the database.
    Checkpoint,
    /// The head kept in the vault.
    Anchor,
    /// A checkpoint from elsewhere.
    Outside,
}

impl std::fmt::Display for Witness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Head => "its head row",
            Self::Checkpoint => "its signed checkpoint",
            Self::Anchor => "the head stored in the vault",
            Self::Outside => "the checkpoint it was compared with",
        })
    }
}

/// The first thing found wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(tag = "damage", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum Damage {
    /// A row that should be there is not.
    #[error("the event at sequence {sequence} is missing")]
    EventMissing { sequence: u64 },
    /// A row is not the one that was written there: edited, or moved from another place.
    #[error(
        "the event at sequence {sequence} was changed: its leaf has hash `{found}`, expected `{expected}`"
    )]
    EventChanged {
        sequence: u64,
        /// The hash kept when it was written.
        expected: TreeHash,
        /// The hash of the row as it is.
        found: TreeHash,
    },
    /// A row holds a value that no event has.
    #[error("cannot read the event at sequence {sequence}: {reason}")]
    EventUnreadable { sequence: u64, reason: String },
    /// Rows beyond the end.
    #[error("unexpected event at sequence {sequence}, after the journal's end at {size}")]
    EventBeyondEnd {
        sequence: u64,
        /// The size the head row states.
        size: u64,
    },
    /// A stored subtree hash is missing.
    #[error("the subtree hashes from sequence {sequence} on, level {level}, are missing")]
    NodesMissing {
        /// The first sequence under them.
        sequence: u64,
        /// The level of the tile.
        level: u32,
    },
    /// A stored subtree hash does not follow from the leaves.
    #[error("the subtree hashes from sequence {sequence} on, level {level}, do not match the leaves")]
    NodesChanged {
        /// The first sequence under the hash that differs.
        sequence: u64,
        /// The level of the tile.
        level: u32,
    },
    /// The summary that searches go by does not follow from the events.
    #[error("the summary of the events from sequence {sequence} on is missing or was changed")]
    SummaryChanged {
        /// The first sequence of its block.
        sequence: u64,
    },
    /// The journal ends before a place where it is known to have been.
    #[error("the journal was truncated: it has {found} events, {witness} has {expected}")]
    Truncated { found: u64, expected: u64, witness: Witness },
    /// The leaves up to a known head are other leaves.
    #[error(
        "the journal differs from the signed one: {size} events have root `{found}`, {witness} has \
        `{expected}`; the first difference is at sequence {intact_before} or later"
    )]
    Forked {
        /// The size of the head.
        size: u64,
        /// The root that was signed or kept.
        expected: TreeHash,
        /// The root of the leaves as they are.
        found: TreeHash,
        /// Up to here an earlier witness agrees.
        intact_before: u64,
        witness: Witness,
    },
    /// A stored checkpoint is not by the journal's key.
    #[error("invalid stored checkpoint at size {size}: {reason}")]
    CheckpointInvalid {
        /// The size it is stored under.
        size: u64,
        reason: String,
    },
    /// There is no checkpoint at all.
    #[error("the journal has no checkpoint")]
    CheckpointMissing,
    /// The head row is missing or not readable.
    #[error("the journal's head row is missing or unreadable: {reason}")]
    HeadUnreadable { reason: String },
}

impl Damage {
    /// The first sequence that cannot be relied on.
    pub fn first_bad_sequence(&self) -> u64 {
        match *self {
            Self::EventMissing { sequence }
            | Self::EventChanged { sequence, .. }
            | Self::EventUnreadable { sequence, .. }
            | Self::EventBeyondEnd { sequence, .. }
            | Self::NodesMissing { sequence, .. }
            | Self::NodesChanged { sequence, .. }
            | Self::SummaryChanged { sequence } => sequence,
            Self::Truncated { found, .. } => found,
            Self::Forked { intact_before, .. } => intact_before,
            Self::CheckpointInvalid { size, .. } => size,
            Self::CheckpointMissing | Self::HeadUnreadable { .. } => 0,
        }
    }

    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Truncated { witness: Witness::Anchor, .. }
            | Self::Forked { witness: Witness::Anchor, .. } => {
                "the database is older than the vault or was replaced; restore the newer copy, or accept \
                this one with `palyra trust repair`"
            }
            Self::Truncated { witness: Witness::Outside, .. }
            | Self::Forked { witness: Witness::Outside, .. } => {
                "this journal has two histories; compare it with the machine that created the checkpoint"
            }
            _ => {
                "show the damage with `palyra trust repair`; restore the database from a backup if you \
                have one"
            }
        }
    }
}

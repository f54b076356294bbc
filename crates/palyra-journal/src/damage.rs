//! Damage of a journal, as facts.

use crate::TreeHash;

/// The source of a head that differs from the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Witness {
    /// The head row of the database itself.
    Head,
    /// A signed checkpoint in the database.
    Checkpoint,
    /// The head stored in the vault.
    Anchor,
    /// A checkpoint that the caller supplied.
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

/// The first damage that verification found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(tag = "damage", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum Damage {
    /// An event row is missing.
    #[error("the event at sequence {sequence} is missing")]
    EventMissing { sequence: u64 },
    /// An event row was changed or moved.
    #[error(
        "the event at sequence {sequence} was changed: its leaf has hash `{found}`, expected `{expected}`"
    )]
    EventChanged {
        sequence: u64,
        /// The hash stored when the event was written.
        expected: TreeHash,
        /// The hash of the row in its current state.
        found: TreeHash,
    },
    /// An event row contains a value that is not valid for an event.
    #[error("cannot read the event at sequence {sequence}: {reason}")]
    EventUnreadable { sequence: u64, reason: String },
    /// Event rows exist after the end of the journal.
    #[error("unexpected event at sequence {sequence}, after the journal's end at {size}")]
    EventBeyondEnd {
        sequence: u64,
        /// The size in the head row.
        size: u64,
    },
    /// A tile of subtree hashes is missing.
    #[error("the subtree hashes from sequence {sequence} on, level {level}, are missing")]
    NodesMissing {
        /// The first sequence that the hashes cover.
        sequence: u64,
        /// The level of the tile, 0 for the leaves.
        level: u32,
    },
    /// A stored subtree hash does not match the leaves.
    #[error("the subtree hashes from sequence {sequence} on, level {level}, do not match the leaves")]
    NodesChanged {
        /// The first sequence under the hash that differs.
        sequence: u64,
        /// The level of the tile, 0 for the leaves.
        level: u32,
    },
    /// The search summary of a block does not match its events.
    #[error("the summary of the events from sequence {sequence} on is missing or was changed")]
    SummaryChanged {
        /// The first sequence of the block.
        sequence: u64,
    },
    /// The journal has fewer events than a witness states.
    #[error("the journal was truncated: it has {found} events, {witness} has {expected}")]
    Truncated { found: u64, expected: u64, witness: Witness },
    /// The leaves up to the head of a witness are others.
    #[error(
        "the journal differs from the signed one: {size} events have root `{found}`, {witness} has \
        `{expected}`; the first difference is at sequence {intact_before} or later"
    )]
    Forked {
        /// The size of the witness's head.
        size: u64,
        /// The root of the witness.
        expected: TreeHash,
        /// The root of the current leaves.
        found: TreeHash,
        /// The size up to which an earlier witness agrees.
        intact_before: u64,
        witness: Witness,
    },
    /// A stored checkpoint is not signed by a key of the journal.
    #[error("invalid stored checkpoint at size {size}: {reason}")]
    CheckpointInvalid {
        /// The size that it is stored under.
        size: u64,
        reason: String,
    },
    /// The database contains no checkpoint.
    #[error("the journal has no checkpoint")]
    CheckpointMissing,
    /// The head row is missing or unreadable.
    #[error("the journal's head row is missing or unreadable: {reason}")]
    HeadUnreadable { reason: String },
}

impl Damage {
    /// Returns advice for the user, shown under the message.
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

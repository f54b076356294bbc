//! The append-only journal: a Merkle log in SQLite with signed checkpoints.
//!
//! Every event is a leaf of an RFC 6962 tree, so one root hash stands for everything that was ever written,
//! in order. [`JournalStore`] owns the database and its one writer; [`NewEvent`] goes in, [`Leaf`] comes
//! back when it is committed; [`JournalStore::transaction`] commits the owner's rows and their leaf together.
//!
//! - What a leaf is made of: [`NewEvent`], [`EventKind`], [`decode_leaf`].
//! - What can be shown to others, without a database: [`proof`], [`Checkpoint`], [`Segment`].
//! - What is wrong, if something is: [`Damage`] names the first bad sequence.
//!
//! Absent on purpose: a clock (authors bring theirs, and no verdict looks at it), counting of rows, and any
//! way to change or delete a leaf other than [`JournalStore::archive`], which keeps its hash.

#![forbid(unsafe_code)]

mod checkpoint;
mod damage;
mod error;
mod event;
mod fault;
mod hash;
pub mod proof;
mod segment;
mod store;
mod tree;

pub use checkpoint::{
    Checkpoint, CheckpointError, CheckpointKey, CheckpointSigner, KeyError, MAX_NOTE_BYTES, MAX_ORIGIN_BYTES,
    MAX_SIGNATURES,
};
pub use damage::{Damage, Witness};
pub use error::JournalError;
pub use event::{
    BlotOut, EventError, EventKind, KeepText, MAX_DETAILS_DEPTH, MAX_EVENT_BYTES, MAX_FIELD_BYTES,
    MAX_TIME_MS, NewEvent, RedactText, decode_leaf,
};
pub use hash::{TreeHash, TreeHead};
pub use segment::{
    MAX_SEGMENT_BYTES, MAX_SEGMENT_EVENTS, MAX_SEGMENT_LEAF_BYTES, Segment, SegmentError, VerifiedSegment,
};
pub use store::{
    APPLICATION_ID, ArchivedSegment, CommitGuard, Durability, Follower, JournalOptions, JournalStore,
    JournalTransaction, Leaf, Migration, Page, Pending, PreparedEvent, Query, Receipt, ReceiptError,
    RecordedEvent, Snapshot, VerifyReport, VerifyScope, copy_database, inspect_journal,
};
pub use tree::NodeSource;

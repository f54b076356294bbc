//! The append-only journal: a Merkle log in SQLite with signed checkpoints.
//!
//! Every event is a leaf of an RFC 6962 tree, so one root hash covers everything that was ever written, in order.
//! [`JournalStore`] owns the database and its single writer. [`JournalStore::append`] takes a [`NewEvent`] and returns
//! its [`Leaf`] once it is committed. [`JournalStore::transaction`] commits the owner's rows and their leaf together.
//!
//! - The contents of a leaf: [`NewEvent`], [`EventKind`], [`decode_leaf`].
//! - Evidence for others, without a database: [`proof`], [`Checkpoint`], [`Segment`].
//! - The result of a failed verification: [`Damage`] names the first bad sequence.
//!
//! Deliberately absent: a clock (authors provide the time, and no verification depends on it), counting of rows, and
//! any way to change or delete a leaf other than [`JournalStore::archive`], which keeps its hash.

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
    EventError, EventKind, MAX_DETAILS_DEPTH, MAX_EVENT_BYTES, MAX_FIELD_BYTES, MAX_TIME_MS, NewEvent,
    decode_leaf,
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

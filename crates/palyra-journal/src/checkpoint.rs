//! Signed checkpoints: the head of the journal in a form that any C2SP tool can verify.
//!
//! The note is a C2SP signed note (<https://c2sp.org/signed-note>) around a C2SP checkpoint
//! (<https://c2sp.org/tlog-checkpoint>):
//!
//! ```text
//! palyra.journal/2c26b46b68ffc68f      origin: which journal
//! 1042                                 how many leaves
//! 5p2cUu3v…=                           root hash
//!
//! — palyra.journal/2c26b46b68ffc68f Az3grlgt…=
//! ```
//!
//! [`Checkpoint::open`] verifies the output of [`CheckpointSigner::sign`] with the public key alone.

mod key;
mod note;

pub use key::{CheckpointKey, CheckpointSigner, KeyError, MAX_ORIGIN_BYTES};
pub use note::{Checkpoint, CheckpointError, MAX_NOTE_BYTES, MAX_SIGNATURES};

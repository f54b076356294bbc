//! A copy of the whole state root in one file, and putting it back.
//!
//! A copy is made by the owner while it works: the root is mirrored at one moment of its journal, which ends there with a
//! signed checkpoint. Whatever is put back is first made a state root beside the old one, verified up to that checkpoint, anchored anew, and only then
//! takes the place of the old one, which is kept.

mod archive;
mod error;
mod manifest;
mod mirror;
mod restore;
mod write;

pub use archive::check_backup;
pub use error::BackupError;
pub use manifest::{BackupFile, BackupManifest, MANIFEST};
pub use restore::{RestorePlan, Restored};

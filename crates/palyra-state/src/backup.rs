//! A copy of the whole state root in one file, and putting it back.
//!
//! A copy is made by the owner after a clean stop, so that its journal ends with a signed checkpoint. Whatever is put
//! back is first made a state root beside the old one, verified up to that checkpoint, anchored anew, and only then
//! takes the place of the old one, which is kept.

mod error;
mod manifest;
mod restore;
mod write;

pub use error::BackupError;
pub use manifest::{BackupFile, BackupManifest, MANIFEST};
pub use restore::{RestorePlan, Restored};

//! Backups: a copy of the whole state root in one file, and restoring it.
//!
//! The owner makes a backup while the state is in use: the root is mirrored at one position of its journal,
//! which ends there with a signed checkpoint. The manifest lists every file with its hash and is signed by
//! the key of the journal. A restore reads the file once, into a state root beside the old one, verifies it
//! up to that checkpoint, shows a plan, and only then exchanges the two; the old one is kept.

mod archive;
mod error;
mod exchange;
mod layout;
mod manifest;
mod mirror;
mod missing;
mod plan;
mod restore;
mod write;

pub use archive::check_backup;
pub use error::BackupError;
pub use manifest::{BackupFile, BackupManifest, MANIFEST};
pub use plan::{RestoreAcceptance, RestorePlan, Restored};
pub use restore::StagedRestore;

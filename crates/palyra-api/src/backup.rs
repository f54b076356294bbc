//! Backups: one file with everything a state root holds.

/// The media type of a backup.
pub const BACKUP_TYPE: &str = "application/x-tar";

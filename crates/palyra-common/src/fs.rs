//! Private files that are written atomically and have one owner.
//!
//! A [`Directory`] is an open handle; every name is resolved under it without following links, so that the
//! file read is the file checked. Every operation that changes something passes a [`fault::point`], so that
//! a test can stop before each of them.

mod directory;
mod error;
pub mod fault;
mod lock;
mod no_links;
mod short_path;
mod strict;

pub use directory::Directory;
pub use error::FsError;
pub use lock::{LockOutcome, OwnerLock};
pub use no_links::open_append_without_links;
pub use short_path::ShortPath;

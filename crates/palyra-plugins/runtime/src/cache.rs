//! Compiled code between processes: a directory of files, each under a keyed MAC.

mod disk;

pub(crate) use disk::DiskCache;
pub use disk::{CacheEvent, CacheEventKind, DiskCacheConfig, has_code_on_disk};

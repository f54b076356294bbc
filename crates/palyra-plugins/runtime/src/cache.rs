//! A cache of compiled code that processes share: a directory of files, each with a keyed MAC.

mod disk;

pub(crate) use disk::DiskCache;
pub use disk::{CacheEvent, CacheEventKind, DiskCacheConfig, has_code_on_disk};

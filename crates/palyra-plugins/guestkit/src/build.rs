//! Builds guests: hashes the inputs, takes the result from the cache or compiles it, and writes it to its destination.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cache::write_whole;
use crate::component::require_exports;
use crate::discover::project_root;
use crate::error::GuestkitError;
use crate::guest::{Guest, Language};
use crate::inspect::GuestShape;
use crate::kit::Kit;
use crate::languages;

/// Options of a build.
#[derive(Debug, Clone, Default)]
pub struct BuildOptions {
    /// The output file. `None` for `target/guests/NAME.wasm` of the guest's project.
    pub out: Option<PathBuf>,
    /// Whether to build even if no input changed.
    pub force: bool,
}

/// A guest that was built and is callable.
#[derive(Debug, Clone, Serialize)]
pub struct BuiltGuest {
    /// The name in `guest.toml`.
    pub name: String,
    /// The language in `guest.toml`.
    pub language: Language,
    /// The path of the output file.
    pub path: PathBuf,
    /// The size of the output file, in bytes.
    pub size: usize,
    /// Whether it was taken from the cache, because no input changed.
    pub from_cache: bool,
    /// The imports and exports of the module.
    #[serde(flatten)]
    pub shape: GuestShape,
}

/// Builds a guest, unless its inputs are unchanged.
pub fn build_guest(kit: &Kit, guest: &Guest, options: &BuildOptions) -> Result<BuiltGuest, GuestkitError> {
    let key = languages::input_key(kit, guest)?;
    let (bytes, from_cache) = stored_or_made(kit, guest, &key, options.force)?;
    let shape = require_exports(&bytes)?;
    let path = options.out.clone().unwrap_or_else(|| default_path(guest));
    write_if_different(&path, &bytes)?;
    Ok(BuiltGuest {
        name: guest.name().to_owned(),
        language: guest.language(),
        path,
        size: bytes.len(),
        from_cache,
        shape,
    })
}

/// Builds guests in order. Stops at the first failure.
pub fn build_guests(kit: &Kit, guests: &[Guest], force: bool) -> Result<Vec<BuiltGuest>, GuestkitError> {
    let options = BuildOptions { out: None, force };
    guests.iter().map(|guest| build_guest(kit, guest, &options)).collect()
}

fn stored_or_made(
    kit: &Kit,
    guest: &Guest,
    key: &str,
    force: bool,
) -> Result<(Vec<u8>, bool), GuestkitError> {
    if !force && let Some(bytes) = kit.cache().stored(key)? {
        return Ok((bytes, true));
    }
    let _lock = kit.cache().lock(&format!("guest-{}", guest.name()), kit.tell())?;
    // Another process may have built it while this one waited for the lock.
    if !force && let Some(bytes) = kit.cache().stored(key)? {
        return Ok((bytes, true));
    }
    kit.say(&format!("building {} ({})", guest.name(), guest.language()));
    let bytes = languages::build(kit, guest)?;
    require_exports(&bytes)?;
    kit.cache().store(key, &bytes)?;
    Ok((bytes, false))
}

fn default_path(guest: &Guest) -> PathBuf {
    project_root(guest.directory()).join("target/guests").join(format!("{}.wasm", guest.name()))
}

/// Writes a file unless it is unchanged, which keeps its time stamp so that dependent files remain up to date.
fn write_if_different(path: &Path, bytes: &[u8]) -> Result<(), GuestkitError> {
    if std::fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    write_whole(path, bytes)
}

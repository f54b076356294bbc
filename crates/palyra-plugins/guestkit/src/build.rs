//! Building a guest: hash its inputs, take it from the cache or make it, and put it where it belongs.

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

/// How to build.
#[derive(Debug, Clone, Default)]
pub struct BuildOptions {
    /// Where the file goes instead of `target/guests/NAME.wasm` of the guest's project.
    pub out: Option<PathBuf>,
    /// Build even if nothing changed.
    pub force: bool,
}

/// A guest that was built and can be called.
#[derive(Debug, Clone, Serialize)]
pub struct BuiltGuest {
    /// Its name.
    pub name: String,
    /// Its language.
    pub language: Language,
    /// The file.
    pub path: PathBuf,
    /// The file's size in bytes.
    pub size: usize,
    /// Nothing had changed since an earlier build.
    pub from_cache: bool,
    /// What it imports and exports.
    #[serde(flatten)]
    pub shape: GuestShape,
}

/// Build one guest.
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

/// Build guests one after the other, and stop at the first that fails.
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
    // Another run may have made it while this one waited.
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

/// An unchanged file keeps its time stamp, so that what depends on it stays fresh.
fn write_if_different(path: &Path, bytes: &[u8]) -> Result<(), GuestkitError> {
    if std::fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    write_whole(path, bytes)
}

//! Reports whether the modules of a release are compiled, for lists. Calls find out by loading.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use palyra_common::BoundedCache;
use palyra_common::fs::{Directory, FsError};
use palyra_plugins_runtime::{CodeState, has_code_on_disk};
use palyra_skills::{Sha256Digest, VerifiedSkill};
use palyra_state::State;

use super::ToolCaller;

/// Number of releases whose modules are cached in memory.
const MAX_KNOWN: usize = 1_024;
/// Maximum size of a stored list of modules in bytes.
const MAX_LIST_BYTES: u64 = 64 << 10;

type Modules = Arc<[Sha256Digest]>;

/// The module digests of verified releases, in memory and next to the compiled code for the next process. The stored
/// lists are for display only; no decision depends on them.
pub(crate) struct ReleaseModules {
    directory: Option<PathBuf>,
    known: BoundedCache<Sha256Digest, Modules>,
}

impl ReleaseModules {
    /// Creates the cache; `directory` is that of the compiled code, if it is stored.
    pub(crate) fn new(directory: Option<PathBuf>) -> Self {
        Self { directory, known: BoundedCache::new(MAX_KNOWN) }
    }

    /// Stores the modules of a release. Blocks the calling thread if they are new.
    pub(crate) fn remember(&self, skill: &VerifiedSkill) {
        let payload = skill.payload();
        if self.known.get(&payload).is_some() {
            return;
        }
        let modules = digests(skill);
        if let Some(directory) = &self.directory {
            // Without the list the next process cannot report the state; nothing else depends on it.
            if let Err(error) = write_list(directory, &payload, &modules) {
                tracing::debug!(%error, %payload, "cannot write the list of modules");
            }
        }
        self.known.insert(payload, modules);
    }

    fn of(&self, payload: &Sha256Digest) -> Option<Modules> {
        self.known.get(payload).or_else(|| read_list(self.directory.as_deref()?, payload))
    }
}

impl ToolCaller {
    /// Returns whether a call of a release has to wait for compilation. Blocks the calling thread.
    pub fn code_state(&self, payload: &Sha256Digest) -> CodeState {
        let Some(modules) = self.modules.of(payload) else { return CodeState::NotCompiled };
        CodeState::of_all(modules.iter().map(|sha256| self.runtime.code_state(sha256.as_bytes())))
    }
}

/// Returns the same as [`ToolCaller::code_state`] for stored code, without a sandbox. Blocks the calling thread.
pub fn stored_code_state(state: &State, payload: &Sha256Digest) -> CodeState {
    let directory = code_directory(state);
    let ready = |modules: Modules| {
        modules
            .iter()
            .all(|sha256| has_code_on_disk(&directory, sha256.as_bytes()))
            .then_some(CodeState::Ready)
    };
    read_list(&directory, payload).and_then(ready).unwrap_or(CodeState::NotCompiled)
}

/// Returns the directory of compiled code.
pub(crate) fn code_directory(state: &State) -> PathBuf {
    state.root().path().join("cache").join("code")
}

fn digests(skill: &VerifiedSkill) -> Modules {
    let modules: Vec<&str> = skill.modules().map(|(path, _)| path).collect();
    let entries = skill.artifact().entry_digests().iter();
    entries.filter(|entry| modules.contains(&entry.path.as_str())).map(|entry| entry.sha256).collect()
}

fn name_of(payload: &Sha256Digest) -> String {
    format!("{payload}.modules")
}

fn read_list(directory: &Path, payload: &Sha256Digest) -> Option<Modules> {
    let bytes = Directory::open_private(directory).ok()?.read(&name_of(payload), MAX_LIST_BYTES).ok()??;
    std::str::from_utf8(&bytes).ok()?.lines().map(|line| line.parse().ok()).collect()
}

fn write_list(directory: &Path, payload: &Sha256Digest, modules: &[Sha256Digest]) -> Result<(), FsError> {
    let (directory, name) = (Directory::open_private(directory)?, name_of(payload));
    if directory.contains(&name)? {
        return Ok(());
    }
    let lines: String = modules.iter().map(|module| format!("{module}\n")).collect();
    directory.write(&name, lines.as_bytes())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn list_of_modules_over_64_kib_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o700)).unwrap();
        let digest = Sha256Digest::of(b"module");
        // Each line has the 64 digits of a digest and a line break.
        for (name, modules, read) in [("fits", 1_008, Some(1_008)), ("longer", 1_009, None)] {
            let payload = Sha256Digest::of(name.as_bytes());
            write_list(directory.path(), &payload, &vec![digest; modules]).unwrap();
            assert_eq!(read_list(directory.path(), &payload).map(|modules| modules.len()), read, "{name}");
        }
    }
}

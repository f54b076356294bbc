//! Putting a copy back: beside the old state first, verified, anchored, and then in its place.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use palyra_common::fs::Directory;
use palyra_journal::{
    Checkpoint, Durability, EventKind, JournalStore, MAX_TIME_MS, NewEvent, TreeHead, VerifyScope,
};
use palyra_skills::Sha256Digest;
use serde::Serialize;
use serde_json::json;

use super::BackupError;
use super::archive;
use super::manifest::BackupManifest;
use super::mirror::{clear, private_folder};
use crate::commit::Work;
use crate::damage::Damage;
use crate::history::tell_rows;
use crate::objects::ObjectStore;
use crate::root::{Stage, StateRoot};
use crate::state::{State, StateOptions, lock_root, open_vault};
use crate::survey::{journal_options, survey};
use crate::view::View;

/// What putting a copy back would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestorePlan {
    /// When the copy was made, in milliseconds of Unix time.
    pub created_ms: u64,
    /// The version that made it.
    pub palyra_version: String,
    /// Where its device key is kept.
    pub device_key: String,
    /// The head of its journal.
    pub backup_head: TreeHead,
    /// The head of the journal that would be put aside, where there is one that can be read.
    pub present_head: Option<TreeHead>,
    /// Whether there is a state root that would be put aside.
    pub replaces: bool,
    /// How many files.
    pub files: usize,
    /// How many bytes.
    pub bytes: u64,
}

/// What was put back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// What was planned.
    #[serde(flatten)]
    pub plan: RestorePlan,
    /// Where the old state root is now.
    pub put_aside: Option<PathBuf>,
    /// The head of the journal with the leaf that tells of this.
    pub head: TreeHead,
}

impl StateRoot {
    /// What putting this copy back would do; changes nothing.
    pub fn restore_plan(&self, options: &StateOptions, file: &Path) -> Result<RestorePlan, BackupError> {
        let (manifest, _) = archive::open(file)?;
        let present = present(self, options)?;
        Ok(plan(&manifest, &present))
    }

    /// Puts a copy back; the old state root is kept beside it.
    pub fn restore(&self, options: &StateOptions, file: &Path) -> Result<Restored, BackupError> {
        let present = present(self, options)?;
        let staging = beside(self.path(), "restoring");
        clear(&staging)?;
        let done = self.restore_into(options, file, &staging, &present);
        if done.is_err() {
            let _ = clear(&staging);
        }
        done
    }

    fn restore_into(
        &self,
        options: &StateOptions,
        file: &Path,
        staging: &Path,
        present: &Present,
    ) -> Result<Restored, BackupError> {
        let manifest = unpack(file, staging)?;
        let head = anchor_anew(&Self::new(staging), options, &manifest, present)?;
        let moved = |path: &Path| BackupError::file("moved", path);
        let put_aside = match present.exists {
            true => {
                let aside = beside(self.path(), &format!("before-{}", (options.clock)()));
                fs::rename(self.path(), &aside).map_err(moved(self.path()))?;
                Some(aside)
            }
            false => None,
        };
        fs::rename(staging, self.path()).map_err(moved(staging))?;
        Ok(Restored { plan: plan(&manifest, present), put_aside, head })
    }
}

/// The state root that is there, held so that nobody uses it meanwhile.
struct Present {
    exists: bool,
    head: Option<TreeHead>,
    generation: u64,
    _lock: Option<palyra_common::fs::OwnerLock>,
}

/// What is there may be damaged, which is why somebody restores: only that it is in use is refused.
fn present(root: &StateRoot, options: &StateOptions) -> Result<Present, BackupError> {
    if !root.path().exists() {
        return Ok(Present { exists: false, head: None, generation: 0, _lock: None });
    }
    let (directory, lock) = lock_root(root, options)?;
    let made = root.stage(&directory).map_err(crate::error::StateError::from)? != Stage::Nothing;
    let (head, generation) = known(root, &directory, options).unwrap_or((None, 0));
    Ok(Present { exists: made, head, generation, _lock: Some(lock) })
}

fn known(root: &StateRoot, directory: &Directory, options: &StateOptions) -> Option<(Option<TreeHead>, u64)> {
    let keeper = open_vault(root, options).ok()?;
    let survey = survey(root, directory, &keeper, &keeper.row_key()).ok()?;
    let anchored = survey.anchors.committed.as_ref().map(|anchor| anchor.journal);
    let head = survey.journal.as_ref().map(JournalStore::head).or(anchored);
    Some((head, survey.anchors.highest_generation().max(survey.generation.unwrap_or(0))))
}

fn plan(manifest: &BackupManifest, present: &Present) -> RestorePlan {
    RestorePlan {
        created_ms: manifest.created_ms,
        palyra_version: manifest.palyra_version.clone(),
        device_key: manifest.device_key.clone(),
        backup_head: manifest.head,
        present_head: present.head,
        replaces: present.exists,
        files: manifest.files.len(),
        bytes: manifest.total_bytes(),
    }
}

/// Writes every file of the manifest, and nothing else, below a new folder.
fn unpack(file: &Path, staging: &Path) -> Result<BackupManifest, BackupError> {
    let (manifest, _) = archive::open(file)?;
    private_folder(staging)?;
    manifest.folders.iter().try_for_each(|folder| private_folder(&staging.join(folder)))?;
    archive::walk(file, |wanted, entry| copy(entry, &staging.join(&wanted.path), wanted.mode & 0o777))
}

fn copy(from: &mut impl Read, path: &Path, mode: u32) -> Result<Sha256Digest, BackupError> {
    if let Some(folder) = path.parent() {
        private_folder(folder)?;
    }
    let written = |path: &Path| BackupError::file("written", path);
    let mut options = fs::OpenOptions::new();
    let mut to = options.write(true).create_new(true).mode(0o600).open(path).map_err(written(path))?;
    let found = archive::copy_hashed(from, &mut to)?;
    // Never more than it had, and never less than its owner needs.
    to.set_permissions(fs::Permissions::from_mode(mode | 0o400)).map_err(written(path))?;
    to.sync_all().map_err(written(path))?;
    Ok(found)
}

/// The state in the folder is whole up to its checkpoint; its vault is told so, and its journal that it was put back.
fn anchor_anew(
    staged: &StateRoot,
    options: &StateOptions,
    manifest: &BackupManifest,
    present: &Present,
) -> Result<TreeHead, BackupError> {
    let damaged = |reason: String| BackupError::Damaged(reason);
    let (directory, lock) = lock_root(staged, options)?;
    let keeper = open_vault(staged, options)?;
    let row_key = keeper.row_key();
    // The anchor may be newer than the copy: the checkpoint of the copy stands for it here.
    let survey = survey(staged, &directory, &keeper, &row_key)?;
    drop(survey.journal);
    let signer = keeper.signer()?;
    let checkpoint = Checkpoint::open_with_any(&manifest.checkpoint, std::slice::from_ref(signer.key()));
    let checkpoint = checkpoint.map_err(|error| damaged(format!("its checkpoint: {error}")))?;
    if checkpoint.head() != manifest.head {
        return Err(damaged("its checkpoint is of another journal".into()));
    }
    let options_of_journal = journal_options(&keeper, Some(manifest.head))?;
    let journal = JournalStore::open(&staged.database(), options_of_journal)
        .map_err(|error| damaged(error.to_string()))?;
    let verified = journal.verify(VerifyScope::Everything, None).map_err(crate::error::StateError::from)?;
    if let Some(damage) = verified.damage {
        return Err(damaged(format!("its journal: {damage}")));
    }
    let generation = survey.generation.ok_or_else(|| damaged("it has no generation".into()))?;
    let mut differences = Damage::default();
    let (view, unreadable) = View::read_what_can_be_read(generation, survey.rows.clone());
    differences.differences.extend(unreadable.differences);
    differences.differences.extend(view.check_leaves(&journal)?.differences);
    let faults = survey.damage.differences.iter().filter(|difference| difference.what.contains("_rows/"));
    differences.differences.extend(faults.cloned());
    if let Some(first) = differences.differences.first() {
        return Err(damaged(format!("{}: expected {}, found {}", first.what, first.expected, first.found)));
    }
    let at_ms = (options.clock)().min(MAX_TIME_MS);
    let details = json!({ "backup_head": manifest.head, "present_head": present.head,
        "backup_ms": manifest.created_ms });
    let mut events = vec![NewEvent::new(EventKind::StateRestored, at_ms).actor("owner").details(details)];
    let generation = generation.max(present.generation).max(survey.anchors.highest_generation()) + 1;
    tell_rows(&mut events, generation, &[]);
    let work = Work {
        keeper: keeper.clone(),
        row_key: Arc::clone(&row_key),
        rows: Vec::new(),
        start_over: false,
        promise: false,
        events,
        generation,
        root: survey.rows.root(),
    };
    let written = journal.transaction(Durability::Full, move |transaction| work.run(transaction));
    let (_, anchor) = written.wait()?;
    keeper.start_over(&anchor)?;
    let objects = ObjectStore::open(&staged.objects()).map_err(crate::error::StateError::from)?;
    let view = View::read(generation, survey.rows).map_err(|damage| damaged(damage.to_string()))?;
    let state = State::assemble(staged, options, keeper, row_key, journal, objects, view, lock);
    let head = anchor.journal;
    state.close()?;
    Ok(head)
}

/// `ROOT.WORD`, in the same folder, so that moving it is one step.
fn beside(root: &Path, word: &str) -> PathBuf {
    let mut name = root.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{word}"));
    root.with_file_name(name)
}

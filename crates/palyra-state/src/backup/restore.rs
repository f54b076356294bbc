//! Restores a backup: unpacked beside the old state, verified, anchored, and then moved into its place.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use palyra_common::fs::{Directory, OwnerLock};
use palyra_journal::{
    Checkpoint, Durability, EventKind, JournalStore, MAX_TIME_MS, NewEvent, TreeHead, VerifyScope,
};
use palyra_skills::Sha256Digest;
use serde_json::json;

use super::archive::{self, Contents};
use super::exchange::{beside, put_in_place};
use super::manifest::BackupManifest;
use super::mirror::{clear, private_folder};
use super::missing::missing;
use super::plan::{RestoreAcceptance, RestorePlan, Restored};
use super::write::point;
use super::{BackupError, layout};
use crate::commit::Work;
use crate::damage::Damage;
use crate::error::StateError;
use crate::history::tell_rows;
use crate::keeper::Keeper;
use crate::objects::ObjectStore;
use crate::records;
use crate::root::{Stage, StateRoot};
use crate::state::{State, StateOptions, lock_root, open_vault};
use crate::survey::{Survey, journal_options, survey};
use crate::view::View;

/// Suffix of the directory in which a backup is unpacked, next to the state root.
const STAGING: &str = "restoring";

impl StateRoot {
    /// Reads a backup into a separate state root beside this one and verifies it there; this one is not changed.
    ///
    /// The file is read once, so a later change of it cannot alter the restored content. Both state roots are
    /// locked until the result is dropped, which removes the copy, or finished.
    pub fn stage_restore(&self, options: &StateOptions, file: &Path) -> Result<StagedRestore, BackupError> {
        let present = present(self, options)?;
        let staging = Staging::begin(beside(self.path(), STAGING), options)?;
        let contents = unpack(file, &staging.path)?;
        let verified = verify(&staging, options, &contents)?;
        let plan = plan(&contents, &verified, &present);
        Ok(StagedRestore {
            root: self.clone(),
            options: options.clone(),
            contents,
            present,
            verified,
            plan,
            staging,
        })
    }
}

/// A backup that is unpacked and verified, but not in its place yet.
pub struct StagedRestore {
    root: StateRoot,
    options: StateOptions,
    contents: Contents,
    present: Present,
    verified: Verified,
    plan: RestorePlan,
    /// Must be the last field: the journal inside is closed before the directory is removed.
    staging: Staging,
}

impl StagedRestore {
    /// Returns the effects of [`Self::finish`].
    pub fn plan(&self) -> &RestorePlan {
        &self.plan
    }

    /// Moves the backup to the state root; the old one is kept beside it. Fails if the plan has a risk that
    /// was not accepted.
    pub fn finish(self, accepted: &RestoreAcceptance) -> Result<Restored, BackupError> {
        self.plan.check(accepted)?;
        let Self { root, options, contents, present, verified, plan, mut staging } = self;
        let lock = staging.lock.take();
        let staged = StateRoot::new(&staging.path);
        let head = anchor_restored(&staged, &options, &contents, &present, verified, lock)?;
        let put_aside = put_in_place(&staging.path, root.path(), (options.clock)())?;
        staging.moved = true;
        Ok(Restored { plan, put_aside, head })
    }
}

/// The staging directory, removed on drop unless it was moved.
struct Staging {
    path: PathBuf,
    directory: Directory,
    lock: Option<OwnerLock>,
    moved: bool,
}

impl Staging {
    /// Creates the directory, replacing one of an aborted restore, and locks it against a second restore.
    fn begin(path: PathBuf, options: &StateOptions) -> Result<Self, BackupError> {
        let root = StateRoot::new(&path);
        if fs::symlink_metadata(&path).is_ok() {
            let (_directory, _lock) = lock_root(&root, options)?;
            clear(&path)?;
        }
        private_folder(&path)?;
        let (directory, lock) = lock_root(&root, options)?;
        Ok(Self { path, directory, lock: Some(lock), moved: false })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.moved {
            let _ = clear(&self.path);
        }
    }
}

/// The existing state root, locked during the restore.
struct Present {
    exists: bool,
    head: Option<TreeHead>,
    key: Option<String>,
    generation: u64,
    _lock: Option<OwnerLock>,
}

/// The existing root may be damaged, which is a reason to restore; only a root in use is rejected.
fn present(root: &StateRoot, options: &StateOptions) -> Result<Present, BackupError> {
    if !root.path().exists() {
        return Ok(Present { exists: false, head: None, key: None, generation: 0, _lock: None });
    }
    let (directory, lock) = lock_root(root, options)?;
    let exists = root.stage(&directory).map_err(StateError::from)? != Stage::Nothing;
    let keeper = open_vault(root, options).ok();
    let key = keeper.as_ref().and_then(|keeper| keeper.signer().ok()).map(|signer| signer.key().to_string());
    let known = keeper.as_ref().and_then(|keeper| known(root, &directory, keeper));
    let (head, generation) = known.unwrap_or((None, 0));
    Ok(Present { exists, head, key, generation, _lock: Some(lock) })
}

fn known(root: &StateRoot, directory: &Directory, keeper: &Keeper) -> Option<(Option<TreeHead>, u64)> {
    let survey = survey(root, directory, keeper, &keeper.row_key()).ok()?;
    let anchored = survey.anchors.committed.as_ref().map(|anchor| anchor.journal);
    let head = survey.journal.as_ref().map(JournalStore::head).or(anchored);
    Some((head, survey.anchors.highest_generation().max(survey.generation.unwrap_or(0))))
}

fn plan(contents: &Contents, verified: &Verified, present: &Present) -> RestorePlan {
    let manifest = &contents.manifest;
    let restored = || manifest.files.iter().filter(|file| layout::is_file(&file.path));
    RestorePlan {
        created_ms: manifest.created_ms,
        palyra_version: manifest.palyra_version.clone(),
        device_key: manifest.device_key.clone(),
        signed: manifest.is_signed(),
        key: verified.key.clone(),
        present_key: present.key.clone(),
        backup_head: manifest.head,
        present_head: present.head,
        replaces: present.exists,
        files: restored().count(),
        bytes: restored().fold(0, |sum, file| sum.saturating_add(file.bytes)),
        contents: listing(manifest),
        left_out: manifest.left_out().map(|file| file.path.clone()).collect(),
        missing: verified.missing.clone(),
        altered: verified.altered.clone(),
    }
}

/// Returns the files by path; objects and tapes are only counted.
fn listing(manifest: &BackupManifest) -> Vec<String> {
    let known = || manifest.files.iter().map(|file| &file.path).filter(|path| layout::is_file(path));
    let is_hashed =
        |path: &str| path.split('/').next().is_some_and(|folder| layout::IN_PLACE.contains(&folder));
    let mut listed: Vec<String> = known().filter(|path| !is_hashed(path)).cloned().collect();
    for folder in layout::IN_PLACE {
        let count = known().filter(|path| path.split('/').next() == Some(folder)).count();
        listed.extend((count > 0).then(|| format!("{folder}/ ({count} files)")));
    }
    listed
}

/// Writes every file of the manifest that a backup may contain, and nothing else, below a directory.
fn unpack(file: &Path, staging: &Path) -> Result<Contents, BackupError> {
    let contents = archive::read(file, |wanted, entry| {
        point("restore: file")?;
        if layout::is_file(&wanted.path) {
            copy(entry, &staging.join(&wanted.path), wanted.mode & 0o777)
        } else {
            archive::copy_hashed(entry, &mut io::sink())
        }
    })?;
    let mut folders = contents.manifest.folders.iter().filter(|folder| layout::is_folder(folder));
    folders.try_for_each(|folder| private_folder(&staging.join(folder)))?;
    Ok(contents)
}

fn copy(from: &mut impl Read, path: &Path, mode: u32) -> Result<Sha256Digest, BackupError> {
    if let Some(folder) = path.parent() {
        private_folder(folder)?;
    }
    let written = |path: &Path| BackupError::file("written", path);
    let mut options = fs::OpenOptions::new();
    let mut to = options.write(true).create_new(true).mode(0o600).open(path).map_err(written(path))?;
    let found = archive::copy_hashed(from, &mut to)?;
    // Never more permissions than the file had, but always readable for the owner.
    to.set_permissions(fs::Permissions::from_mode(mode | 0o400)).map_err(written(path))?;
    to.sync_all().map_err(written(path))?;
    Ok(found)
}

/// A staged state root that is complete up to its checkpoint.
struct Verified {
    keeper: Keeper,
    journal: JournalStore,
    survey: Survey,
    generation: u64,
    key: String,
    missing: Vec<String>,
    altered: Vec<String>,
}

/// Checks signature, checkpoint, journal and rows.
fn verify(staging: &Staging, options: &StateOptions, contents: &Contents) -> Result<Verified, BackupError> {
    let damaged = |reason: String| BackupError::Damaged(reason);
    let (staged, manifest) = (StateRoot::new(&staging.path), &contents.manifest);
    let keeper = open_vault(&staged, options)?;
    let row_key = keeper.row_key();
    let signer = keeper.signer()?;
    if manifest.is_signed() {
        contents.check_signature(signer.key())?;
    }
    // The anchor in the backup may be newer than its database, so the checkpoint replaces it here.
    let mut survey = survey(&staged, &staging.directory, &keeper, &row_key)?;
    drop(survey.journal.take());
    let checkpoint = Checkpoint::open_with_any(&manifest.checkpoint, std::slice::from_ref(signer.key()));
    let checkpoint = checkpoint.map_err(|error| damaged(format!("its checkpoint: {error}")))?;
    if checkpoint.head() != manifest.head {
        return Err(damaged("its checkpoint belongs to another journal".into()));
    }
    let options_of_journal = journal_options(&keeper, Some(manifest.head))?;
    let journal = JournalStore::open(&staged.database(), options_of_journal)
        .map_err(|error| damaged(error.to_string()))?;
    let verified = journal.verify(VerifyScope::Everything, None).map_err(StateError::from)?;
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
        return Err(damaged(first.to_string()));
    }
    let missing = missing(&staged, &keeper.vault, &journal, &view)?;
    let altered = records::verify(&journal, &row_key)?.differences;
    let altered = altered.iter().map(ToString::to_string).collect();
    let key = signer.key().to_string();
    Ok(Verified { keeper, journal, survey, generation, key, missing, altered })
}

/// Records the restore in the staged journal and writes a new anchor to the staged vault.
fn anchor_restored(
    staged: &StateRoot,
    options: &StateOptions,
    contents: &Contents,
    present: &Present,
    verified: Verified,
    lock: Option<OwnerLock>,
) -> Result<TreeHead, BackupError> {
    let Verified { keeper, journal, survey, generation, .. } = verified;
    let damaged = |reason: String| BackupError::Damaged(reason);
    let lock = lock.ok_or_else(|| damaged("its copy is not locked".into()))?;
    let (row_key, manifest) = (keeper.row_key(), &contents.manifest);
    let at_ms = (options.clock)().min(MAX_TIME_MS);
    let details = json!({ "backup_head": manifest.head, "present_head": present.head,
        "backup_ms": manifest.created_ms, "signed": manifest.is_signed() });
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
    let objects = ObjectStore::open(&staged.objects()).map_err(StateError::from)?;
    let view = View::read(generation, survey.rows).map_err(|damage| damaged(damage.to_string()))?;
    let state = State::assemble(staged, options, keeper, row_key, journal, objects, view, lock);
    let head = anchor.journal;
    state.close()?;
    Ok(head)
}

//! The owner of one state root, for as long as it holds the lock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use palyra_common::fs::{Directory, OwnerLock};
use palyra_journal::{EventKind, JournalError, JournalStore, NewEvent};
use palyra_skills::compat::{NodeCapability, Platform};
use palyra_skills::trust::BuiltInReleases;
use palyra_vault::{KeySourceChoice, Passphrase, Vault};
use parking_lot::{Mutex, MutexGuard};
use rusqlite::Connection;
use tokio::sync::watch;

use crate::anchor::AnchorStatus;
use crate::authorizer::ParsedPolicy;
use crate::db::RowKey;
use crate::error::StateError;
use crate::expiry::ExpiryClock;
use crate::keeper::{Keeper, vault_damage};
use crate::lock::{SHORT_COMMAND_WAIT, acquire};
use crate::objects::ObjectStore;
use crate::root::{Stage, StateRoot};
use crate::routines::close_interrupted_fires;
use crate::runs::{RunRegistry, close_interrupted};
use crate::survey::survey;
use crate::text::short_name;
use crate::view::{PublishedView, View};

/// Tells the time in milliseconds of Unix time; written into events, never part of a verdict.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// After so many events without a change the vault learns the journal's head.
const KEEP_HEAD_EVERY: u64 = 1_000;

/// The major version of the plugin contract this build speaks.
pub const PROTOCOL_MAJOR: u32 = 1;

/// How a state root is opened.
#[derive(Clone)]
pub struct StateOptions {
    /// The identity of the owner, for "state in use" errors of others.
    pub command: String,
    /// How long to wait for another owner.
    pub wait: Duration,
    /// The time for events.
    pub clock: Clock,
    /// Facts about this machine.
    pub platform: Platform,
    /// Where a new vault keeps its device key; asked for once, by `init`.
    pub key_source: KeySourceChoice,
    /// Opens a device key that is kept under a passphrase.
    pub passphrase: Option<Arc<Passphrase>>,
    /// The releases this program was built with.
    pub built_in: BuiltInReleases,
}

impl Default for StateOptions {
    fn default() -> Self {
        Self {
            command: "palyra".into(),
            wait: SHORT_COMMAND_WAIT,
            clock: Arc::new(palyra_common::time::unix_time_ms),
            platform: this_platform(),
            key_source: KeySourceChoice::OsKeyring,
            passphrase: None,
            built_in: BuiltInReleases::default(),
        }
    }
}

/// The open state root: everything in it was checked against the vault, and no other process can change it.
pub struct State {
    pub(crate) root: StateRoot,
    pub(crate) keeper: Keeper,
    pub(crate) row_key: Arc<RowKey>,
    pub(crate) journal: JournalStore,
    pub(crate) objects: ObjectStore,
    pub(crate) clock: Clock,
    pub(crate) expiry: ExpiryClock,
    pub(crate) platform: Platform,
    pub(crate) built_in: BuiltInReleases,
    pub(crate) gate: Mutex<Gate>,
    pub(crate) published_view: Arc<PublishedView>,
    /// The size of the journal when the vault last learned of it beside a commit.
    kept_head: AtomicU64,
    /// Counts decisions about approvals, for those who wait for one.
    pub(crate) decisions: watch::Sender<u64>,
    pub(crate) running: Arc<RunRegistry>,
    pub(crate) parsed_policy: ParsedPolicy,
    /// Counts published messages, for those who follow channels.
    pub(crate) published: watch::Sender<u64>,
    pub(crate) tapes: OnceLock<ObjectStore>,
    /// Bytes of all spooled tapes; `None` until they are counted.
    pub(crate) tape_bytes: Mutex<Option<u64>>,
    /// Whether a backup is being made: files it reads where they are stay there until it is done.
    pub(crate) backing_up: AtomicBool,
    /// The id of a run up to which everything was trimmed since this was opened.
    pub(crate) trimmed_up_to: Mutex<String>,
    /// The last field: the writer of the journal ends before the lock is released.
    _lock: Arc<OwnerLock>,
}

/// The state that commits change; its holder is the only one that commits.
pub(crate) struct Gate {
    pub(crate) view: Arc<View>,
    /// The pending update of the vault.
    pub(crate) unsettled: Option<Unsettled>,
}

/// A promise whose outcome the vault does not know yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsettled {
    /// The commit happened.
    Happened,
    /// The commit did not happen.
    Failed,
}

/// Defines a store: typed access to one kind of row of a state, and the method of [`State`] that returns it.
macro_rules! store {
    ($(#[$about:meta])* $store:ident, $accessor:ident) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        pub struct $store<'s> {
            pub(crate) state: &'s $crate::state::State,
        }

        impl $crate::state::State {
            $(#[$about])*
            pub fn $accessor(&self) -> $store<'_> {
                $store { state: self }
            }
        }
    };
}
pub(crate) use store;

impl State {
    /// Opens a state root; refused unless everything is as it was left.
    pub fn open(root: &StateRoot, options: &StateOptions) -> Result<Self, StateError> {
        let (directory, lock) = lock_root(root, options)?;
        if root.stage(&directory)? != Stage::Made {
            return Err(StateError::NotInitialised { path: root.path().to_owned() });
        }
        let keeper = open_vault(root, options)?;
        let row_key = keeper.row_key();
        let survey = survey(root, &directory, &keeper, &row_key)?;
        let damaged = |damage| StateError::Damaged { damage };
        let (generation, journal) = match (&survey.anchor_status, survey.journal) {
            (AnchorStatus::Committed(anchor) | AnchorStatus::Finish(anchor), Some(journal))
                if survey.damage.is_none() =>
            {
                (anchor.generation, journal)
            }
            _ => return Err(damaged(survey.damage)),
        };
        let view = View::read(generation, survey.rows).map_err(damaged)?;
        let untold = view.check_leaves(&journal)?;
        if !untold.is_none() {
            return Err(damaged(untold));
        }
        match (&survey.anchor_status, &survey.anchors.pending) {
            (AnchorStatus::Finish(_), _) => keeper.fulfil()?,
            (_, Some(_)) => keeper.withdraw()?,
            _ => {}
        }
        keeper.vault.sweep()?;
        let objects = ObjectStore::open(&root.objects())?;
        objects.sweep(&|digest| view.refers_to(digest))?;
        let state = Self::assemble(root, options, keeper, row_key, journal, objects, view, lock);
        close_interrupted(&state)?;
        close_interrupted_fires(&state)?;
        Ok(state)
    }

    #[allow(clippy::too_many_arguments, reason = "one place that puts the parts together")]
    pub(crate) fn assemble(
        root: &StateRoot,
        options: &StateOptions,
        keeper: Keeper,
        row_key: Arc<RowKey>,
        journal: JournalStore,
        objects: ObjectStore,
        view: View,
        lock: OwnerLock,
    ) -> Self {
        let lock = Arc::new(lock);
        let held = Arc::clone(&lock);
        journal.guard_commits(Box::new(move || Ok(held.confirm()?)));
        let view = Arc::new(view);
        let running = Arc::<RunRegistry>::default();
        let published_view = Arc::new(PublishedView::new(&view, Arc::clone(&running)));
        let gate = Mutex::new(Gate { view, unsettled: None });
        let kept_head = AtomicU64::new(journal.durable_head().size);
        let (root, clock, platform) = (root.clone(), Arc::clone(&options.clock), options.platform.clone());
        let decisions = watch::Sender::new(0);
        // A database that cannot be read now causes an error at the next read.
        let expiry = journal.read(|connection| {
            ExpiryClock::read(connection, &row_key).map_err(JournalError::sqlite("read the latest time"))
        });
        let expiry = expiry.unwrap_or_default();
        Self {
            root,
            keeper,
            row_key,
            journal,
            objects,
            clock,
            expiry,
            platform,
            built_in: Arc::clone(&options.built_in),
            gate,
            published_view,
            kept_head,
            decisions,
            running,
            parsed_policy: ParsedPolicy::default(),
            published: watch::Sender::new(0),
            tapes: OnceLock::new(),
            tape_bytes: Mutex::default(),
            backing_up: AtomicBool::new(false),
            trimmed_up_to: Mutex::default(),
            _lock: lock,
        }
    }

    /// Everything that is decided, as of the last commit.
    pub fn view(&self) -> Arc<View> {
        self.published_view.get()
    }

    /// The generation of the view, and every later one as soon as its view is there.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.published_view.changes()
    }

    /// The journal.
    pub fn journal(&self) -> &JournalStore {
        &self.journal
    }

    /// The vault.
    pub fn vault(&self) -> &Arc<Vault> {
        &self.keeper.vault
    }

    /// The artifacts.
    pub fn objects(&self) -> &ObjectStore {
        &self.objects
    }

    /// Facts about this machine.
    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    /// Its location.
    pub fn root(&self) -> &StateRoot {
        &self.root
    }

    /// Stops cleanly: a last checkpoint is signed, and the vault learns the journal's head.
    pub fn close(self) -> Result<(), StateError> {
        self.stop()
    }

    /// The same for an owner that is shared; nothing is written after it.
    pub fn stop(&self) -> Result<(), StateError> {
        self.settle(&mut self.gate())?;
        let checkpoint = self.journal.close()?;
        self.keeper.keep_head(checkpoint.head())
    }

    pub(crate) fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock()
    }

    /// Waits for the change that is being committed, if there is one: its view is published then.
    pub(crate) fn wait_for_commit(&self) {
        drop(self.gate());
    }

    /// Whether many events came since the vault last learned the journal's head.
    pub fn wants_head_kept(&self) -> bool {
        let kept = self.kept_head.load(Ordering::Relaxed);
        self.journal.durable_head().size >= kept.saturating_add(KEEP_HEAD_EVERY)
    }

    /// Lets the vault remember the journal's head as far as it is on disk.
    pub fn keep_head(&self) -> Result<(), StateError> {
        // No commits in between, so that pending updates of the vault are not mixed.
        let _gate = self.gate();
        // Of many calls that end at once only the first has something to do.
        if !self.wants_head_kept() {
            return Ok(());
        }
        let head = self.journal.durable_head();
        self.keeper.keep_head(head)?;
        self.kept_head.store(head.size, Ordering::Relaxed);
        Ok(())
    }

    /// Reads the database in one snapshot; `doing` says what, should it fail.
    pub(crate) fn read<T>(
        &self,
        doing: &'static str,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StateError> {
        Ok(self.journal.read(|connection| read(connection).map_err(JournalError::sqlite(doing)))?)
    }

    /// Returns an event of now, by this actor.
    pub(crate) fn event(&self, kind: EventKind, by: &str) -> NewEvent {
        NewEvent::new(kind, self.now_ms()).actor(short_name(by))
    }

    /// The time for events; what expires goes by [`State::expiry_now_ms`].
    pub fn now_ms(&self) -> u64 {
        (self.clock)().min(palyra_journal::MAX_TIME_MS)
    }
}

/// Opens the vault; one that is not there or not ours is damage.
pub(crate) fn open_vault(root: &StateRoot, options: &StateOptions) -> Result<Keeper, StateError> {
    match Vault::open(&root.vault(), options.passphrase.as_deref()) {
        Ok(vault) => Ok(Keeper::new(vault)),
        Err(error) => Err(match vault_damage(&error) {
            Some(damage) => StateError::Damaged { damage },
            None => error.into(),
        }),
    }
}

/// Takes the root for this process.
pub(crate) fn lock_root(
    root: &StateRoot,
    options: &StateOptions,
) -> Result<(Directory, OwnerLock), StateError> {
    let missing = |error: palyra_common::fs::FsError| {
        if error.is_not_found() {
            StateError::NotInitialised { path: root.path().to_owned() }
        } else {
            error.into()
        }
    };
    let directory = Directory::open_private(root.path()).map_err(missing)?;
    let lock = acquire(&directory, &options.command, options.wait)?;
    Ok((directory, lock))
}

/// This version on this machine: its system, its processor and a network.
fn this_platform() -> Platform {
    let mut nodes = NodeCapability::of_this_build();
    nodes.insert(NodeCapability::Net);
    let palyra_version = env!("CARGO_PKG_VERSION").parse().unwrap_or(semver::Version::new(0, 0, 0));
    Platform { palyra_version, protocol_major: PROTOCOL_MAJOR, nodes }
}

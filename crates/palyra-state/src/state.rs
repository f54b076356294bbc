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

/// Returns the time in Unix milliseconds. Written into events, never part of a decision.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Number of events without a change after which the vault stores the journal's head again.
const KEEP_HEAD_EVERY: u64 = 1_000;

/// Major version of the plugin contract that this build supports.
pub const PROTOCOL_MAJOR: u32 = 1;

/// Options for opening or creating a state root.
#[derive(Clone)]
pub struct StateOptions {
    /// Command line of the owner, for the error of another process that finds the state in use.
    pub command: String,
    /// Maximum time to wait for another owner.
    pub wait: Duration,
    /// Clock for events.
    pub clock: Clock,
    /// Version, system and features of this machine, which releases may require.
    pub platform: Platform,
    /// Where `init` stores the device key of a new vault; unused when a root is opened.
    pub key_source: KeySourceChoice,
    /// Passphrase for a device key that is stored under one.
    pub passphrase: Option<Arc<Passphrase>>,
    /// Releases that are embedded in this program.
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

/// The open state root. Everything in it was verified against the vault, and no other process can change it.
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
    /// Size of the journal when the vault last stored its head outside of a commit.
    kept_head: AtomicU64,
    /// Counts decisions about approvals, to wake waiting calls.
    pub(crate) decisions: watch::Sender<u64>,
    pub(crate) running: Arc<RunRegistry>,
    pub(crate) parsed_policy: ParsedPolicy,
    /// Counts published messages, to wake followers of channels.
    pub(crate) published: watch::Sender<u64>,
    pub(crate) tapes: OnceLock<ObjectStore>,
    /// Total size of all spooled tapes in bytes; `None` until it is computed.
    pub(crate) tape_bytes: Mutex<Option<u64>>,
    /// True during a backup, which reads objects and tapes in place: they must not be removed.
    pub(crate) backing_up: AtomicBool,
    /// Run id up to which everything was trimmed since the state was opened.
    pub(crate) trimmed_up_to: Mutex<String>,
    /// Must be the last field: the journal's writer ends before the lock is released.
    _lock: Arc<OwnerLock>,
}

/// The state that commits change. Only the holder of its lock commits.
pub(crate) struct Gate {
    pub(crate) view: Arc<View>,
    /// Set if the vault has to be updated before the next commit.
    pub(crate) unsettled: Option<Unsettled>,
}

/// A pending anchor whose outcome the vault does not know yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsettled {
    /// The commit happened, so the anchor has to be confirmed.
    Happened,
    /// The commit did not happen, so the anchor has to be discarded.
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
    /// Opens a state root. Fails with [`StateError::Damaged`] if anything differs from the vault's anchor or
    /// the journal.
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
        // An unreadable database causes an error at the next read; the clock starts at zero until then.
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

    /// Returns the state as of the last commit. Does not wait for a commit in progress.
    pub fn view(&self) -> Arc<View> {
        self.published_view.get()
    }

    /// Returns a receiver of the view's generation, updated after each new view is published.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.published_view.changes()
    }

    /// Returns the journal, for queries and verification.
    pub fn journal(&self) -> &JournalStore {
        &self.journal
    }

    /// Returns the vault.
    pub fn vault(&self) -> &Arc<Vault> {
        &self.keeper.vault
    }

    /// Returns the store of installed packages.
    pub fn objects(&self) -> &ObjectStore {
        &self.objects
    }

    /// Returns the facts about this machine.
    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    /// Returns the paths of the state root.
    pub fn root(&self) -> &StateRoot {
        &self.root
    }

    /// Shuts down: signs a last checkpoint and stores the journal's head in the vault.
    pub fn close(self) -> Result<(), StateError> {
        self.stop()
    }

    /// Shuts down like [`Self::close`] for an owner that is shared. Nothing may be written afterwards.
    pub fn stop(&self) -> Result<(), StateError> {
        self.settle(&mut self.gate())?;
        let checkpoint = self.journal.close()?;
        self.keeper.keep_head(checkpoint.head())
    }

    pub(crate) fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock()
    }

    /// Waits for a commit in progress, after which its view is published.
    pub(crate) fn wait_for_commit(&self) {
        drop(self.gate());
    }

    /// Returns whether enough events were appended to store the journal's head in the vault again.
    pub fn wants_head_kept(&self) -> bool {
        let kept = self.kept_head.load(Ordering::Relaxed);
        self.journal.durable_head().size >= kept.saturating_add(KEEP_HEAD_EVERY)
    }

    /// Stores the durable head of the journal in the vault, if enough events were appended.
    pub fn keep_head(&self) -> Result<(), StateError> {
        // Under the commit lock, so that this update and the two-phase update of a commit do not mix.
        let _gate = self.gate();
        // Of several concurrent calls only the first one has something to do.
        if !self.wants_head_kept() {
            return Ok(());
        }
        let head = self.journal.durable_head();
        self.keeper.keep_head(head)?;
        self.kept_head.store(head.size, Ordering::Relaxed);
        Ok(())
    }

    /// Reads the database in one snapshot; `doing` names the operation in an error.
    pub(crate) fn read<T>(
        &self,
        doing: &'static str,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StateError> {
        Ok(self.journal.read(|connection| read(connection).map_err(JournalError::sqlite(doing)))?)
    }

    /// Returns an event with the current time and this actor.
    pub(crate) fn event(&self, kind: EventKind, by: &str) -> NewEvent {
        NewEvent::new(kind, self.now_ms()).actor(short_name(by))
    }

    /// Returns the time for events in Unix milliseconds. For expiry use [`State::expiry_now_ms`].
    pub fn now_ms(&self) -> u64 {
        (self.clock)().min(palyra_journal::MAX_TIME_MS)
    }
}

/// Opens the vault; a missing or foreign one is reported as damage.
pub(crate) fn open_vault(root: &StateRoot, options: &StateOptions) -> Result<Keeper, StateError> {
    match Vault::open(&root.vault(), options.passphrase.as_deref()) {
        Ok(vault) => Ok(Keeper::new(vault)),
        Err(error) => Err(match vault_damage(&error) {
            Some(damage) => StateError::Damaged { damage },
            None => error.into(),
        }),
    }
}

/// Opens the root directory and locks it for this process.
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

/// Returns the facts about this build: system, processor and a network.
fn this_platform() -> Platform {
    let mut nodes = NodeCapability::of_this_build();
    nodes.insert(NodeCapability::Net);
    let palyra_version = env!("CARGO_PKG_VERSION").parse().unwrap_or(semver::Version::new(0, 0, 0));
    Platform { palyra_version, protocol_major: PROTOCOL_MAJOR, nodes }
}

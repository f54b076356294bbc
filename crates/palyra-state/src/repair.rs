//! Repair: lists every difference, and continues from the verifiable rows once an operator accepted the plan.
//!
//! A repair grants nothing. Rows without a valid MAC are dropped, and every skill is quarantined: the lost
//! data may have been a revocation, so an operator has to review and enable each skill.

use std::path::Path;
use std::sync::Arc;

use palyra_common::fs::FsError;
use palyra_journal::{Durability, EventKind, JournalStore, NewEvent, TreeHead};
use palyra_skills::Sha256Digest;
use serde::Serialize;
use serde_json::json;

use crate::commit::Work;
use crate::damage::Damage;
use crate::db::SealedRows;
use crate::error::StateError;
use crate::history::tell_rows;
use crate::keeper::Keeper;
use crate::objects::ObjectStore;
use crate::root::{Stage, StateRoot};
use crate::state::{State, StateOptions, lock_root, open_vault};
use crate::survey::{Survey, head_text, journal_options, survey};
use crate::view::View;

/// The differences, the outcome of a repair, and the digest that accepts exactly this plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RepairPlan {
    /// Every difference that was found.
    pub damage: Damage,
    /// Number of rows with a valid MAC, which are kept.
    pub rows_kept: usize,
    /// Skills that would be quarantined until an operator enables them.
    pub skills_quarantined: Vec<String>,
    /// Whether the journal is kept or replaced.
    pub journal: JournalFate,
    /// Digest that [`StateRoot::repair`] requires; it changes with the damage and the outcome.
    pub accept: Sha256Digest,
}

/// Effect of a repair on the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JournalFate {
    /// The journal is intact up to its head and continues from there.
    GoesOn,
    /// The journal cannot be verified: its file is moved aside and a new journal starts.
    BeginsAnew,
}

impl StateRoot {
    /// Returns the plan of a repair; changes nothing.
    pub fn repair_plan(&self, options: &StateOptions) -> Result<RepairPlan, StateError> {
        Ok(Repair::prepare(self, options)?.plan)
    }

    /// Carries out the plan with this digest and opens the state. Fails with [`StateError::OtherRepair`] if
    /// the current plan has another digest.
    pub fn repair(&self, options: &StateOptions, accept: &Sha256Digest) -> Result<State, StateError> {
        let repair = Repair::prepare(self, options)?;
        if repair.plan.damage.is_none() {
            return Err(StateError::NothingToRepair);
        }
        if repair.plan.accept != *accept {
            return Err(StateError::OtherRepair { expected: repair.plan.accept, found: *accept });
        }
        repair.carry_out(self, options)
    }
}

/// The findings of a repair, made while holding the lock.
struct Repair {
    plan: RepairPlan,
    survey: Survey,
    rows: SealedRows,
    keeper: Keeper,
    /// Current head of the journal, if it can be read.
    found: Option<TreeHead>,
    lock: palyra_common::fs::OwnerLock,
}

impl Repair {
    fn prepare(root: &StateRoot, options: &StateOptions) -> Result<Self, StateError> {
        let (directory, lock) = lock_root(root, options)?;
        if root.stage(&directory)? != Stage::Made {
            return Err(StateError::NotInitialised { path: root.path().to_owned() });
        }
        let keeper = open_vault(root, options)?;
        let row_key = keeper.row_key();
        let mut survey = survey(root, &directory, &keeper, &row_key)?;
        let generation = survey.generation.unwrap_or(0);
        let (view, unreadable) = View::read_what_can_be_read(generation, survey.rows.clone());
        survey.damage.differences.extend(unreadable.differences);
        if let Some(journal) = &survey.journal {
            survey.damage.differences.extend(view.check_leaves(journal)?.differences);
        }
        // A journal that is only behind the anchor is intact up to its head.
        if survey.journal.is_none() && root.database().exists() {
            survey.journal = JournalStore::open(&root.database(), journal_options(&keeper, None)?).ok();
        }
        let found = survey.journal.as_ref().map(JournalStore::head);
        let rows = view.quarantined_rows("the state was repaired; review the skill, then enable it")?;
        let journal = match found {
            Some(_) => JournalFate::GoesOn,
            None => JournalFate::BeginsAnew,
        };
        let skills_quarantined = view.skill_ids();
        let outcome = format!("{} {:?} {:?}", rows.root(), journal, found.map(|head| head_text(&head)));
        let plan = RepairPlan {
            accept: survey.damage.digest(&outcome),
            damage: survey.damage.clone(),
            rows_kept: rows.len(),
            skills_quarantined,
            journal,
        };
        Ok(Self { plan, survey, rows, keeper, found, lock })
    }

    fn carry_out(self, root: &StateRoot, options: &StateOptions) -> Result<State, StateError> {
        let Self { plan, survey, rows, keeper, found, lock } = self;
        let generation = survey.anchors.highest_generation().max(survey.generation.unwrap_or(0)) + 1;
        let journal = match survey.journal {
            Some(journal) => journal,
            None => {
                put_aside(&root.database(), generation)?;
                JournalStore::create(&root.database(), journal_options(&keeper, None)?)?
            }
        };
        let row_key = keeper.row_key();
        let changes = rows.all_changes();
        let anchored = survey.anchors.committed.as_ref().map(|anchor| anchor.journal);
        let at_ms = (options.clock)().min(palyra_journal::MAX_TIME_MS);
        let details = json!({
            "all_rows": true,
            "accepted": plan.accept,
            "differences": plan.damage.differences.len(),
            "anchored_head": anchored,
            "found_head": found,
        });
        let mut events = vec![NewEvent::new(EventKind::StateRepaired, at_ms).actor("owner").details(details)];
        tell_rows(&mut events, generation, &changes);
        let work = Work {
            keeper: keeper.clone(),
            row_key: Arc::clone(&row_key),
            start_over: true,
            promise: false,
            events,
            rows: changes,
            generation,
            root: rows.root(),
        };
        let (_, anchor) =
            journal.transaction(Durability::Full, move |transaction| work.run(transaction)).wait()?;
        keeper.start_over(&anchor)?;
        let objects = ObjectStore::create(&root.objects())?;
        let view = View::read(generation, rows).map_err(|damage| StateError::Damaged { damage })?;
        Ok(State::assemble(root, options, keeper, row_key, journal, objects, view, lock))
    }
}

/// Keeps the damaged database for an investigation.
fn put_aside(database: &Path, generation: u64) -> Result<(), StateError> {
    for suffix in ["", "-wal", "-shm"] {
        let from = database.with_file_name(format!("state.db{suffix}"));
        let to = database.with_file_name(format!("state.db.damaged-{generation}{suffix}"));
        match std::fs::rename(&from, &to) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(FsError::io("previous root", &from, error).into());
            }
            _ => {}
        }
    }
    Ok(())
}

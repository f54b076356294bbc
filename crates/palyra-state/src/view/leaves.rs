//! Checks that the newest leaf about every installed skill records its current row.

use palyra_journal::{EventKind, JournalStore, Page, Query};
use palyra_skills::Sha256Digest;

use super::View;
use crate::damage::Damage;
use crate::db::{SealedRows, SealedTable};
use crate::error::StateError;
use crate::history::row_in;

/// Kinds of events that record a changed row of a skill.
const KINDS: [EventKind; 8] = [
    EventKind::SkillInstalled,
    EventKind::SkillAwaitingConsent,
    EventKind::SkillQuarantined,
    EventKind::SkillEnabled,
    EventKind::SkillDisabled,
    EventKind::SkillConsented,
    EventKind::SkillRolledBack,
    EventKind::SkillAudited,
];

impl View {
    /// Compares each row with the newest leaf that names it; makes two small queries per skill.
    pub(crate) fn check_leaves(&self, journal: &JournalStore) -> Result<Damage, StateError> {
        let mut damage = Damage::default();
        for (key, bytes) in self.rows().table(SealedTable::Index) {
            let name = SealedRows::name(SealedTable::Index, key);
            let row = SealedRows::leaf(SealedTable::Index, key, bytes);
            let newest = newest_leaf(journal, key, &name)?;
            if newest.found != Some(row) && !(newest.found.is_none() && newest.archived) {
                let found =
                    newest.found.map_or_else(|| "no leaf".to_owned(), |leaf| format!("a leaf for `{leaf}`"));
                let remedy = "accept it with `palyra trust repair`, which quarantines the skill";
                damage.add(format!("the leaf of row `{name}`"), format!("a leaf for `{row}`"), found, remedy);
            }
        }
        Ok(damage)
    }
}

struct NewestLeaf {
    found: Option<Sha256Digest>,
    /// True if older leaves are in segment files and cannot be queried.
    archived: bool,
}

fn newest_leaf(journal: &JournalStore, skill_id: &str, row: &str) -> Result<NewestLeaf, StateError> {
    let of_skill = Query { skill: Some(skill_id.to_owned()), kinds: KINDS.to_vec(), ..newest(8) };
    let (of_skill, of_all) = (journal.query(&of_skill)?, journal.query(&repaired())?);
    let found = [latest(&of_skill, row), latest(&of_all, row)].into_iter().flatten();
    let found = found.max_by_key(|(sequence, _)| *sequence).map(|(_, leaf)| leaf);
    Ok(NewestLeaf { found, archived: of_skill.archived > 0 })
}

fn latest(page: &Page, row: &str) -> Option<(u64, Sha256Digest)> {
    page.events.iter().find_map(|event| Some((event.leaf.sequence, row_in(&event.event.details, row)?)))
}

fn newest(limit: usize) -> Query {
    Query { newest_first: true, limit, ..Query::default() }
}

fn repaired() -> Query {
    Query { kinds: vec![EventKind::StateRepaired, EventKind::StateRestored], ..newest(1) }
}

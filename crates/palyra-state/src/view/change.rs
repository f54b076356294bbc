//! The view after a change: what the change does not touch is shared with the view before.

use std::sync::Arc;

use palyra_skills::Sha256Digest;
use palyra_skills::consent::ConsentRecord;
use palyra_skills::index::SkillRecord;
use palyra_skills::trust::SkillTrustStore;

use super::{DESCRIBED, View, read_aliases, read_policy, read_row, read_rows, read_trust, tools_of};
use crate::damage::Damage;
use crate::db::{RowChange, SealedRows, SealedTable};
use crate::plugins::PluginSettings;
use crate::tokens::TokenRecord;

impl View {
    /// The next view, of rows that differ from these by the changes; the same as reading them all.
    pub(crate) fn after(&self, rows: SealedRows, changes: &[RowChange]) -> Result<Self, Damage> {
        let mut damage = Damage::default();
        let (mut index, mut consents) = (self.index.clone(), self.consents.clone());
        for change in changes {
            match change {
                RowChange::Put { table: SealedTable::Index, key, bytes } => {
                    let record: Option<SkillRecord> = read_row(SealedTable::Index, key, bytes, &mut damage);
                    record.into_iter().for_each(|record| index.put(record));
                }
                RowChange::Delete { table: SealedTable::Index, key } => {
                    index.remove(key);
                }
                RowChange::Put { table: SealedTable::Consent, key, bytes } => {
                    let record: Option<ConsentRecord> =
                        read_row(SealedTable::Consent, key, bytes, &mut damage);
                    record.into_iter().for_each(|record| consents.put(record));
                }
                RowChange::Delete { table: SealedTable::Consent, key } => {
                    key.parse::<Sha256Digest>().into_iter().for_each(|payload| {
                        consents.remove(payload);
                    });
                }
                _ => {}
            }
        }
        let touched = |table: SealedTable| changes.iter().any(move |change| change.row().0 == table);
        let settings = changes.iter().any(|change| {
            let (table, key) = change.row();
            table == SealedTable::Setting && !key.starts_with(DESCRIBED)
        });
        let mut next = Self {
            generation: self.generation + 1,
            trust: Arc::clone(&self.trust),
            tools: if touched(SealedTable::Index) { tools_of(&index) } else { Arc::clone(&self.tools) },
            index,
            consents,
            aliases: self.aliases.clone(),
            policy: self.policy.clone(),
            plugins: Arc::clone(&self.plugins),
            tokens: self.tokens.clone(),
            rows,
        };
        if touched(SealedTable::Trust) {
            next.trust = Arc::new(next.reread_trust(&mut damage));
        }
        if touched(SealedTable::Alias) {
            next.aliases = read_aliases(&next.rows);
        }
        if touched(SealedTable::Token) {
            let tokens = read_rows::<TokenRecord>(&mut next.rows, SealedTable::Token, &mut damage);
            next.tokens = tokens.into_iter().collect();
        }
        if settings {
            next.policy = read_policy(&next.rows, &mut damage);
            next.plugins = Arc::new(PluginSettings::read(&mut next.rows, &mut damage));
        }
        match damage.is_none() {
            true => Ok(next),
            false => Err(damage),
        }
    }

    fn reread_trust(&self, damage: &mut Damage) -> SkillTrustStore {
        read_trust(&self.rows).unwrap_or_else(|error| {
            damage.add("the rows of trust", "rows of this version", &error, error.hint());
            SkillTrustStore::default()
        })
    }
}

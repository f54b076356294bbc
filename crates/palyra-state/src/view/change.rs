//! Builds the view after a change, sharing the unchanged parts with the view before.

use std::sync::Arc;

use palyra_skills::Sha256Digest;
use palyra_skills::consent::ConsentRecord;
use palyra_skills::index::SkillRecord;

use super::{
    DESCRIBED, View, read_aliases, read_policy, read_row, read_rows, read_trust, tools_of, trust_damage,
};
use crate::damage::Damage;
use crate::db::{RowChange, SealedRows, SealedTable};
use crate::plugins::PluginSettings;
use crate::tokens::TokenRecord;

impl View {
    /// Returns the view of `rows`, which differ from the current rows by `changes`. Equal to parsing all rows again.
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
            match read_trust(&next.rows) {
                Ok(trust) => next.trust = Arc::new(trust),
                Err(error) => trust_damage(&mut damage, &error),
            }
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
        if damage.is_none() { Ok(next) } else { Err(damage) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn put(table: SealedTable, key: &str, bytes: &str) -> RowChange {
        RowChange::Put { table, key: key.to_owned(), bytes: bytes.as_bytes().to_vec() }
    }

    fn change() -> impl Strategy<Value = RowChange> {
        let token = |name: &str, digit: u8| {
            let digest = format!("{digit:x}").repeat(64);
            put(
                SealedTable::Token,
                name,
                &format!(r#"{{"name":"{name}","scopes":["read"],"digest":"{digest}","created_ms":1}}"#),
            )
        };
        let names = prop::sample::select(vec!["a", "b", "c"]);
        (names, 0..16_u8, 0..7_u8).prop_map(move |(name, digit, which)| match which {
            0 => put(SealedTable::Alias, name, &format!("acme.tool_{digit}")),
            1 => RowChange::Delete { table: SealedTable::Alias, key: name.to_owned() },
            2 => token(name, digit),
            3 => RowChange::Delete { table: SealedTable::Token, key: name.to_owned() },
            4 => put(SealedTable::Setting, "run_retention", &retention(digit)),
            5 => RowChange::Delete { table: SealedTable::Setting, key: "run_retention".to_owned() },
            _ => put(SealedTable::Setting, &format!("{DESCRIBED}{name}"), "true"),
        })
    }

    fn retention(days: u8) -> String {
        format!(r#"{{"revision":{days},"value":{{"max_age_days":{},"max_runs":7}}}}"#, days + 1)
    }

    proptest! {
        #[test]
        fn a_changed_view_is_the_view_of_the_changed_rows(
            changes in prop::collection::vec(prop::collection::vec(change(), 1..4), 1..8)
        ) {
            let mut view = View::read(0, SealedRows::default()).unwrap();
            for changes in changes {
                let rows = view.rows.with(&changes);
                view = view.after(rows.clone(), &changes).unwrap();
                let read = View::read(view.generation, rows).unwrap();
                prop_assert_eq!(format!("{view:?}"), format!("{read:?}"));
            }
        }
    }

    #[test]
    fn a_change_that_cannot_be_read_back_is_refused() {
        let view = View::read(0, SealedRows::default()).unwrap();
        for table in [SealedTable::Index, SealedTable::Consent, SealedTable::Token] {
            let changes = [put(table, "a", "{")];
            let damage = view.after(view.rows.with(&changes), &changes).unwrap_err();
            assert_eq!(damage.differences.len(), 1, "{table:?}");
        }
    }
}

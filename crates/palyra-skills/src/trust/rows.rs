//! The trust store as rows with one key and one canonical value per fact, so that each row has its own MAC.

use std::collections::BTreeSet;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::publisher::PublisherTrust;
use super::revocation::{RevocationScope, RevocationTarget};
use super::skill::SkillOwnership;
use super::store::SkillTrustStore;
use crate::signing::strict_json::{StrictJsonError, encode_canonical, parse_canonical};

/// A row of the trust store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TrustRow {
    /// `publisher/NAME`, `skill/ID`, `builder/KEY`, `feed/NAME`, `revoked/…`.
    pub key: String,
    /// The value as canonical JSON.
    pub bytes: Vec<u8>,
}

/// The reason why rows are not a trust store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum TrustRowError {
    /// Two rows have the same key.
    #[error("duplicate trust row `{0}`")]
    Duplicate(String),
    /// The key is of no known kind, or does not match the value.
    #[error("unknown trust row `{0}`")]
    UnknownKey(String),
    /// The value is unreadable or not in canonical form.
    #[error("trust row `{key}` is damaged: {problem}")]
    Value { key: String, problem: StrictJsonError },
}

impl TrustRowError {
    /// Returns advice for the user, shown under the message.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        "another program changed the state; show the damage with `palyra trust repair`"
    }
}

impl SkillTrustStore {
    /// Returns every row, sorted by key.
    pub fn rows(&self) -> Result<Vec<TrustRow>, StrictJsonError> {
        let mut rows = Vec::new();
        for (name, trust) in &self.publishers {
            rows.push(row(format!("publisher/{name}"), trust)?);
        }
        for (id, ownership) in &self.skills {
            rows.push(row(format!("skill/{id}"), ownership)?);
        }
        for (id, builder) in &self.builders {
            rows.push(row(format!("builder/{id}"), builder)?);
        }
        for (name, feed) in &self.feeds {
            rows.push(row(format!("feed/{name}"), feed)?);
        }
        for ((target, scope), revocation) in &self.revocations {
            rows.push(row(revocation_key(target, scope), revocation)?);
        }
        rows.sort();
        Ok(rows)
    }

    /// Reads a store from its rows.
    ///
    /// # Errors
    /// A row is a duplicate, of an unknown kind, or not in canonical form.
    pub fn from_rows(rows: impl IntoIterator<Item = TrustRow>) -> Result<Self, TrustRowError> {
        let mut store = Self::default();
        let mut seen = BTreeSet::new();
        for row in rows {
            if !seen.insert(row.key.clone()) {
                return Err(TrustRowError::Duplicate(row.key));
            }
            store.read_row(&row)?;
        }
        Ok(store)
    }

    /// Returns the whole store as one JSON object for display, grouped by kind.
    pub fn display(&self) -> Result<serde_json::Value, StrictJsonError> {
        let mut out = serde_json::Map::new();
        for row in self.rows()? {
            let value = crate::signing::strict_json::parse_value(&row.bytes)?;
            let (kind, name) = row.key.split_once('/').unwrap_or((row.key.as_str(), ""));
            let group = out.entry(kind).or_insert_with(|| serde_json::Value::Object(serde_json::Map::new()));
            if let Some(group) = group.as_object_mut() {
                group.insert(name.to_owned(), value);
            }
        }
        let mut shown = serde_json::Value::Object(out);
        palyra_common::json::in_order::sort_objects(&mut shown);
        Ok(shown)
    }

    fn read_row(&mut self, row: &TrustRow) -> Result<(), TrustRowError> {
        let unknown = || TrustRowError::UnknownKey(row.key.clone());
        let (kind, name) = row.key.split_once('/').ok_or_else(unknown)?;
        if name.is_empty() {
            return Err(unknown());
        }
        match kind {
            "publisher" => {
                let trust: PublisherTrust = value(row)?;
                self.publishers.insert(name.to_owned(), trust);
            }
            "skill" => {
                let ownership: SkillOwnership = value(row)?;
                let own = name.strip_prefix(&ownership.owner).is_some_and(|rest| rest.starts_with('.'));
                if !own || ownership.releases.is_empty() {
                    return Err(unknown());
                }
                self.skills.insert(name.to_owned(), ownership);
            }
            "builder" => {
                let builder: super::store::BuilderKey = value(row)?;
                let id = builder.key.key_id();
                if id.to_string() != name || !(1..=3).contains(&builder.level) {
                    return Err(unknown());
                }
                self.builders.insert(id, builder);
            }
            "feed" => {
                self.feeds.insert(name.to_owned(), value(row)?);
            }
            "revoked" => {
                let (target, scope) = parse_revocation_name(name).ok_or_else(unknown)?;
                self.revocations.insert((target, scope), value(row)?);
            }
            _ => return Err(unknown()),
        }
        Ok(())
    }
}

fn row<T: Serialize>(key: String, value: &T) -> Result<TrustRow, StrictJsonError> {
    Ok(TrustRow { key, bytes: encode_canonical(value)? })
}

fn value<T: DeserializeOwned + Serialize>(row: &TrustRow) -> Result<T, TrustRowError> {
    parse_canonical(&row.bytes).map_err(|problem| TrustRowError::Value { key: row.key.clone(), problem })
}

fn revocation_key(target: &RevocationTarget, scope: &RevocationScope) -> String {
    let (kind, id) = match target {
        RevocationTarget::Key(id) => ("key", id.to_string()),
        RevocationTarget::Payload(digest) => ("payload", digest.to_string()),
    };
    match scope {
        RevocationScope::Everywhere => format!("revoked/{kind}/{id}/everywhere"),
        RevocationScope::Publisher(name) => format!("revoked/{kind}/{id}/publisher/{name}"),
    }
}

fn parse_revocation_name(name: &str) -> Option<(RevocationTarget, RevocationScope)> {
    let (kind, rest) = name.split_once('/')?;
    let (id, scope) = rest.split_once('/')?;
    let target = match kind {
        "key" => RevocationTarget::Key(id.parse().ok()?),
        "payload" => RevocationTarget::Payload(id.parse().ok()?),
        _ => return None,
    };
    let scope = match scope.split_once('/') {
        None if scope == "everywhere" => RevocationScope::Everywhere,
        Some(("publisher", publisher)) if !publisher.is_empty() => {
            RevocationScope::Publisher(publisher.to_owned())
        }
        _ => return None,
    };
    Some((target, scope))
}

//! Secrets, keys, packages and storage that the restored state refers to and the backup does not contain.

use std::collections::BTreeSet;

use palyra_journal::{EventKind, JournalError, JournalStore, Query};
use palyra_vault::Vault;
use rusqlite::{Connection, OpenFlags};

use crate::error::StateError;
use crate::objects::ObjectStore;
use crate::root::StateRoot;
use crate::vault::vault_faults;
use crate::view::View;

/// Lists secrets, keys, packages and storage that are missing or cannot be opened, one line each.
pub(super) fn missing(
    staged: &StateRoot,
    vault: &Vault,
    journal: &JournalStore,
    view: &View,
) -> Result<Vec<String>, StateError> {
    let mut missing = vault_faults(vault)?;
    missing.extend(vault_entries(vault, journal)?);
    missing.extend(packages(staged, view)?);
    missing.extend(storage(staged, journal)?);
    Ok(missing)
}

/// Returns secrets and keys that were stored according to the journal, were not removed, and are not in the vault.
fn vault_entries(vault: &Vault, journal: &JournalStore) -> Result<Vec<String>, StateError> {
    let (mut secrets, mut keys) = (BTreeSet::new(), BTreeSet::new());
    let kinds = vec![
        EventKind::VaultPut,
        EventKind::VaultRemoved,
        EventKind::KeysCreated,
        EventKind::KeysImported,
        EventKind::KeysRemoved,
    ];
    let mut query = Some(Query { kinds, limit: 1_000, ..Query::default() });
    while let Some(next) = query {
        let page = journal.query(&next)?;
        for event in page.events.into_iter().map(|recorded| recorded.event) {
            let name = event.details.get("name").and_then(|name| name.as_str()).map(str::to_owned);
            match (event.kind, event.subject, name) {
                (EventKind::VaultPut, Some(secret), _) => {
                    secrets.insert(secret);
                }
                (EventKind::VaultRemoved, Some(secret), _) => {
                    secrets.remove(&secret);
                }
                (EventKind::KeysRemoved, _, Some(name)) => {
                    keys.remove(&name);
                }
                (EventKind::KeysCreated | EventKind::KeysImported, _, Some(name)) => {
                    keys.insert(name);
                }
                _ => {}
            }
        }
        query = page.next;
    }
    for secret in vault.secrets().list()?.secrets {
        secrets.remove(&secret.reference.to_string());
    }
    for key in vault.keys().list()?.keys {
        keys.remove(&key.name);
    }
    let secrets = secrets.into_iter().map(|secret| format!("secret `{secret}`"));
    Ok(secrets.chain(keys.into_iter().map(|key| format!("signing key `{key}`"))).collect())
}

fn packages(staged: &StateRoot, view: &View) -> Result<Vec<String>, StateError> {
    let objects = ObjectStore::open(&staged.objects())?;
    let releases =
        view.index().iter().flat_map(|record| record.releases().map(move |release| (record, release)));
    let broken = releases.filter(|(_, release)| objects.get(&release.archive).is_err());
    Ok(broken
        .map(|(record, release)| format!("package of `{}` {}", record.skill_id, release.manifest.version))
        .collect())
}

/// Returns skills whose runs used their storage and that have no entries in it.
fn storage(staged: &StateRoot, journal: &JournalStore) -> Result<Vec<String>, StateError> {
    let used: BTreeSet<String> = journal.read(|connection| {
        let read = || -> rusqlite::Result<BTreeSet<String>> {
            let sql = "SELECT DISTINCT skill_id FROM touched WHERE kind = 'key_prefix'";
            connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
        };
        read().map_err(JournalError::sqlite("read what was touched"))
    })?;
    let kept = owners(staged).unwrap_or_default();
    let empty = used.difference(&kept);
    Ok(empty
        .map(|skill| format!("storage of `{skill}`: it has no entries, although its runs used it"))
        .collect())
}

fn owners(staged: &StateRoot) -> rusqlite::Result<BTreeSet<String>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(staged.storage(), flags)?;
    connection.prepare("SELECT DISTINCT owner FROM entries")?.query_map([], |row| row.get(0))?.collect()
}

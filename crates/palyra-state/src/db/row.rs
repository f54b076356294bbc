//! A sealed row: bytes under a key, with a MAC whose key is derived from the owner's vault.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The tables whose rows decide what may run, and which the root covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SealedTable {
    /// Aliases of tools.
    Alias,
    /// Consents of the operator to permissions of skills.
    Consent,
    /// Installed versions and their states.
    Index,
    /// The operator's settings: audit policy, grants, ceilings.
    Setting,
    /// Tokens and their scopes.
    Token,
    /// Publishers, keys, owners, high-water marks, revocations.
    Trust,
}

impl SealedTable {
    /// Every table in the order of the root, which is the order of their names.
    pub const ALL: [Self; 6] =
        [Self::Alias, Self::Consent, Self::Index, Self::Setting, Self::Token, Self::Trust];

    /// Returns the name of the table in the database.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alias => "alias_rows",
            Self::Consent => "consent_rows",
            Self::Index => "index_rows",
            Self::Setting => "setting_rows",
            Self::Token => "token_rows",
            Self::Trust => "trust_rows",
        }
    }
}

impl SealedTable {
    /// Returns whether a database of an earlier version lacks this table; opening creates it.
    ///
    /// Rows that were deleted together with their table still change the root, so this hides no deletion.
    pub(crate) const fn came_later(self) -> bool {
        matches!(self, Self::Token)
    }
}

/// Reason why a row is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowProblem {
    /// The MAC does not have 32 bytes.
    MacLength,
    /// The MAC does not match the row.
    Mac,
    /// The row is longer than any row that Palyra writes.
    TooLong,
}

/// The key of all row MACs, derived by the vault and zeroed on drop.
pub struct RowKey(Zeroizing<[u8; 32]>);

impl RowKey {
    /// Wraps the derived key.
    pub fn new(key: Zeroizing<[u8; 32]>) -> Self {
        Self(key)
    }

    /// Returns the MAC of a row in a sealed table.
    pub fn seal(&self, table: SealedTable, key: &str, bytes: &[u8]) -> [u8; 32] {
        self.mac(table, key, bytes).finalize().into_bytes().into()
    }

    /// Checks the MAC of a row in a sealed table, in constant time.
    pub fn check(&self, table: SealedTable, key: &str, bytes: &[u8], mac: &[u8]) -> Result<(), RowProblem> {
        let mac: &[u8; 32] = mac.try_into().map_err(|_| RowProblem::MacLength)?;
        self.mac(table, key, bytes).verify(mac.into()).map_err(|_| RowProblem::Mac)
    }

    /// Returns the MAC of a row in a table that the root does not cover.
    pub(crate) fn seal_in(&self, table: &str, key: &str, bytes: &[u8]) -> [u8; 32] {
        self.mac_in(table, key, bytes).finalize().into_bytes().into()
    }

    /// Checks the MAC of a row in a table that the root does not cover, in constant time.
    pub(crate) fn check_in(
        &self,
        table: &str,
        key: &str,
        bytes: &[u8],
        mac: &[u8],
    ) -> Result<(), RowProblem> {
        let mac: &[u8; 32] = mac.try_into().map_err(|_| RowProblem::MacLength)?;
        self.mac_in(table, key, bytes).verify(mac.into()).map_err(|_| RowProblem::Mac)
    }

    fn mac(&self, table: SealedTable, key: &str, bytes: &[u8]) -> Hmac<Sha256> {
        self.mac_in(table.name(), key, bytes)
    }

    fn mac_in(&self, table: &str, key: &str, bytes: &[u8]) -> Hmac<Sha256> {
        // The key is 32 bytes and padded to the 64-byte block here, so creating the HMAC cannot fail.
        let mut block = Zeroizing::new([0; 64]);
        for (to, from) in block.iter_mut().zip(self.0.iter()) {
            *to = *from;
        }
        let mut mac = Hmac::<Sha256>::new((&*block).into());
        feed(table, key, bytes, &mut |part| mac.update(part));
        mac
    }
}

/// Returns the hash of a row as a leaf of the root.
pub(super) fn leaf_hash(table: SealedTable, key: &str, bytes: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update([0]);
    feed(table.name(), key, bytes, &mut |part| hash.update(part));
    hash.finalize().into()
}

/// Feeds every part with its length as prefix, so that two different rows never have the same encoding.
fn feed(table: &str, key: &str, bytes: &[u8], update: &mut dyn FnMut(&[u8])) {
    update(b"palyra.state.row/v1");
    for part in [table.as_bytes(), key.as_bytes(), bytes] {
        update(&(part.len() as u64).to_be_bytes());
        update(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mac_binds_table_key_and_bytes() {
        let key = RowKey::new(Zeroizing::new([7; 32]));
        let mac = key.seal(SealedTable::Trust, "ab", b"c");
        assert_eq!(key.check(SealedTable::Trust, "ab", b"c", &mac), Ok(()));
        for (table, name, bytes) in [
            (SealedTable::Index, "ab", &b"c"[..]),
            (SealedTable::Trust, "a", b"bc"),
            (SealedTable::Trust, "ab", b"d"),
        ] {
            assert_eq!(key.check(table, name, bytes, &mac), Err(RowProblem::Mac));
        }
        assert_eq!(key.check(SealedTable::Trust, "ab", b"c", &mac[..31]), Err(RowProblem::MacLength));
        let other = RowKey::new(Zeroizing::new([8; 32]));
        assert_eq!(other.check(SealedTable::Trust, "ab", b"c", &mac), Err(RowProblem::Mac));
    }
}

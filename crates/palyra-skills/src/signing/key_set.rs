//! The keys of a publisher in one epoch, with the number of signatures required.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::key::{KeyId, PublisherKey};
use crate::constants::MAX_PUBLISHER_KEYS;

/// Distinct keys and a threshold that they can reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "KeySetText", into = "KeySetText")]
pub struct KeySet {
    keys: BTreeSet<PublisherKey>,
    threshold: u32,
}

/// The reason why keys and a threshold are not a key set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeySetError {
    /// There is no key, or more than [`MAX_PUBLISHER_KEYS`].
    #[error("{0} keys were given, a publisher has 1 to {MAX_PUBLISHER_KEYS}")]
    Count(usize),
    /// The same key is listed twice.
    #[error("duplicate key `{0}`")]
    Twice(KeyId),
    /// The threshold is 0 or larger than the number of keys.
    #[error("invalid threshold {threshold} for {keys} keys: expected 1 to the number of keys")]
    Threshold {
        /// The invalid threshold.
        threshold: u32,
        /// The number of keys.
        keys: usize,
    },
}

impl KeySet {
    /// Checks keys and a threshold.
    ///
    /// # Errors
    /// A duplicate key, a number of keys or a threshold out of range.
    pub fn new(keys: impl IntoIterator<Item = PublisherKey>, threshold: u32) -> Result<Self, KeySetError> {
        let mut set = BTreeSet::new();
        for key in keys {
            if !set.insert(key) {
                return Err(KeySetError::Twice(key.key_id()));
            }
            if set.len() > MAX_PUBLISHER_KEYS {
                return Err(KeySetError::Count(set.len()));
            }
        }
        if set.is_empty() {
            return Err(KeySetError::Count(0));
        }
        if threshold == 0 || threshold as usize > set.len() {
            return Err(KeySetError::Threshold { threshold, keys: set.len() });
        }
        Ok(Self { keys: set, threshold })
    }

    /// Returns a set with one key and the threshold 1.
    #[must_use]
    pub fn single(key: PublisherKey) -> Self {
        Self { keys: BTreeSet::from([key]), threshold: 1 }
    }

    /// Returns the keys, sorted by their bytes.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &PublisherKey> {
        self.keys.iter()
    }

    /// Returns the number of keys that must sign.
    #[must_use]
    pub fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Returns whether the key is in the set.
    #[must_use]
    pub fn contains(&self, key: &PublisherKey) -> bool {
        self.keys.contains(key)
    }

    /// Returns how many keys of the set signed; a key counts once even if it signed several times.
    #[must_use]
    pub fn count_signed<'a>(&self, signers: impl IntoIterator<Item = &'a PublisherKey>) -> u32 {
        let known: BTreeSet<&PublisherKey> =
            signers.into_iter().filter(|key| self.keys.contains(key)).collect();
        u32::try_from(known.len()).unwrap_or(u32::MAX)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeySetText {
    keys: Vec<PublisherKey>,
    threshold: u32,
}

impl TryFrom<KeySetText> for KeySet {
    type Error = KeySetError;

    fn try_from(text: KeySetText) -> Result<Self, KeySetError> {
        Self::new(text.keys, text.threshold)
    }
}

impl From<KeySet> for KeySetText {
    fn from(set: KeySet) -> Self {
        Self { keys: set.keys.into_iter().collect(), threshold: set.threshold }
    }
}

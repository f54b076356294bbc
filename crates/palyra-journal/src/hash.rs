//! The hashes of the tree, as RFC 6962 section 2.1 defines them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::fmt;

/// A SHA-256 hash of a leaf, of a subtree, or of the whole tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreeHash([u8; 32]);

impl TreeHash {
    /// Returns the root of a tree without leaves.
    pub fn of_nothing() -> Self {
        Self(Sha256::new().finalize().into())
    }

    /// Returns the hash of a leaf: SHA-256 of `0x00 ‖ bytes`.
    pub fn of_leaf(leaf: &[u8]) -> Self {
        Self(Sha256::new().chain_update([0]).chain_update(leaf).finalize().into())
    }

    /// Returns the hash of an inner node: SHA-256 of `0x01 ‖ left ‖ right`.
    pub fn of_node(left: &Self, right: &Self) -> Self {
        Self(Sha256::new().chain_update([1]).chain_update(left.0).chain_update(right.0).finalize().into())
    }

    /// Wraps 32 bytes as a hash.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Wraps a slice as a hash if it has 32 bytes.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns the hash as bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the standard base64 encoding that checkpoints use.
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.0)
    }

    /// Decodes standard base64 of exactly 32 bytes.
    pub fn from_base64(text: &str) -> Option<Self> {
        Self::from_slice(&STANDARD.decode(text).ok()?)
    }
}

impl fmt::Display for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TreeHash({self})")
    }
}

impl serde::Serialize for TreeHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for TreeHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut bytes = [0; 32];
        hex::decode_to_slice(&text, &mut bytes).map_err(serde::de::Error::custom)?;
        Ok(Self(bytes))
    }
}

/// The state of the whole journal in two values: how many leaves it has, and the root over them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeHead {
    /// The number of leaves; the next event gets this sequence.
    pub size: u64,
    /// The root hash over them.
    pub root: TreeHash,
}

impl TreeHead {
    /// Returns the head of a journal without events.
    pub fn empty() -> Self {
        Self { size: 0, root: TreeHash::of_nothing() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_are_those_of_the_standard() {
        assert_eq!(
            TreeHash::of_nothing().to_string(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(
            TreeHash::of_leaf(b"").to_string(),
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
        );
        let left = TreeHash::of_leaf(b"");
        let right = TreeHash::of_leaf(b"\0");
        assert_eq!(
            TreeHash::of_node(&left, &right).to_string(),
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"
        );
    }

    #[test]
    fn text_forms_come_back() {
        let hash = TreeHash::of_leaf(b"leaf");
        assert_eq!(TreeHash::from_base64(&hash.to_base64()), Some(hash));
        assert_eq!(serde_json::from_value::<TreeHash>(serde_json::json!(hash)).unwrap(), hash);
        for text in ["", "AAAA", &hash.to_base64()[1..], &format!("{}\n", hash.to_base64())] {
            assert_eq!(TreeHash::from_base64(text), None, "{text}");
        }
    }
}

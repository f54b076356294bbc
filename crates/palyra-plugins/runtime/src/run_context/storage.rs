//! `storage.get`, `put`, `delete` and `list`.

use super::{Blob, HostFailure, RunContext, taped_bytes};
use crate::backends::StorageQuota;
use palyra_common::capabilities::{StorageAccess, StorageGrant};
use palyra_common::limits::{
    DEFAULT_STORAGE_BYTES, DEFAULT_STORAGE_KEYS, MAX_STORAGE_KEY_BYTES, MAX_STORAGE_PAGE,
};
use palyra_common::redact::escape_untrusted;
use palyra_common::{CapabilityKind, Denial};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// One page of keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoragePage {
    pub(crate) keys: Vec<String>,
    pub(crate) next: Option<String>,
}

impl RunContext {
    pub(crate) async fn storage_get(&self, handle: i32, key: &str) -> Result<Option<Vec<u8>>, HostFailure> {
        let (_, key) = self.storage_key("storage.get", handle, key)?;
        // A secret that was stored before it was guarded must not reach the guest, the tape or the output.
        let clean = |value| Blob(self.secrets.redact_bytes(value));
        let live = async { Ok(self.services.storage.get(&self.owner, &key).await?.map(clean)) };
        let value = self.step("storage.get", key.clone(), json!({ "key": key }), live).await?;
        Ok(value.map(|blob| blob.0))
    }

    pub(crate) async fn storage_put(
        &self,
        handle: i32,
        key: &str,
        value: Vec<u8>,
    ) -> Result<(), HostFailure> {
        let (grant, key) = self.storage_key("storage.put", handle, key)?;
        let quota = StorageQuota {
            prefix: grant.prefix.as_str().to_owned(),
            max_bytes: grant.max_bytes.unwrap_or(DEFAULT_STORAGE_BYTES),
            max_keys: grant.max_keys.unwrap_or(DEFAULT_STORAGE_KEYS),
        };
        self.check_no_secret("storage.put", "a stored value", &value)?;
        let request = json!({ "key": key, "value": taped_bytes(&value) });
        let live = async {
            check_writable(grant, &key)?;
            Ok(self.services.storage.put(&self.owner, &key, value, &quota).await?)
        };
        self.step("storage.put", key.clone(), request, live).await
    }

    pub(crate) async fn storage_delete(&self, handle: i32, key: &str) -> Result<bool, HostFailure> {
        let (grant, key) = self.storage_key("storage.delete", handle, key)?;
        let live = async {
            check_writable(grant, &key)?;
            Ok(self.services.storage.delete(&self.owner, &key).await?)
        };
        self.step("storage.delete", key.clone(), json!({ "key": key }), live).await
    }

    pub(crate) async fn storage_list(
        &self,
        handle: i32,
        prefix: &str,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<StoragePage, HostFailure> {
        let op = "storage.list";
        let grant = self.storage_grant(op, handle, prefix)?;
        let root = grant.prefix.as_str();
        let full = self.without_secrets(op, format!("{root}{}", checked_key(root, prefix, true)?))?;
        let after = cursor
            .map(|cursor| checked_key(root, cursor, true).map(|cursor| format!("{root}{cursor}")))
            .transpose()?;
        let after = after.map(|after| self.without_secrets(op, after)).transpose()?;
        let limit = limit.clamp(1, MAX_STORAGE_PAGE) as usize;
        let request = json!({ "prefix": full, "after": after, "limit": limit });
        let live = async {
            // One key more than requested shows whether there is a next page.
            let mut keys =
                self.services.storage.list(&self.owner, &full, after.as_deref(), limit + 1).await?;
            let more = keys.len() > limit;
            keys.truncate(limit);
            let keys: Vec<String> =
                keys.iter().filter_map(|key| key.strip_prefix(root)).map(str::to_owned).collect();
            let next = if more { keys.last().cloned() } else { None };
            Ok(StoragePage { keys, next })
        };
        self.step(op, full.clone(), request, live).await
    }

    fn storage_key(
        &self,
        op: &'static str,
        handle: i32,
        key: &str,
    ) -> Result<(&StorageGrant, String), HostFailure> {
        let grant = self.storage_grant(op, handle, key)?;
        let root = grant.prefix.as_str();
        Ok((grant, self.without_secrets(op, format!("{root}{}", checked_key(root, key, false)?))?))
    }

    /// Checks a key for secrets, because keys are stored, listed and traced unchanged.
    fn without_secrets(&self, op: &'static str, key: String) -> Result<String, HostFailure> {
        self.check_no_secret(op, "a key", key.as_bytes())?;
        Ok(key)
    }

    fn storage_grant(&self, op: &'static str, handle: i32, key: &str) -> Result<&StorageGrant, HostFailure> {
        let index = self.resolve(op, handle, CapabilityKind::Storage, key)?;
        Ok(&self.grants.storage()[index])
    }
}

/// Denies a change below a prefix that is granted for reading only.
fn check_writable(grant: &StorageGrant, key: &str) -> Result<(), HostFailure> {
    let prefix = &grant.prefix;
    match grant.access {
        StorageAccess::ReadWrite => Ok(()),
        StorageAccess::Read => Err(HostFailure::Denied(Denial {
            kind: CapabilityKind::Storage,
            subject: escape_untrusted(key),
            reason: format!("`{prefix}` is granted for reading only"),
            grant: Some(format!("storage:{prefix}")),
            manifest: Some(format!("add `\"{prefix}\"` to `capabilities.storage_prefixes`")),
        })),
    }
}

/// Returns a key below the guest's prefix, or an error for `..`, an absolute path or control characters.
fn checked_key<'a>(root: &str, key: &'a str, may_be_empty: bool) -> Result<&'a str, HostFailure> {
    let invalid = |reason: &str| Err(HostFailure::Invalid(format!("the key {reason}")));
    if key.is_empty() && !may_be_empty {
        return invalid("is empty");
    }
    if root.len().saturating_add(key.len()) > MAX_STORAGE_KEY_BYTES {
        return invalid("is longer than 1,024 bytes");
    }
    if key.chars().any(char::is_control) {
        return invalid("has a control character");
    }
    if key.starts_with('/') || key.split('/').any(|segment| segment == "." || segment == "..") {
        return invalid("has a `.` or `..` segment or starts with `/`");
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        for key in ["a", "a/b", "a.b", "..a", "é", "a//b"] {
            assert!(checked_key("p/", key, false).is_ok(), "{key}");
        }
        let long = "k".repeat(2_000);
        for key in ["", "..", "a/../b", "/a", "a\0b", "a\nb", "./a", long.as_str()] {
            assert!(checked_key("p/", key, false).is_err(), "{key:?}");
        }
    }
}

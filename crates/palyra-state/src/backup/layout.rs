//! The closed list of paths that a backup contains, for the writer and for the reader.
//!
//! Everything else in a state root is created again, belongs to a process, or must not exist in two places:
//! compiled code, the owner's token, the lock, the socket, logs, and files of other programs.

use palyra_skills::Sha256Digest;

/// Directories whose files are named by their hashes: read in place, because nothing is removed from them
/// during a backup.
pub(super) const IN_PLACE: [&str; 2] = ["objects", "tapes"];
/// Databases, copied from a snapshot that includes their write-ahead log.
pub(super) const DATABASES: [&str; 2] = ["state.db", "storage.db"];
const FILES: [&str; 5] =
    ["hooks/bindings.json", "vault/header", "vault/device.key", "vault/anchor", "vault/journal-head"];
/// Directories of encrypted files, each named by 32 bytes in hexadecimal.
const SEALED: [&str; 2] = ["vault/secrets", "vault/keys"];
const FOLDERS: [&str; 2] = ["hooks", "vault"];

/// Returns whether a backup may contain a file at this path below the state root.
pub(super) fn is_file(path: &str) -> bool {
    if DATABASES.contains(&path) || FILES.contains(&path) {
        return true;
    }
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    let hashed = name.parse::<Sha256Digest>().is_ok_and(|digest| digest.to_string() == name);
    let shard = folder.rsplit_once('/').map(|(_, shard)| shard);
    hashed
        && (SEALED.contains(&folder)
            || (is_shard(folder) && shard.is_some_and(|shard| name.starts_with(shard))))
}

/// Returns whether a backup may contain a directory at this path below the state root.
pub(super) fn is_folder(path: &str) -> bool {
    FOLDERS.contains(&path) || SEALED.contains(&path) || IN_PLACE.contains(&path) || is_shard(path)
}

/// Returns whether the path is a shard such as `objects/ab`, which contains the objects whose hash starts with `ab`.
fn is_shard(path: &str) -> bool {
    let Some((folder, shard)) = path.rsplit_once('/') else { return false };
    let digits = shard.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    IN_PLACE.contains(&folder) && shard.len() == 2 && digits
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "ab6c1f3e9d0b4c5a8e7f6d5c4b3a29181716151413121110090807060504aabb";

    #[test]
    fn paths_of_a_state_root_are_on_the_list() {
        let hashed = [
            format!("objects/ab/{HASH}"),
            format!("tapes/ab/{HASH}"),
            format!("vault/secrets/{HASH}"),
            format!("vault/keys/{HASH}"),
        ];
        let plain = ["state.db", "storage.db", "hooks/bindings.json", "vault/header", "vault/device.key"];
        for path in plain.into_iter().chain(hashed.iter().map(String::as_str)) {
            assert!(is_file(path) && !is_folder(path), "{path}");
        }
        for path in ["hooks", "vault", "vault/secrets", "vault/keys", "objects", "objects/ab", "tapes/00"] {
            assert!(is_folder(path) && !is_file(path), "{path}");
        }
    }

    #[test]
    fn paths_that_a_backup_never_has_are_not() {
        let wrong = [
            format!("objects/cd/{HASH}"),
            format!("objects/{HASH}"),
            format!("objects/ab/cd/{HASH}"),
            format!("objects/ab/{}", HASH.to_uppercase()),
            format!("vault/secrets/../{HASH}"),
            format!("/objects/ab/{HASH}"),
        ];
        let plain = [
            "",
            ".",
            "..",
            "/",
            "owner.token",
            "owner.lock",
            "initialising",
            "cache",
            "cache/code/x",
            "run",
            "run/endpoint.json",
            "logs/palyrad.log",
            "state.db-wal",
            "storage.db-shm",
            "state.db.damaged-7",
            "vault/other",
            "vault/secrets/x",
            "hooks/other.json",
            "../x",
            "/etc/passwd",
            "vault//header",
            "./state.db",
            "state.db/",
            "tapes/ab/",
            "objects/zz",
        ];
        for path in plain.into_iter().chain(wrong.iter().map(String::as_str)) {
            assert!(!is_file(path) && !is_folder(path), "{path}");
        }
    }
}

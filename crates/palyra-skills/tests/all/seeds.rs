//! Hostile inputs of these tests as seeds of the fuzz targets.
//!
//! With `PALYRA_FUZZ_SEEDS` set to a folder, each input that passes here is written there under the name of its
//! test: `PALYRA_FUZZ_SEEDS=fuzz/formats/seeds cargo test --workspace --test all`.

use sha2::{Digest, Sha256};

/// Larger inputs are about sizes, and would only slow the fuzzer down.
const MAX_SEED_BYTES: usize = 32 << 10;

/// Keeps an input for a target, when asked to.
pub(crate) fn keep(target: &str, bytes: &[u8]) {
    let Some(folder) = std::env::var_os("PALYRA_FUZZ_SEEDS") else { return };
    if bytes.len() > MAX_SEED_BYTES {
        return;
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join(folder).join(target);
    let test =
        std::thread::current().name().unwrap_or("input").rsplit("::").next().unwrap_or("input").to_owned();
    let digest = hex::encode(Sha256::digest(bytes));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{test}-{}", &digest[..8])), bytes).unwrap();
}

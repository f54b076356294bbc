//! Writes hostile inputs of these tests as seeds of the fuzz targets.
//!
//! With `PALYRA_FUZZ_SEEDS` set to a folder, each input that passes here is written there under the name of its
//! test: `PALYRA_FUZZ_SEEDS=fuzz/formats/seeds cargo test --workspace --test all`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use palyra_skills::{SkillManifest, SkillTrustStore};
use sha2::{Digest, Sha256};

/// Maximum length of a seed; larger inputs test sizes and would only slow the fuzzer down.
const MAX_SEED_BYTES: usize = 32 << 10;

/// Maximum number of inputs that one test keeps for one target, if every input of a helper is accepted.
const MAX_PASSING: usize = 8;

/// Rows about locations and time, which have no input bytes.
const ROWS_WITHOUT_BYTES: [&str; 8] = ["t02", "i01", "i02", "i03", "i05", "i06", "i07", "i08"];

/// Keeps an input for a fuzz target, if seeds are requested.
pub(crate) fn keep(target: &str, bytes: &[u8]) {
    if let Some(folder) = asked() {
        write(&folder, target, &test(), bytes);
    }
}

/// Keeps the first inputs that pass a helper in a test of a row, if seeds are requested.
pub(crate) fn keep_of_row(rows: &str, target: &str, bytes: &[u8]) {
    static PASSED: Mutex<BTreeMap<(String, String), usize>> = Mutex::new(BTreeMap::new());
    let Some(folder) = asked() else { return };
    let test = test();
    if !is_row(&test) || !rows.contains(&test[..1]) {
        return;
    }
    let mut passed = PASSED.lock().unwrap();
    let count = passed.entry((target.to_owned(), test.clone())).or_default();
    *count += 1;
    if *count <= MAX_PASSING {
        write(&folder, target, &test, bytes);
    }
}

/// Keeps a manifest that a test built, as TOML text.
pub(crate) fn keep_manifest(manifest: &SkillManifest) {
    if let Ok(text) = toml::to_string(manifest) {
        keep_of_row("mu", "skill_manifest", text.as_bytes());
    }
}

/// Keeps the modules among the entries of a skill.
pub(crate) fn keep_modules(entries: &[(&str, &[u8])]) {
    for (path, bytes) in entries {
        if path.starts_with("modules/") {
            keep_of_row("mw", "wasm_audit", bytes);
        }
    }
}

/// Keeps a store as the lines its fuzz target reads.
pub(crate) fn keep_store(store: &SkillTrustStore) {
    let rows = store.rows().unwrap();
    keep_of_row("tu", "trust_store", &trust_lines(&rows));
}

/// Rows of a store as the lines its target reads.
pub(crate) fn trust_lines(rows: &[palyra_skills::trust::TrustRow]) -> Vec<u8> {
    rows.iter().flat_map(|row| [row.key.as_bytes(), b" ", &row.bytes, b"\n"].concat()).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn asked() -> Option<PathBuf> {
    std::env::var_os("PALYRA_FUZZ_SEEDS").map(|folder| root().join(folder))
}

fn test() -> String {
    std::thread::current().name().unwrap_or("input").rsplit("::").next().unwrap_or("input").to_owned()
}

fn is_row(test: &str) -> bool {
    let bytes = test.as_bytes();
    bytes.len() > 3 && bytes[0].is_ascii_lowercase() && bytes[1..3].iter().all(u8::is_ascii_digit)
}

fn write(folder: &Path, target: &str, test: &str, bytes: &[u8]) {
    if bytes.len() > MAX_SEED_BYTES {
        return;
    }
    let folder = folder.join(target);
    let digest = hex::encode(Sha256::digest(bytes));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{test}-{}", &digest[..8])), bytes).unwrap();
}

#[test]
fn every_row_with_bytes_is_a_seed() {
    let mut seeds = Vec::new();
    for target in std::fs::read_dir(root().join("fuzz/formats/seeds")).unwrap() {
        for seed in std::fs::read_dir(target.unwrap().path()).unwrap() {
            seeds.push(seed.unwrap().file_name().into_string().unwrap());
        }
    }
    let rows = [('a', 22), ('s', 12), ('m', 15), ('w', 8), ('t', 10), ('u', 7), ('i', 8)];
    for row in rows.into_iter().flat_map(|(letter, last)| (1..=last).map(move |n| format!("{letter}{n:02}")))
    {
        let kept = seeds.iter().any(|seed| seed.split('_').any(|word| word == row));
        assert_eq!(kept, !ROWS_WITHOUT_BYTES.contains(&row.as_str()), "{row}");
    }
}

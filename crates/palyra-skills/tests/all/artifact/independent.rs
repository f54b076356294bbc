//! Other programs read artifacts in the same way.
//!
//! `scripts/independent-eyes/check.py` lists and checks artifacts with third-party programs. `install.sh` in the same
//! directory installs its dependencies; checks with missing dependencies are reported as skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use palyra_skills::SkillArtifact;
use palyra_skills::trust::SignedRotation;

use super::support::{Recipe, key, key_set, module_with_dependencies};

#[test]
fn every_reader_lists_the_same_entries() {
    let Some(python) = python() else {
        println!("skipped: python3 is not there");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let rotation = SignedRotation::sign(
        "acme",
        0,
        &key_set(&[9], 1),
        &key_set(&[1, 2], 2),
        &[&key(9), &key(1), &key(2)],
    );
    let recipes = [
        Recipe::default(),
        Recipe { note: "", module: module_with_dependencies(), ..Recipe::default() },
        Recipe {
            signers: vec![1, 2],
            keys: Some(key_set(&[1, 2], 2)),
            epoch: 1,
            lineage: vec![rotation.unwrap()],
            ..Recipe::default()
        },
    ];
    let mut files = Vec::new();
    for (index, recipe) in recipes.iter().enumerate() {
        let bytes = recipe.build();
        let file = directory.path().join(format!("{index}.palyra-skill"));
        std::fs::write(&file, &bytes).unwrap();
        let artifact = SkillArtifact::read(bytes).unwrap();
        let names: Vec<&str> = artifact.entries().map(|(path, _)| path).collect();
        std::fs::write(file.with_extension("names.json"), serde_json::to_vec(&names).unwrap()).unwrap();
        files.push(file);
    }
    let output = Command::new(python)
        .arg(workspace().join("scripts/independent-eyes/check.py"))
        .arg("--tools")
        .arg(tools())
        .args(&files)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{text}");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("CPython zipfile: agrees"), "{text}");
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The default target directory of `install.sh`.
fn tools() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("eyes")
}

fn python() -> Option<PathBuf> {
    let own = tools().join("venv/bin/python");
    let candidates = [own, PathBuf::from("python3")];
    candidates.into_iter().find(|python| {
        Command::new(python).arg("--version").output().is_ok_and(|output| output.status.success())
    })
}

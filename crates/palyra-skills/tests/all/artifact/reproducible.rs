//! The same inputs give the same bytes, independent of their order, the directory, the locale and the time zone.

use std::process::Command;

use palyra_skills::{BuildRequest, Sha256Digest, build_signed_skill_artifact};

use super::support::{Recipe, key, module, plain};

/// Set in the child process that builds the artifact again.
const CHILD: &str = "PALYRA_TEST_PRINT_DIGEST";

#[test]
fn the_digest_is_known() {
    let digest = Sha256Digest::of(&plain());
    if std::env::var_os(CHILD).is_some() {
        println!("digest={digest}");
    }
    assert_eq!(digest, Sha256Digest::of(&plain()));
}

#[test]
fn directory_locale_and_time_zone_do_not_matter() {
    let expected = format!("digest={}", Sha256Digest::of(&plain()));
    let program = std::env::current_exe().unwrap();
    for (locale, zone) in
        [("C", "UTC"), ("tr_TR.UTF-8", "Asia/Kathmandu"), ("ar_EG.UTF-8", "America/St_Johns")]
    {
        let directory = tempfile::tempdir().unwrap();
        let output = Command::new(&program)
            .args(["--exact", "artifact::reproducible::the_digest_is_known", "--nocapture"])
            .current_dir(directory.path())
            .env(CHILD, "1")
            .envs([("LC_ALL", locale), ("LANG", locale), ("TZ", zone), ("SOURCE_DATE_EPOCH", "1")])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(&expected), "{locale} {zone}: {text}");
    }
}

#[test]
fn the_order_of_files_and_signers_does_not_matter() {
    let manifest = Recipe::default().manifest();
    let (one, two, wasm) = (key(1), key(2), module());
    let build = |reverse: bool| {
        let mut assets: Vec<(&str, &[u8])> =
            vec![("assets/a", b"1"), ("assets/b", b"2"), ("assets/a-c", b"3")];
        let mut signers = vec![&one, &two];
        if reverse {
            assets.reverse();
            signers.reverse();
        }
        let modules: Vec<(&str, &[u8])> = vec![("modules/notes.wasm", &wasm)];
        let request =
            BuildRequest { manifest_toml: &manifest, modules, assets, signers, ..BuildRequest::default() };
        build_signed_skill_artifact(&request).unwrap()
    };
    let (first, second) = (build(false), build(true));
    assert_eq!(first.archive_digest, second.archive_digest);
    assert_eq!(first.key_ids, second.key_ids);
}

#[test]
fn build_errors_name_their_cause() {
    let manifest = Recipe::default().manifest();
    let (one, wasm) = (key(1), module());
    let good = BuildRequest {
        manifest_toml: &manifest,
        modules: vec![("modules/notes.wasm", &wasm)],
        signers: vec![&one],
        ..BuildRequest::default()
    };
    build_signed_skill_artifact(&good).unwrap();
    let cases = [
        BuildRequest { manifest_toml: "", ..good.clone() },
        BuildRequest { modules: vec![], ..good.clone() },
        BuildRequest { modules: vec![("notes.wasm", &wasm)], ..good.clone() },
        BuildRequest { assets: vec![("assets/../x", b"")], ..good.clone() },
        BuildRequest { assets: vec![("modules/more.wasm", b"")], ..good.clone() },
        BuildRequest { assets: vec![("assets/a", b"1"), ("assets/a", b"2")], ..good.clone() },
        BuildRequest { signers: vec![], ..good.clone() },
        BuildRequest { signers: vec![&one, &one], ..good.clone() },
        BuildRequest { publisher_keys: Some(super::support::key_set(&[1, 2], 2)), ..good.clone() },
        BuildRequest { publisher_keys: Some(super::support::key_set(&[2], 1)), ..good },
    ];
    for request in cases {
        let error = build_signed_skill_artifact(&request).unwrap_err();
        assert!(!error.to_string().is_empty() && !error.hint().is_empty());
    }
}

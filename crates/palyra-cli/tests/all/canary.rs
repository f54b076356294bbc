//! No secret value and no key byte in any output or any file but the sealed ones: every command is tried.

use crate::environment::{Ran, TestEnvironment};

const SECRET: &str = "canary-7f3a9e51c2-secret-value";
const PASSPHRASE: &str = "canary-passphrase-b81d44";

/// Runs a command in every form and keeps everything it said.
fn said(environment: &TestEnvironment, arguments: &[&str], input: &[u8], heard: &mut String) {
    for form in ["human", "json", "ndjson"] {
        let Ran { stdout, stderr, .. } =
            environment.palyra_with_input(&[arguments, &["--output", form, "--verbose"]].concat(), input);
        heard.push_str(&stdout);
        heard.push_str(&stderr);
    }
}

#[test]
fn no_command_tells_a_secret() {
    let environment = TestEnvironment::new();
    environment.write_private("passphrase", PASSPHRASE);
    let mut heard = String::new();
    let mut run = |arguments: &[&str]| said(&environment, arguments, SECRET.as_bytes(), &mut heard);
    run(&["init", "--device-key", "file"]);
    let sealed = ["--key-file", "sealed.key", "--key-passphrase-file", "passphrase"];
    for arguments in [
        &["keys", "new", "release"][..],
        &["keys", "new", "next"],
        &["keys", "list"],
        &["keys", "export", "release", "--public"],
        &["keys", "import", "from-noise", "--key-passphrase-file", "passphrase"],
        &[
            "keys",
            "rotate",
            "acme",
            "--from",
            "release",
            "--to",
            "next",
            "--epoch",
            "1",
            "--out",
            "rotation.json",
        ],
        &["keys", "revoke", "release", "--reason", "test", "--yes"],
        &["vault", "put", "global/token"],
        &["vault", "put", "global/token", SECRET],
        &["vault", "put", SECRET],
        &["vault", "list"],
        &["trust", "list"],
        &["trust", "apply", "rotation.json"],
        &["trust", "apply", "-"],
        &["trust", "block", "acme", "--reason", "test"],
        &["trust", "show", "acme"],
        &["trust", "unblock", "acme"],
        &["trust", "repair"],
        &["journal", "tail"],
        &["journal", "query", "--proofs"],
        &["journal", "checkpoint"],
        &["journal", "verify"],
        &["vault", "remove", "global/token", "--yes"],
    ] {
        run(arguments);
    }
    run(&[&["keys", "export", "next"], &sealed[..]].concat());
    run(&[&["keys", "import", "copy"], &sealed[..]].concat());

    let device_key = std::fs::read_to_string(environment.home(".palyra/vault/device.key")).unwrap();
    let device_key = device_key.lines().last().unwrap().to_owned();
    assert_eq!(device_key.len(), 64);
    for canary in [SECRET, PASSPHRASE, &device_key] {
        assert!(!heard.contains(canary), "an output has a secret");
        for (path, bytes) in environment.all_files() {
            let may = path.ends_with("device.key") || path.ends_with("work/passphrase");
            let has = bytes.windows(canary.len()).any(|window| window == canary.as_bytes());
            assert!(may || !has, "{} has a secret", path.display());
        }
    }
}

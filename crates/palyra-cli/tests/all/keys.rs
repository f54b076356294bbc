//! `palyra keys`.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;

#[test]
fn a_key_is_made_listed_and_exported() {
    let environment = TestEnvironment::with_state();
    assert_snapshot!(environment.palyra(&["keys", "list"]).shown(), @"
    exit 0
    --- stderr
    no signing keys
    next: create one with `palyra keys new NAME`
    ");
    assert_snapshot!(environment.palyra(&["keys", "new", "release"]).shown(), @"
    exit 0
    --- stdout
    name        release
    key id      ed25519:[SHA256]
    public key  ed25519-public:[KEY]
    state       active
    --- stderr
    next: publish the public key: `palyra keys export release --public`
    ");
    assert_snapshot!(environment.palyra(&["keys", "list"]).shown(), @"
    exit 0
    --- stdout
    NAME     STATE   CREATED               KEY ID
    release  active  [WHEN]  ed25519:[SHA256]
    ");
    let exported = environment.palyra(&["keys", "export", "release", "--public"]);
    assert_snapshot!(exported.shown(), @"
    exit 0
    --- stdout
    ed25519-public:[KEY]
    --- stderr
    key id ed25519:[SHA256]
    ");
    let listed = environment.palyra(&["keys", "list", "--json"]).json();
    assert_eq!(listed["schema"], "palyra.keys.list/v1");
    assert_eq!(format!("{}\n", listed["keys"][0]["public_key"].as_str().unwrap()), exported.stdout);
    let lines = environment.palyra(&["keys", "list", "--output", "ndjson"]).json();
    assert_eq!((&lines["schema"], &lines["name"]), (&"palyra.keys.list/v1".into(), &"release".into()));
}

#[test]
fn names_that_are_taken_unknown_or_impossible() {
    let environment = TestEnvironment::with_state();
    environment.new_key("release");
    assert_snapshot!(environment.palyra(&["keys", "new", "release"]).shown(), @"
    exit 1
    --- stderr
    error: signing key `release` already exists
    hint: choose another name; `palyra keys list` shows the names in use
    ");
    assert_snapshot!(environment.palyra(&["keys", "new", "../release"]).shown(), @"
    exit 2
    --- stderr
    error: invalid key name `../release`: expected 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`, starting with a letter or digit
    ");
    assert_snapshot!(environment.palyra(&["keys", "export", "releese", "--public"]).shown(), @"
    exit 11
    --- stderr
    error: signing key `releese` does not exist
    hint: did you mean `release`?
    hint: choose from `release`
    ");
    assert_snapshot!(environment.palyra(&["keys", "export", "release"]).shown(), @"
    exit 2
    --- stderr
    error: the following required arguments were not provided:
      --public

    Usage: palyra keys export --public <NAME>

    For more information, try '--help'.
    ");
}

#[test]
fn a_key_travels_in_a_sealed_file_and_in_no_other_way() {
    let environment = TestEnvironment::with_state();
    let public = environment.new_key("release");
    environment.write_private("passphrase", "correct horse\n");
    environment.write_private("wrong", "battery staple\n");
    let sealed = ["--key-file", "release.key", "--key-passphrase-file"];
    let export = [&["keys", "export", "release"], &sealed[..], &["passphrase"]].concat();
    assert_snapshot!(environment.palyra(&export).shown(), @"
    exit 0
    --- stderr
    `release` was exported, encrypted, to `release.key`
    next: import it elsewhere with `palyra keys import release --key-file FILE`
    ");
    assert_snapshot!(environment.palyra(&export).shown(), @"
    exit 2
    --- stderr
    error: cannot use the key file: `./release.key` already exists
    ");

    let import = |name: &str, passphrase: &str| {
        environment.palyra(&[&["keys", "import", name], &sealed[..], &[passphrase]].concat())
    };
    assert_snapshot!(import("copy", "wrong").shown(), @"
    exit 4
    --- stderr
    error: cannot use the key file: wrong passphrase, or the file was changed
    hint: try again; if the passphrase is right, restore the file from a backup
    ");
    assert_eq!(import("copy", "passphrase").code, 0);
    let listed = environment.palyra(&["keys", "export", "copy", "--public"]);
    assert_eq!(listed.stdout, format!("{public}\n"));

    let stdin = ["keys", "import", "third", "--key-passphrase-file", "passphrase"];
    let imported = environment.palyra_with_input(&stdin, environment.read("release.key").as_bytes());
    assert_eq!(imported.code, 0, "{}", imported.shown());
    let raw = environment
        .palyra_with_input(&["keys", "import", "raw", "--key-passphrase-file", "passphrase"], &[7; 32]);
    assert_snapshot!(raw.shown(), @"
    exit 1
    --- stderr
    error: cannot use the key file: not a key file: 32 bytes without a header
    hint: use a key of the vault or a key file; create one with `palyra keys new NAME`
    ");
    assert_snapshot!(environment.palyra_with_input(&["keys", "import", "x"], b"palyra").shown(), @"
    exit 2
    --- stderr
    error: the key file needs a passphrase, and there is no terminal to ask for it
    hint: pass it with `--key-passphrase-file FILE`
    ");
}

#[test]
fn a_rotation_is_followed_and_the_old_key_signs_no_more() {
    let environment = TestEnvironment::with_state();
    let (old, new) = (environment.new_key("release"), environment.new_key("release-2"));
    let rotate =
        ["keys", "rotate", "acme", "--from", "release", "--to", "release-2", "--out", "rotation.json"];
    assert_snapshot!(environment.palyra(&rotate).shown(), @"
    exit 0
    --- stdout
    publisher  acme
    epoch      0 to 1
    retired    ed25519:[SHA256]
    successor  ed25519:[SHA256]
    statement  rotation.json
    --- stderr
    next: everyone who trusts you applies it with `palyra trust apply rotation.json`
    ");
    environment.new_key("other");
    let again = ["keys", "rotate", "acme", "--from", "release", "--to", "other", "--out", "second.json"];
    assert_snapshot!(environment.palyra(&again).shown(), @"
    exit 1
    --- stderr
    error: the signing key `release` is retired
    hint: sign with its successor, or create a key with `palyra keys new NAME`
    ");

    assert_snapshot!(environment.palyra(&["trust", "apply", "rotation.json"]).shown(), @"
    exit 11
    --- stderr
    error: publisher `acme` is unknown
    hint: allow its key first: `palyra trust allow acme KEY`
    ");
    assert_eq!(environment.palyra(&["trust", "allow", "acme", &old]).code, 0);
    assert_snapshot!(environment.palyra(&["trust", "apply", "rotation.json"]).shown(), @"
    exit 0
    --- stdout
    statement  rotation
    by         acme
    epoch      1
    outcome    the publisher's keys were rotated
    ");
    let shown = environment.palyra(&["trust", "show", "acme", "--json"]).json();
    assert_eq!((&shown["epoch"], &shown["keys"][0]["public_key"]), (&1.into(), &new.into()));
    assert_snapshot!(environment.palyra(&["trust", "apply", "rotation.json"]).shown(), @"
    exit 0
    --- stdout
    statement  rotation
    by         acme
    epoch      1
    outcome    nothing changed: it was applied before
    ");
}

#[test]
fn a_statement_never_replaces_a_file() {
    let environment = TestEnvironment::with_state();
    environment.new_key("a");
    environment.new_key("b");
    environment.write("taken", "mine");
    let rotate = ["keys", "rotate", "acme", "--from", "a", "--to", "b", "--epoch", "1", "--out", "taken"];
    assert_snapshot!(environment.palyra(&rotate).shown(), @"
    exit 2
    --- stderr
    error: file `taken` already exists
    hint: choose another name; nothing was written
    ");
    assert_eq!(environment.read("taken"), "mine");
    let listed = environment.palyra(&["keys", "list", "--json"]).json();
    assert_eq!(
        (&listed["keys"][0]["state"], &listed["keys"][1]["state"]),
        (&"active".into(), &"active".into())
    );
}

#[test]
fn a_revoked_key_is_refused_everywhere() {
    let environment = TestEnvironment::with_state();
    let key = environment.new_key("release");
    assert_eq!(environment.palyra(&["trust", "allow", "acme", &key]).code, 0);
    let revoke =
        ["keys", "revoke", "release", "--reason", "stolen", "--publisher", "acme", "--out", "revoked.json"];
    assert_snapshot!(environment.palyra(&revoke).shown(), @"
    exit 2
    --- stderr
    error: not a terminal, so this needs confirmation: Revoke the signing key `release` permanently?
    hint: add `--yes` to confirm
    ");
    assert_snapshot!(environment.palyra(&[&revoke[..], &["--yes"]].concat()).shown(), @"
    exit 0
    --- stdout
    name        release
    key id      ed25519:[SHA256]
    public key  ed25519-public:[KEY]
    state       revoked
    since       [WHEN]
    --- stderr
    next: send it to everyone who trusts you; they run `palyra trust apply revoked.json`
    ");
    assert_snapshot!(environment.palyra(&["trust", "list"]).shown(), @"
    exit 0
    --- stdout
    PUBLISHER  MODE         EPOCH  KEYS
    acme       allowlisted  -      ed25519:[SHA256]

    REVOKED                                                                   WHERE           BY                      REASON
    ed25519:[SHA256]  everywhere      operator                stolen
    ed25519:[SHA256]  publisher acme  publisher acme, list 1  stolen
    ");
    assert_snapshot!(environment.palyra(&["trust", "allow", "beta", &key]).shown(), @"
    exit 5
    --- stderr
    error: key `ed25519:[SHA256]` is revoked
    hint: a revocation is permanent; use another key
    ");

    let elsewhere = ["--state-root", "elsewhere"];
    let there = |arguments: &[&str]| environment.palyra(&[arguments, &elsewhere[..]].concat());
    assert_eq!(there(&["init", "--device-key", "file"]).code, 0);
    assert_eq!(there(&["trust", "allow", "acme", &key]).code, 0);
    assert_snapshot!(there(&["trust", "apply", "revoked.json"]).shown(), @"
    exit 0
    --- stdout
    statement  revocations
    by         acme
    number     1
    outcome    1 newly revoked
    ");
}

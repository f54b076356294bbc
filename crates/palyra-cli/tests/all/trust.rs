//! `palyra trust`.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;

#[test]
fn a_publisher_is_allowed_blocked_and_unblocked() {
    let environment = TestEnvironment::with_state();
    let key = environment.new_key("release");
    assert_snapshot!(environment.palyra(&["trust", "list"]).shown(), @"
    exit 0
    --- stderr
    no publishers are trusted or blocked
    next: trust a publisher with `palyra trust allow PUBLISHER KEY`
    ");
    assert_snapshot!(environment.palyra(&["trust", "allow", "acme", &key]).shown(), @"
    exit 0
    --- stdout
    publisher  acme
    key        ed25519:[SHA256]
    now        trusted
    ");
    assert_eq!(environment.palyra(&["trust", "allow", "acme", &key, "--json"]).json()["changed"], false);
    assert_snapshot!(environment.palyra(&["trust", "list"]).shown(), @"
    exit 0
    --- stdout
    PUBLISHER  MODE         EPOCH  KEYS
    acme       allowlisted  -      ed25519:[SHA256]
    ");
    assert_snapshot!(environment.palyra(&["trust", "show", "acme"]).shown(), @"
    exit 0
    --- stdout
    publisher  acme
    mode       allowlisted
    keys are   named by an operator
    key        ed25519:[SHA256]
               ed25519-public:[KEY]
    ");
    assert_snapshot!(environment.palyra(&["trust", "block", "acme", "--reason", "phones home"]).shown(), @"
    exit 0
    --- stdout
    publisher  acme
    mode       blocked
    blocked    phones home
    keys are   named by an operator
    key        ed25519:[SHA256]
               ed25519-public:[KEY]
    --- stderr
    next: unblock it with `palyra trust unblock acme`
    ");
    assert_snapshot!(environment.palyra(&["trust", "allow", "acme", &key]).shown(), @"
    exit 5
    --- stderr
    error: publisher `acme` is blocked: phones home
    hint: unblock it with `palyra trust unblock acme`
    ");
    assert_snapshot!(environment.palyra(&["trust", "unblock", "acme"]).shown(), @"
    exit 0
    --- stdout
    publisher  acme
    mode       allowlisted
    keys are   named by an operator
    key        ed25519:[SHA256]
               ed25519-public:[KEY]
    --- stderr
    skills that were quarantined stay so until you enable them
    ");
    assert_snapshot!(environment.palyra(&["trust", "unblock", "acme"]).shown(), @"
    exit 5
    --- stderr
    error: publisher `acme` is not blocked
    hint: list publishers, feeds and builders with `palyra trust list`
    ");
}

#[test]
fn other_keys_need_a_statement_or_a_decision() {
    let environment = TestEnvironment::with_state();
    let (one, two) = (environment.new_key("one"), environment.new_key("two"));
    assert_eq!(environment.palyra(&["trust", "allow", "acme", &one]).code, 0);
    assert_snapshot!(environment.palyra(&["trust", "allow", "acme", &two]).shown(), @"
    exit 5
    --- stderr
    error: publisher `acme` has other keys
    hint: apply the publisher's rotation with `palyra trust apply FILE`, or replace its keys with `palyra trust repin acme KEY`
    ");
    assert_snapshot!(environment.palyra(&["trust", "repin", "acme", &two]).shown(), @"
    exit 2
    --- stderr
    error: not a terminal, so this needs confirmation: Trust other keys of `acme` without a statement signed by the old ones?
    hint: add `--yes` to confirm
    ");
    assert_snapshot!(environment.palyra(&["trust", "repin", "acme", &two, "--yes"]).shown(), @"
    exit 0
    --- stdout
    publisher  acme
    mode       allowlisted
    keys are   named by an operator
    key        ed25519:[SHA256]
               ed25519-public:[KEY]
    earlier    ed25519:[SHA256] ended by an operator who pinned other keys
    ");
    assert_snapshot!(environment.palyra(&["trust", "repin", "nobody", &two, "--yes"]).shown(), @"
    exit 11
    --- stderr
    error: publisher `nobody` is unknown
    hint: allow its key first: `palyra trust allow nobody KEY`
    ");
}

#[test]
fn thresholds_feeds_and_builders() {
    let environment = TestEnvironment::with_state();
    let (one, two) = (environment.new_key("one"), environment.new_key("two"));
    assert_snapshot!(environment.palyra(&["trust", "allow", "acme", &one, &two, "--threshold", "2"]).shown(), @"
    exit 0
    --- stdout
    publisher  acme
    key        ed25519:[SHA256]
    key        ed25519:[SHA256]
    must sign  2 of 2
    now        trusted
    ");
    assert_snapshot!(environment.palyra(&["trust", "allow", "beta", &one, "--threshold", "2"]).shown(), @"
    exit 2
    --- stderr
    error: invalid threshold 2 for 1 keys: expected 1 to the number of keys
    ");
    assert_eq!(environment.palyra(&["trust", "allow", "advisories", &one, "--feed"]).code, 0);
    assert_eq!(environment.palyra(&["trust", "allow", "ci", &two, "--builder-level", "2"]).code, 0);
    assert_snapshot!(environment.palyra(&["trust", "list"]).shown(), @"
    exit 0
    --- stdout
    PUBLISHER  MODE         EPOCH  KEYS
    acme       allowlisted  -      ed25519:[SHA256], ed25519:[SHA256]

    FEED        LIST  KEYS
    advisories  -     ed25519:[SHA256]

    BUILDER  LEVEL  KEY
    ci       2      ed25519:[SHA256]
    ");
}

#[test]
fn what_is_no_name_no_key_and_no_statement() {
    let environment = TestEnvironment::with_state();
    let key = environment.new_key("release");
    environment.write("noise", "{}");
    assert_eq!(environment.palyra(&["trust", "allow", "acme", &key]).code, 0);
    assert_snapshot!(environment.palyra(&["trust", "allow", "Acme", &key]).shown(), @"
    exit 2
    --- stderr
    error: invalid value 'Acme' for '<PUBLISHER>': invalid publisher name `Acme`: expected `[a-z][a-z0-9]*(_[a-z0-9]+)*`, at most 32 bytes

    For more information, try '--help'.
    ");
    assert_snapshot!(environment.palyra(&["trust", "allow", "acme", "ed25519-public:AAAA"]).shown(), @"
    exit 2
    --- stderr
    error: invalid value 'ed25519-public:AAAA' for '<KEY>...': invalid public key: expected `ed25519-public:` and 44 characters of base64

    For more information, try '--help'.
    ");
    let weak = "ed25519-public:AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    assert_snapshot!(environment.palyra(&["trust", "allow", "acme", weak]).shown(), @"
    exit 2
    --- stderr
    error: invalid value 'ed25519-public:[KEY]' for '<KEY>...': the public key is weak: it has low order, so anyone can make signatures for it

    For more information, try '--help'.
    ");
    assert_snapshot!(environment.palyra(&["trust", "show", "acne"]).shown(), @"
    exit 11
    --- stderr
    error: publisher `acne` does not exist
    hint: did you mean `acme`?
    hint: choose from `acme`
    ");
    assert_snapshot!(environment.palyra(&["trust", "apply", "noise"]).shown(), @"
    exit 5
    --- stderr
    error: the statement was rejected: the statement is malformed: missing field `payload` at line 1 column 2
    hint: get the file again from its signer
    ");
    assert_snapshot!(environment.palyra(&["trust", "apply", "nothing"]).shown(), @"
    exit 2
    --- stderr
    error: file `nothing` does not exist
    ");
}

/// Two validly signed successors for one epoch, created in two state roots with the same key.
#[test]
fn two_successors_for_one_epoch_block_the_publisher() {
    let environment = TestEnvironment::with_state();
    let old = environment.new_key("release");
    environment.new_key("one");
    environment.write_private("passphrase", "correct horse");
    let sealed = ["--key-file", "release.key", "--key-passphrase-file", "passphrase"];
    assert_eq!(environment.palyra(&[&["keys", "export", "release"], &sealed[..]].concat()).code, 0);
    let there = |arguments: &[&str]| {
        let ran = environment.palyra(&[arguments, &["--state-root", "elsewhere"]].concat());
        assert_eq!(ran.code, 0, "{}", ran.shown());
    };
    there(&["init", "--device-key", "file"]);
    there(&[&["keys", "import", "release"], &sealed[..]].concat());
    there(&["keys", "new", "two"]);
    let rotate = |to: &'static str, out: &'static str| {
        ["keys", "rotate", "acme", "--from", "release", "--to", to, "--epoch", "1", "--out", out]
    };
    there(&rotate("two", "two.json"));
    assert_eq!(environment.palyra(&rotate("one", "one.json")).code, 0);
    assert_eq!(environment.palyra(&["trust", "allow", "acme", &old]).code, 0);
    assert_eq!(environment.palyra(&["trust", "apply", "one.json"]).code, 0);
    assert_snapshot!(environment.palyra(&["trust", "apply", "two.json"]).shown(), @"
    exit 5
    --- stderr
    error: publisher `acme` signed two different successors for one epoch and is now blocked
    hint: the publisher's keys may be compromised: ask the publisher out of band which key is valid
    hint: then set its keys yourself: `palyra trust unblock acme` and `palyra trust repin acme KEY`
    ");
    assert_eq!(environment.palyra(&["trust", "show", "acme", "--json"]).json()["mode"], "blocked");
}

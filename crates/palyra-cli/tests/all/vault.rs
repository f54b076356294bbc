//! `palyra vault`.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;

#[test]
fn a_secret_is_put_listed_and_removed() {
    let environment = TestEnvironment::with_state();
    assert_snapshot!(environment.palyra(&["vault", "list"]).shown(), @"
    exit 0
    --- stderr
    no secrets
    next: store one with `palyra vault put global/NAME`
    the device key is in a file that only this user can read: other users of this machine have no access; root, and anyone with a copy or backup of this directory, can read the secrets; restoring an old copy of the whole state root cannot be detected
    ");
    let put = |value: &[u8]| environment.palyra_with_input(&["vault", "put", "global/token"], value);
    assert_snapshot!(put(b"hunter2hunter2\n").shown(), @"
    exit 0
    --- stdout
    secret  global/token
    change  created
    ");
    assert_snapshot!(put(b"abc").shown(), @"
    exit 2
    --- stderr
    error: the value of `global/token` is too easy to guess: it has fewer than 40 bits
    hint: use a longer random value
    hint: store it anyway with `palyra vault put global/token --allow-weak`, or `allow_weak` in the request
    ");
    let weak = environment.palyra_with_input(&["vault", "put", "global/token", "--allow-weak"], b"abc");
    assert_snapshot!(weak.shown(), @"
    exit 0
    --- stdout
    secret  global/token
    change  replaced
    --- stderr
    warning: `global/token` is too short to be redacted from output
    ");
    assert_snapshot!(environment.palyra(&["vault", "list"]).shown(), @"
    exit 0
    --- stdout
    SECRET        CREATED               UPDATED
    global/token  [WHEN]  [WHEN]
    --- stderr
    the device key is in a file that only this user can read: other users of this machine have no access; root, and anyone with a copy or backup of this directory, can read the secrets; restoring an old copy of the whole state root cannot be detected
    ");
    assert_snapshot!(environment.palyra(&["vault", "remove", "global/token"]).shown(), @"
    exit 2
    --- stderr
    error: not a terminal, so this needs confirmation: Remove the secret `global/token`?
    hint: add `--yes` to confirm
    ");
    assert_snapshot!(environment.palyra(&["vault", "remove", "global/tokem"]).shown(), @"
    exit 11
    --- stderr
    error: secret `global/tokem` does not exist
    hint: did you mean `global/token`?
    hint: choose from `global/token`
    ");
    assert_snapshot!(environment.palyra(&["vault", "remove", "global/token", "--yes"]).shown(), @"
    exit 0
    --- stdout
    removed  global/token
    ");
}

#[test]
fn a_value_on_the_command_line_is_refused_and_not_repeated() {
    let environment = TestEnvironment::with_state();
    for arguments in [
        &["vault", "put", "global/token", "hunter2"][..],
        &["vault", "put", "global/token", "--value", "hunter2"],
        &["vault", "put", "global/token=hunter2"],
        &["vault", "put", "hunter2"],
        &["vault", "remove", "hunter2", "--yes"],
    ] {
        for form in ["human", "json"] {
            let refused = environment.palyra(&[arguments, &["--output", form]].concat());
            assert_eq!(refused.code, 2, "{}", refused.shown());
            assert!(!refused.shown().contains("hunter2"), "{}", refused.shown());
        }
    }
    assert_snapshot!(environment.palyra(&["vault", "put", "global/token", "hunter2"]).shown(), @"
    exit 2
    --- stderr
    error: the value of a secret cannot be a command-line argument
    hint: omit it to be asked for it, or pipe it to standard input
    hint: if it was the real value, change it: it is in the shell's history now
    ");
    assert_snapshot!(environment.palyra(&["vault", "put", "hunter2"]).shown(), @"
    exit 2
    --- stderr
    error: invalid secret reference: expected SCOPE/KEY
    hint: the scope is `global`, `principal:NAME`, `channel:NAME` or `skill:ID`, for example `global/github_token`
    ");
}

#[test]
fn nothing_and_too_much_are_no_secrets() {
    let environment = TestEnvironment::with_state();
    let put = |value: &[u8]| {
        environment.palyra_with_input(&["vault", "put", "skill:acme.notes/pin"], value).shown()
    };
    assert_snapshot!(put(b"\n"), @"
    exit 2
    --- stderr
    error: the value of `skill:acme.notes/pin` is empty
    hint: remove a secret with `palyra vault remove`
    ");
    assert_snapshot!(put(&[b'x'; (64 << 10) + 1]), @"
    exit 2
    --- stderr
    error: the value of `skill:acme.notes/pin` has more than 65536 bytes
    ");
}

#[test]
fn a_damaged_secret_is_named() {
    let environment = TestEnvironment::with_state();
    assert_eq!(environment.palyra_with_input(&["vault", "put", "global/token"], b"hunter2hunter2").code, 0);
    let drawer = environment.home(".palyra/vault/secrets");
    let file = std::fs::read_dir(drawer).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let put = environment.palyra_with_input(&["vault", "put", "global/token"], b"hunter3hunter3");
    let listed = environment.palyra(&["vault", "list", "--json"]).json();
    let told = listed["damaged"].as_array().unwrap().len() + usize::from(put.code == 0);
    assert!(told >= 1, "{listed} {}", put.shown());
}

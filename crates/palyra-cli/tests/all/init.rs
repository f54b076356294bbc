//! `palyra init`: explicit, once, and with the chosen storage of the device key.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_state_root_is_made_once_and_for_its_owner_only() {
    let environment = TestEnvironment::new();
    assert_snapshot!(environment.palyra(&["init", "--device-key", "file"]).shown(), @"
    exit 0
    --- stdout
    state root   [ROOT]/home/.palyra
    device key   a private file
    journal key  [JOURNAL KEY]
    --- stderr
    the device key is in a file that only this user can read: other users of this machine have no access; root, and anyone with a copy or backup of this directory, can read the secrets; restoring an old copy of the whole state root cannot be detected
    next: create a signing key with `palyra keys new NAME`, or store a secret with `palyra vault put global/NAME`
    ");
    let mode = environment.home(".palyra").metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700);
    assert_snapshot!(environment.palyra(&["init", "--device-key", "file"]).shown(), @"
    exit 1
    --- stderr
    error: a state root already exists at `[ROOT]/home/.palyra`
    hint: use the existing one, or choose another with `--state-root`
    ");
    let made =
        environment.palyra(&["init", "--device-key", "file", "--state-root", "other", "--json"]).json();
    assert_eq!(made["schema"], "palyra.init/v1");
    assert_eq!(made["path"], environment.path("other").display().to_string());
    assert_eq!(made["detects_restored_copies"], false);
}

#[test]
fn no_other_command_makes_one() {
    let environment = TestEnvironment::new();
    for command in [
        &["keys", "list"][..],
        &["keys", "new", "release"],
        &["trust", "list"],
        &["trust", "repair"],
        &["vault", "list"],
        &["journal", "tail"],
        &["journal", "tail", "--follow"],
        &["journal", "verify"],
    ] {
        let error = environment.palyra(&[command, &["--json"]].concat());
        assert_eq!(error.code, 1, "{}", error.shown());
        let error = error.error();
        assert_eq!(error["code"], "not_initialised", "{command:?}");
        assert!(error["hints"][0].as_str().unwrap().contains("`palyra up -d`"), "{error}");
    }
    assert!(!environment.home(".palyra").exists());
    assert_snapshot!(environment.palyra(&["keys", "list"]).shown(), @"
    exit 1
    --- stderr
    error: no state root at `[ROOT]/home/.palyra`
    hint: create one with `palyra up -d`, or choose another with `--state-root`
    ");
}

#[test]
fn init_needs_no_flag_and_uses_a_private_file_without_a_keyring() {
    let environment = TestEnvironment::new();
    assert_eq!(environment.palyra(&["init", "--json"]).json()["device_key"], "a private file");
}

/// An explicit request for the keyring has no fallback, and its failure leaves nothing that affects a second attempt.
#[test]
fn keyring_that_was_asked_for_is_not_replaced_by_something_weaker() {
    let environment = TestEnvironment::new();
    let refused = environment.palyra(&["init", "--device-key", "keyring"]);
    assert_eq!(refused.code, 1, "{}", refused.shown());
    let hint = "hint: keep the device key in a private file with `--device-key file`";
    assert!(refused.stderr.contains(hint), "{}", refused.shown());
    assert!(!environment.home(".palyra").exists());
    assert_eq!(environment.palyra(&["init", "--device-key", "file"]).code, 0);
}

#[test]
fn a_passphrase_is_needed_every_time_and_comes_from_a_private_file() {
    let environment = TestEnvironment::new();
    environment.write_private("passphrase", "correct horse\n");
    environment.write_private("wrong", "battery staple\n");
    let init = ["init", "--device-key", "passphrase"];
    assert_snapshot!(environment.palyra(&init).shown(), @"
    exit 2
    --- stderr
    error: a passphrase is required, and there is no terminal to ask for it
    hint: pass it with `--passphrase-file FILE`, a file that only you can read
    ");
    let with = |file: &str| ["--passphrase-file".to_owned(), file.to_owned()];
    let run = |arguments: &[&str], file: &str| {
        let file = with(file);
        environment.palyra(&[arguments, &[&*file[0], &*file[1]]].concat())
    };
    environment.write_private("weak", "pw\n");
    let weak = run(&init, "weak");
    assert!(weak.code == 2 && weak.stderr.contains("too easy to guess"), "{}", weak.shown());
    assert!(!environment.home(".palyra").exists());
    assert_eq!(run(&init, "passphrase").code, 0);
    assert_eq!(run(&["keys", "list"], "passphrase").code, 0);
    assert_snapshot!(environment.palyra(&["keys", "list"]).shown(), @"
    exit 4
    --- stderr
    error: the device key `[ROOT]/home/.palyra/vault/device.key` needs a passphrase, and none was given
    hint: pass it with `--passphrase-file FILE`, or run the command on a terminal
    ");
    assert_snapshot!(run(&["keys", "list"], "wrong").shown(), @"
    exit 4
    --- stderr
    error: cannot open the device key `[ROOT]/home/.palyra/vault/device.key`: wrong passphrase, or the file was changed
    hint: try again; if the passphrase is right, restore the file from a backup
    ");
    std::fs::set_permissions(environment.path("passphrase"), PermissionsExt::from_mode(0o644)).unwrap();
    assert_snapshot!(run(&["keys", "list"], "passphrase").shown(), @"
    exit 2
    --- stderr
    error: `./passphrase` is accessible to other users: mode 0644, expected 0600
    hint: chmod 600 ./passphrase
    ");
    let variables = [("PALYRA_PASSPHRASE_FILE", "passphrase"), ("PALYRA_STATE_ROOT", "elsewhere")];
    assert_eq!(environment.palyra_with_variables(&["keys", "list"], &variables).code, 2);
}

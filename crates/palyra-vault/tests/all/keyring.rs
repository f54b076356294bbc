//! The keyring of the operating system is used if there is one, and never replaced with weaker protection.
//!
//! Both tests run in a child process with a separate bus, so that the user's real keyring is not touched.

use crate::support::{Home, files_in};
use palyra_vault::{DeviceKeyError, KeySourceChoice, Vault, VaultError};
use std::process::{Command, Output};

const IN_CHILD: &str = "PALYRA_TEST_KEYRING_CHILD";

/// Runs this test again in a child process that `through` starts.
fn in_child(mut through: Command, test: &str) -> Output {
    through.arg(std::env::current_exe().unwrap()).args(["--exact", test, "--nocapture"]);
    through.env(IN_CHILD, "1").output().unwrap()
}

fn assert_passed(child: &Output) {
    let said =
        format!("{}{}", String::from_utf8_lossy(&child.stdout), String::from_utf8_lossy(&child.stderr));
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn without_a_keyring_the_choice_of_one_is_refused_and_leaves_nothing() {
    if std::env::var_os(IN_CHILD).is_none() {
        let mut env = Command::new("env");
        env.arg("DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent/bus");
        return assert_passed(&in_child(
            env,
            "keyring::without_a_keyring_the_choice_of_one_is_refused_and_leaves_nothing",
        ));
    }
    let home = Home::empty();
    let refused = Vault::init(&home.path, KeySourceChoice::OsKeyring).unwrap_err();
    assert!(
        matches!(
            refused,
            VaultError::DeviceKey(
                DeviceKeyError::KeyringUnavailable { .. } | DeviceKeyError::KeyringNotBuilt
            )
        ),
        "{refused:?}"
    );
    assert!(refused.hint().unwrap().contains("keyring"), "{:?}", refused.hint());
    assert!(!home.path.exists() || files_in(&home.path).is_empty());
}

/// Needs `dbus-run-session` and `gnome-keyring-daemon`; prints a line where they are missing.
#[cfg(feature = "os-keyring")]
#[test]
fn a_keyring_keeps_the_key_and_remembers_generations() {
    use crate::support::anchor_value;
    use palyra_vault::{AnchorError, Protection};

    if std::env::var_os(IN_CHILD).is_none() {
        let there = |program: &str| Command::new(program).arg("--version").output().is_ok();
        if !there("dbus-run-session") || !there("gnome-keyring-daemon") {
            println!("skipped: dbus-run-session or gnome-keyring-daemon is not installed");
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let mut session = Command::new("dbus-run-session");
        session.args(["--", "sh", "-c", UNLOCKED]);
        for name in ["HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"] {
            session.env(name, home.path());
        }
        return assert_passed(&in_child(
            session,
            "keyring::a_keyring_keeps_the_key_and_remembers_generations",
        ));
    }
    let home = Home::empty();
    let vault = Vault::init(&home.path, KeySourceChoice::OsKeyring).unwrap();
    assert_eq!(vault.describe(), Protection::OsKeyring);
    assert_eq!(files_in(&home.path).len(), 1, "only the header is in the directory");
    vault.anchor().initialise(anchor_value("1")).unwrap();
    let old = std::fs::read(home.path.join("anchor")).unwrap();
    vault.anchor().write_pending(anchor_value("2")).unwrap();
    vault.anchor().commit().unwrap();

    let opened = Vault::open(&home.path, None).unwrap();
    assert_eq!(opened.device_signing_seed(), vault.device_signing_seed());
    assert_eq!(opened.anchor().read().unwrap().unwrap().committed, anchor_value("2"));
    std::fs::write(home.path.join("anchor"), old).unwrap();
    assert!(matches!(opened.anchor().read(), Err(AnchorError::RolledBack { found: 1, expected: 3, .. })));
}

/// Unlocks a new keyring with an empty password, then executes the test.
#[cfg(feature = "os-keyring")]
const UNLOCKED: &str =
    r#"printf '\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$0" "$@""#;

//! Compiled code between runs.

use crate::environment::{Ran, TestEnvironment};
use crate::guests::echo;
use insta::assert_snapshot;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;

fn environment() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("echo.wat", echo());
    environment
}

fn run(environment: &TestEnvironment) -> (String, Vec<String>) {
    let json = environment.run("echo.wat", &["--json"]).json();
    let warnings =
        json["warnings"].as_array().unwrap().iter().map(|warning| warning.as_str().unwrap().to_owned());
    (json["module"]["origin"].as_str().unwrap().to_owned(), warnings.collect())
}

/// Returns the origin of the code, and the number of warnings.
fn origin(environment: &TestEnvironment) -> (String, usize) {
    let (origin, warnings) = run(environment);
    (origin, warnings.len())
}

fn code_file(environment: &TestEnvironment) -> PathBuf {
    let mut files = std::fs::read_dir(environment.home(".cache/palyra/code")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none());
    file
}

#[test]
fn the_second_run_does_not_compile() {
    let environment = environment();
    assert_eq!(origin(&environment), ("compiled".into(), 0));
    assert_eq!(origin(&environment), ("disk_cache".into(), 0));
    let mode = |path: &str| environment.home(path).metadata().unwrap().mode() & 0o777;
    assert_eq!([mode(".cache/palyra/code"), mode(".config/palyra/one-shot.key")], [0o700, 0o600]);
}

#[test]
fn the_cache_can_be_elsewhere_or_left_alone() {
    let environment = environment();
    let elsewhere = environment.path("elsewhere").display().to_string();
    let flags = ["run", "--module", "echo.wat", "--json"];
    for origin in ["compiled", "disk_cache"] {
        let ran = environment.palyra_with_variables(&flags, &[("PALYRA_CACHE_DIR", &elsewhere)]);
        assert_eq!(ran.json()["module"]["origin"], origin);
    }
    assert!(!environment.home(".cache").exists() && environment.path("elsewhere/code").is_dir());
    let alone = TestEnvironment::new();
    alone.write("echo.wat", echo());
    assert_eq!(alone.run("echo.wat", &["--no-cache"]).code, 0);
    assert_eq!(std::fs::read_dir(alone.home("")).unwrap().count(), 0);
}

#[test]
fn a_changed_file_is_noticed_and_replaced() {
    let environment = environment();
    origin(&environment);
    let file = code_file(&environment);
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let (origin_now, warnings) = run(&environment);
    assert_eq!(origin_now, "compiled");
    assert!(
        warnings[0].ends_with("is not used: changed, truncated or created under another key"),
        "{warnings:?}"
    );
    assert_eq!(origin(&environment), ("disk_cache".into(), 0));
}

#[test]
fn code_made_under_another_key_is_not_used() {
    let environment = environment();
    origin(&environment);
    std::fs::remove_file(environment.home(".config/palyra/one-shot.key")).unwrap();
    assert_eq!(origin(&environment), ("compiled".into(), 1));
    assert_eq!(origin(&environment), ("disk_cache".into(), 0));
}

#[test]
fn a_key_that_others_can_read_or_that_is_a_link_is_not_used() {
    let environment = environment();
    origin(&environment);
    let key = environment.home(".config/palyra/one-shot.key");
    let shown = |ran: Ran| ran.shown();
    std::fs::set_permissions(&key, PermissionsExt::from_mode(0o644)).unwrap();
    assert_snapshot!(shown(environment.run("echo.wat", &[])), @"
    exit 0
    --- stdout
    {}
    --- stderr
    warning: compiled code is not cached: `[ROOT]/home/.config/palyra/one-shot.key` is accessible to other users (mode 0644); run `chmod 600` on it
    palyra_plugin_main finished in [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    ");
    assert_eq!(origin(&environment), ("compiled".into(), 1));
    std::fs::set_permissions(&key, PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(origin(&environment), ("disk_cache".into(), 0));
    std::fs::rename(&key, environment.home("elsewhere.key")).unwrap();
    symlink(environment.home("elsewhere.key"), &key).unwrap();
    assert_snapshot!(shown(environment.run("echo.wat", &[])), @"
    exit 0
    --- stdout
    {}
    --- stderr
    warning: compiled code is not cached: `[ROOT]/home/.config/palyra/one-shot.key` is not a regular file that you own
    palyra_plugin_main finished in [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    ");
}

#[test]
fn a_cache_that_cannot_be_used_is_done_without() {
    let environment = environment();
    origin(&environment);
    std::fs::set_permissions(environment.home(".cache/palyra/code"), PermissionsExt::from_mode(0o755))
        .unwrap();
    assert_snapshot!(environment.run("echo.wat", &[]).shown(), @"
    exit 0
    --- stdout
    {}
    --- stderr
    warning: cannot store compiled code in `[ROOT]/home/.cache/palyra/code`: the cache directory must be a directory of this user with mode 0700; recompiling
    palyra_plugin_main finished in [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    ");
    let flags = ["run", "--module", "echo.wat"];
    let homeless = environment.command(&flags).env_remove("HOME").output().unwrap();
    assert_snapshot!(environment.ran(homeless).shown(), @"
    exit 0
    --- stdout
    {}
    --- stderr
    warning: compiled code is not cached: neither HOME nor XDG_CONFIG_HOME names a directory
    palyra_plugin_main finished in [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    ");
    let nowhere = environment.palyra_with_variables(&flags, &[("PALYRA_CACHE_DIR", "/proc/nowhere")]);
    assert_snapshot!(nowhere.shown(), @"
    exit 0
    --- stdout
    {}
    --- stderr
    warning: cannot store compiled code in `/proc/nowhere/code`: No such file or directory (os error 2); recompiling
    palyra_plugin_main finished in [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    ");
}

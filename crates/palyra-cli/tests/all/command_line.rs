//! Help, completions, manual pages, and command lines that cannot be read.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;

fn shown(arguments: &[&str]) -> String {
    TestEnvironment::new().palyra(arguments).shown()
}

#[test]
fn the_help_of_palyra() {
    assert_snapshot!(shown(&["--help"]), @"");
    assert_eq!(shown(&["-h"]), shown(&["--help"]));
    assert_eq!(shown(&["help"]), shown(&["--help"]));
}

#[test]
fn the_help_of_run() {
    assert_snapshot!(shown(&["run", "--help"]), @"");
    assert_eq!(shown(&["run", "-h"]), shown(&["run", "--help"]));
}

#[test]
fn the_help_of_the_small_commands() {
    assert_snapshot!(shown(&["completions", "--help"]), @"");
    assert_snapshot!(shown(&["man", "--help"]), @"");
}

#[test]
fn without_a_command_there_is_help_and_a_failure() {
    let ran = TestEnvironment::new().palyra(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("Example:\n"), "{}", ran.stderr);
}

#[test]
fn the_version() {
    assert_snapshot!(shown(&["--version"]), @"");
}

#[test]
fn did_you_mean() {
    assert_snapshot!(shown(&["rum"]), @"");
    assert_snapshot!(shown(&["run", "--modul", "x"]), @"");
    assert_snapshot!(shown(&["--output", "jsn", "run"]), @"");
    assert_snapshot!(shown(&["--json", "rum"]), @"");
    assert_snapshot!(shown(&["run", "--modul", "x", "--output=ndjson"]), @"");
    assert_snapshot!(shown(&["run", "--json"]), @"");
}

#[test]
fn completions_know_the_flags_and_not_what_is_hidden() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = TestEnvironment::new().palyra(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert!(ran.stdout.contains("storage-dir") && ran.stdout.contains("completions"), "{shell}");
        assert!(!ran.stdout.contains("__compile") && !ran.stdout.contains("compile-timeout"), "{shell}");
    }
}

#[test]
fn manual_pages() {
    let page = |arguments: &[&str]| {
        let ran = TestEnvironment::new().palyra(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        ran.stdout
    };
    let palyra = page(&["man"]);
    assert!(palyra.contains(".TH palyra 1") && palyra.contains("palyra\\-run(1)"), "{palyra}");
    let run = page(&["man", "run"]);
    assert!(run.contains(".TH palyra-run 1") && run.contains("\\-\\-grant"), "{run}");
    assert!(!run.contains("compile"), "{run}");
    assert_snapshot!(shown(&["man", "fun"]), @"");
}

#[test]
fn the_compiling_child_is_not_a_command_for_people() {
    let ran = TestEnvironment::new().palyra(&["__compile-module"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (2, "", ""));
}

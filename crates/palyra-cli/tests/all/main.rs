//! Integration tests of the command line with the built program, in one test binary.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod environment;
mod guests;
mod person;
mod skill_bench;

mod approvals;
mod audit_policy;
mod cache;
mod canary;
mod chat;
mod comfort;
mod command_line;
mod compiling;
mod daemon;
mod deployment;
mod documents;
mod errors;
mod formats;
mod grants;
mod hints;
mod hooks;
mod init;
mod inputs;
mod interrupts;
mod journal;
mod keys;
mod mcp;
mod models;
mod modules;
mod narrowed_tools;
mod output;
mod plugins;
mod policy;
mod prompts;
mod quickstart;
mod routines;
mod runner_policy;
mod runs;
mod secrets;
mod skill_author;
mod skills;
mod skills_package;
mod state;
mod state_help;
mod succession;
mod surfaces;
mod tapes;
mod tools;
mod trust;
mod up;
mod vault;

#[test]
fn no_file_of_tests_is_forgotten() {
    let mut files: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "main" && !name.starts_with('.'))
        .collect();
    files.sort();
    let mut modules: Vec<&str> = include_str!("main.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    modules.sort_unstable();
    assert_eq!(files, modules);
}

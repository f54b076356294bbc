//! Integration tests of the daemon: real sockets and real HTTP, in one test binary.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod daemon;
mod guests;
mod raw;

mod access;
mod ag_ui;
mod approvals;
mod attack;
mod attack_approvals;
mod audit_policy;
mod backup;
mod bodies;
mod channels;
mod compiling;
mod console;
mod deliveries;
mod doctor;
mod events;
mod examples;
mod grpc;
mod hooks;
mod host_limits;
mod injections;
mod journal;
mod keys;
mod killed;
mod mcp;
mod metrics;
mod models;
mod modules;
mod openapi;
mod patience;
mod plugins;
mod policy;
mod process;
mod routines;
mod run_steps;
mod runs;
mod same;
mod sessions;
mod skills;
mod small_model;
mod stopping;
mod surfaces;
mod tls;
mod tokens;
mod traces;
mod trust;
mod upkeep;
mod uploads;
mod vault;

#[test]
fn no_file_of_tests_is_forgotten() {
    let mut files: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "main")
        .collect();
    files.sort();
    let mut modules: Vec<&str> = include_str!("main.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    modules.sort_unstable();
    assert_eq!(files, modules);
}

//! The command line as its users meet it: the built program, one binary of tests.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod environment;
mod guests;

mod cache;
mod command_line;
mod compiling;
mod documents;
mod errors;
mod grants;
mod inputs;
mod interrupts;
mod modules;
mod output;
mod secrets;
mod tapes;
mod tools;

#[test]
fn no_file_of_tests_is_forgotten() {
    let mut files: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
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

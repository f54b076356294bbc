//! Checks that every command named in a hint, a remedy or an example parses.

use super::Cli;
use clap::{Command, CommandFactory};
use std::path::{Path, PathBuf};

/// Texts that start like a command, but are labels for hashing and key derivation.
const LABELS: [&str; 3] = ["skill payload v1", "audit policy v1", "one-shot 2026-01"];

/// Returns the sources of every crate with user-visible messages.
fn sources() -> Vec<(PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    let mut directories: Vec<PathBuf> =
        crates.read_dir().unwrap().map(|entry| entry.unwrap().path().join("src")).collect();
    while let Some(directory) = directories.pop() {
        for entry in directory.read_dir().into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.extension() {
                _ if path.is_dir() => directories.push(path),
                Some(extension) if extension == "rs" && !path.ends_with("cli/hints.rs") => {
                    found.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
                }
                _ => {}
            }
        }
    }
    found
}

/// Returns the text after each `palyra ` up to the end of its quotation.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    let starts = ["`palyra ", "\"palyra ", "  palyra ", "and `palyra ", "; palyra "];
    starts.into_iter().flat_map(move |start| {
        text.match_indices(start).map(move |(at, _)| {
            let rest = &text[at + start.len()..];
            rest.split(['`', '"', '\n', ';']).next().unwrap_or_default()
        })
    })
}

/// Returns the first word or flag that no command has.
fn unknown(root: &Command, words: &str) -> Option<String> {
    let mut command = root;
    let mut deeper = true;
    for word in words.split_whitespace() {
        if let Some(flag) = word.strip_prefix("--").filter(|flag| !flag.is_empty()) {
            let name = flag.split('=').next().unwrap_or_default();
            let has =
                |command: &Command| command.get_arguments().any(|argument| argument.get_long() == Some(name));
            let built_in = ["help", "version"].contains(&name);
            if !(built_in || has(command) || has(root)) {
                return Some(word.to_owned());
            }
            continue;
        }
        // A value, a placeholder, or the next part of the command.
        let named = deeper && command.has_subcommands();
        match command.find_subcommand(word) {
            Some(inner) if deeper => command = inner,
            _ if named && word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-') => {
                return Some(word.to_owned());
            }
            _ => deeper = false,
        }
    }
    None
}

#[test]
fn every_command_in_a_hint_exists() {
    let root = Cli::command();
    let mut count = 0;
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let user_facing = text.split("#[cfg(test)]").next().unwrap_or_default();
        for words in commands(user_facing) {
            if LABELS.iter().any(|label| words.starts_with(label)) {
                continue;
            }
            count += 1;
            if unknown(&root, words).is_some() {
                wrong.push(format!("{}: palyra {words}", path.display()));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(count > 100, "only {count} commands were found");
}

#[test]
fn what_does_not_exist_is_found() {
    let root = Cli::command();
    for wrong in ["runs recipt x", "doctr", "runs list --skil x", "plugins profile sett x --grant y"] {
        assert!(unknown(&root, wrong).is_some(), "{wrong}");
    }
    for right in ["runs receipt {run_id}", "plugins config set {skill_id} {name}=VALUE", "run TOOL --json"] {
        assert_eq!(unknown(&root, right), None);
    }
}

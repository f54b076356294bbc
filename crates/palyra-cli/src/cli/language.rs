//! Checks the words of help pages, messages and documents.

use super::Cli;
use clap::{Command, CommandFactory};
use std::path::{Path, PathBuf};

/// Words that texts of this project do not use.
const WORDS: [&str; 10] = [
    "told",
    "whoever",
    "somebody",
    "nobody",
    "anew",
    "meanwhile",
    "corridor",
    "believed",
    "dawdles",
    "knock",
];

/// Phrases that texts of this project do not use.
const PHRASES: [&str; 58] = [
    "a handle of this call",
    "a walk of",
    "a yes",
    "agreed yet",
    "an answer of the twenties",
    "as it may",
    "as it was left",
    "asks for this already",
    "asks to:",
    "at most so many",
    "broke off",
    "by itself",
    "by the time",
    "came for a while",
    "came of it",
    "came to the socket",
    "cannot be believed",
    "cannot be heard",
    "could not take",
    "doors open",
    "given again",
    "in the place of the",
    "is no name",
    "is none",
    "is there twice",
    "is worth nothing",
    "is worth something",
    "keep the machine",
    "kept for the first time",
    "key that ends",
    "let go of",
    "look after",
    "make the state root",
    "may not ask",
    "no name any more",
    "no randomness",
    "no shape",
    "not acceptable",
    "not called that",
    "not for this method",
    "not found out",
    "not in order",
    "not what this path",
    "nothing of what",
    "open a door",
    "ordinarily",
    "over another way",
    "past the door",
    "put it back",
    "runs on meanwhile",
    "so much later",
    "stands at",
    "stands twice",
    "take it in",
    "tell them again",
    "the face",
    "walks the",
    "who asked for",
];

/// Lists of words, which are data instead of messages.
const DATA: [&str; 3] = [
    "palyra-cli/src/cli/language.rs",
    "palyra-skills/src/audit/text/phrase_table.rs",
    "xtask/src/commands/structure/names.rs",
];

fn wrong(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric()).collect();
    let word = WORDS.into_iter().find(|word| words.contains(word));
    word.or_else(|| PHRASES.into_iter().find(|phrase| text.contains(phrase)))
}

#[test]
fn help_pages_use_plain_words() {
    fn check(command: &Command, path: &str, found: &mut Vec<String>) {
        let page = [command.get_about(), command.get_before_help(), command.get_after_help()];
        let page = page.into_iter().flatten().map(ToString::to_string);
        let arguments = command.get_arguments().filter_map(|argument| argument.get_help());
        for text in page.chain(arguments.map(ToString::to_string)) {
            found.extend(wrong(&text).map(|phrase| format!("{path}: `{phrase}` in {text}")));
        }
        for verb in command.get_subcommands() {
            check(verb, &format!("{path} {}", verb.get_name()), found);
        }
    }
    let mut found = Vec::new();
    check(&Cli::command(), "palyra", &mut found);
    assert_eq!(found, Vec::<String>::new());
}

/// Messages, hints, logs and generated texts of every crate are string literals.
#[test]
fn string_literals_use_plain_words() {
    let mut found = Vec::new();
    let mut literals = 0;
    for path in files("rs").into_iter().filter(|path| is_product_source(path)) {
        let text = std::fs::read_to_string(&path).unwrap();
        // Codes and names of fields are data.
        for literal in literals_of(&text).into_iter().filter(|literal| !is_identifier(literal)) {
            literals += 1;
            found.extend(wrong(literal).map(|phrase| format!("{}: `{phrase}`: {literal}", path.display())));
        }
    }
    assert_eq!(found, Vec::<String>::new());
    assert!(literals > 5_000, "only {literals} literals were found");
}

#[test]
fn documents_use_plain_words() {
    let mut found = Vec::new();
    let mut lines = 0;
    // The advice of policy rules is shown to users too.
    let pages = files("md").into_iter().chain(files("cedar"));
    for path in pages.filter(|path| !path.components().any(|part| part.as_os_str() == "apps")) {
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in prose(&text) {
            lines += 1;
            found.extend(wrong(&line).map(|phrase| format!("{}:{number}: `{phrase}`", path.display())));
        }
    }
    assert_eq!(found, Vec::<String>::new());
    assert!(lines > 2_000, "only {lines} lines were found");
}

fn is_identifier(literal: &str) -> bool {
    literal.contains('_') && literal.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Returns every file of the repository with this extension, except build output and hidden directories.
fn files(extension: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut directories = vec![root];
    let mut files = Vec::new();
    while let Some(directory) = directories.pop() {
        for entry in directory.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                let skipped = name.starts_with('.') || ["target", "node_modules"].contains(&name.as_str());
                directories.extend((!skipped).then_some(path));
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files
}

/// Returns whether a path is a source file of the crates or `xtask`, without lists of words.
fn is_product_source(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.contains("/src/")
        && (text.contains("/crates/") || text.contains("/xtask/"))
        && !DATA.iter().any(|file| text.ends_with(file))
}

/// Returns the lines of a page outside of code blocks, without code spans.
fn prose(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    let mut code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        let words: String = line.split('`').step_by(2).collect();
        (!code && !fence).then_some((index + 1, words))
    })
}

/// Returns the string literals of a file, without comments and unit tests.
fn literals_of(source: &str) -> Vec<&str> {
    let mut literals = Vec::new();
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let bytes = source.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += source[at..].find('\n').unwrap_or(source.len() - at);
            }
            // A quote as a character literal.
            b'\'' if source[at..].starts_with("'\"'") => at += 3,
            b'"' => {
                let start = at + 1;
                at = start;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                literals.push(&source[start..at.min(bytes.len())]);
                at += 1;
            }
            _ => at += 1,
        }
    }
    literals
}

#[test]
fn wrong_words_are_found() {
    assert_eq!(wrong("Nobody can be asked"), Some("nobody"));
    assert_eq!(wrong("Let a tool be called by the time"), Some("by the time"));
    assert_eq!(
        prose("a `told` b\n```\ntold\n```\nc").map(|(_, line)| line).collect::<Vec<_>>(),
        ["a  b", "c"]
    );
    assert_eq!(wrong("Schedule tool calls and show their history"), None);
    assert_eq!(
        literals_of("// \"no\"\nlet a = \"one \\\" two\"; let b = '\"'; f(\"three\")"),
        ["one \\\" two", "three"]
    );
}

//! Help pages and messages use the words of the field.

use super::Cli;
use clap::{Command, CommandFactory};
use std::path::Path;

/// Words that no text of this program needs.
const WORDS: [&str; 9] =
    ["told", "whoever", "somebody", "nobody", "anew", "corridor", "believed", "dawdles", "knock"];

/// Phrasings that a native reader has to translate.
const PHRASES: [&str; 21] = [
    "by the time",
    "may be given again",
    "at most so many",
    "over another way",
    "by itself",
    "not called that",
    "stands twice",
    "no name any more",
    "cannot be heard",
    "there is no randomness",
    "is worth",
    "worth nothing",
    "doors open",
    "open a door",
    "look after",
    "what came of it",
    "so much later",
    "take it in",
    "put it back",
    "is not acceptable",
    "nothing of what",
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

#[test]
fn string_literals_use_plain_words() {
    let mut found = Vec::new();
    let mut directories = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut literals = 0;
    while let Some(directory) = directories.pop() {
        for entry in directory.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if !path.ends_with("cli/language.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                for literal in literals_of(&text) {
                    literals += 1;
                    found.extend(
                        wrong(literal).map(|phrase| format!("{}: `{phrase}`: {literal}", path.display())),
                    );
                }
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
    assert!(literals > 1_000, "only {literals} literals were found");
}

/// What stands between quotes outside of comments, before the tests of a file.
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
            // A quote as a character.
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
    assert_eq!(wrong("Schedule tool calls and show their history"), None);
    assert_eq!(
        literals_of("// \"no\"\nlet a = \"one \\\" two\"; let b = '\"'; f(\"three\")"),
        ["one \\\" two", "three"]
    );
}

//! Generates `docs/cli.md`: every command with its options, global options once.

use super::{Cli, Globals, help};
use clap::{Arg, Args, Command, CommandFactory};
use std::fmt::Write as _;
use std::path::Path;

const INTRODUCTION: &str = "\
# Command line reference

Every command of `palyra`, generated from the help pages that `--help` and `palyra man COMMAND` show.
Results go to standard output, everything else to standard error. With `--json` a result is one object with a `schema`,
and an error is `{\"error\": {\"code\", \"message\", \"hints\", \"details\"}}`. [run.md](run.md#exit-codes) and
[skills.md](skills.md#exit-codes) list the exit codes.
";

#[test]
fn reference_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let page = page();
    if std::env::var_os("PALYRA_WRITE_GENERATED").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "run this test with PALYRA_WRITE_GENERATED=1 and commit {}", path.display());
}

#[test]
fn reference_has_every_command_and_global_options_once() {
    fn check(command: &Command, path: &str, page: &str) {
        assert!(page.contains(&format!("\n## {path}\n")), "{path}");
        for verb in visible(command) {
            check(verb, &format!("{path} {}", verb.get_name()), page);
        }
    }
    let page = page();
    for command in visible(&Cli::command()) {
        check(command, &format!("palyra {}", command.get_name()), &page);
    }
    assert_eq!(page.matches("| `--token-file <FILE>` |").count(), 1);
    assert!(!page.contains("__complete") && !page.contains("--compile-timeout-ms"));
}

fn page() -> String {
    let mut root = Cli::command();
    // Fills in usage lines and the full names of the commands.
    root.build();
    let mut page = INTRODUCTION.to_owned();
    index(&mut page, &root);
    page.push_str("\n## Global options\n\nEvery command takes these.\n\n");
    let mut globals = Globals::augment_args(Command::new("palyra").disable_help_flag(true));
    globals.build();
    table(&mut page, "option", globals.get_arguments());
    for command in visible(&root) {
        section(&mut page, command, &format!("palyra {}", command.get_name()));
    }
    page
}

/// Writes the list of commands by group.
fn index(page: &mut String, root: &Command) {
    page.push_str("\n| task | commands |\n|---|---|\n");
    for (title, commands) in help::grouped(root) {
        let link = |command: &&Command| {
            let name = command.get_name();
            format!("[{name}](#palyra-{name})")
        };
        let links: Vec<String> = commands.iter().map(link).collect();
        writeln!(page, "| {title} | {} |", links.join(", ")).unwrap();
    }
}

fn section(page: &mut String, command: &Command, path: &str) {
    writeln!(page, "\n## {path}\n").unwrap();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    writeln!(page, "{}.\n", escaped(&about)).unwrap();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").lines().map(str::trim).collect::<Vec<_>>().join("\n");
    writeln!(page, "```text\n{usage}\n```").unwrap();
    if let Some(examples) = command.get_before_help() {
        let examples = examples.to_string();
        let lines = examples.lines().filter(|line| line.starts_with("  "));
        let lines: Vec<&str> = lines.map(|line| &line[2..]).collect();
        writeln!(page, "\n```sh\n{}\n```", lines.join("\n")).unwrap();
    }
    let own = |argument: &&Arg| {
        let known = ["help", "version"].contains(&argument.get_id().as_str());
        !argument.is_hide_set() && !argument.is_global_set() && !known
    };
    for (title, positional) in [("argument", true), ("option", false)] {
        let arguments: Vec<&Arg> =
            command.get_arguments().filter(own).filter(|arg| arg.is_positional() == positional).collect();
        if !arguments.is_empty() {
            page.push('\n');
            table(page, title, arguments.into_iter());
        }
    }
    if let Some(more) = command.get_after_help() {
        writeln!(page, "\n{}", paragraphs(&more.to_string())).unwrap();
    }
    for verb in visible(command) {
        section(page, verb, &format!("{path} {}", verb.get_name()));
    }
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help")
}

fn table<'a>(page: &mut String, title: &str, arguments: impl Iterator<Item = &'a Arg>) {
    writeln!(page, "| {title} | meaning |\n|---|---|").unwrap();
    for argument in arguments {
        writeln!(page, "| `{}` | {} |", in_cell(&name(argument)), in_cell(&meaning(argument))).unwrap();
    }
}

/// Returns the argument as the usage line writes it, with the short form of an option.
fn name(argument: &Arg) -> String {
    let written = argument.to_string();
    match argument.get_short() {
        Some(short) if argument.get_long().is_some() => format!("-{short}, {written}"),
        _ => written,
    }
}

fn meaning(argument: &Arg) -> String {
    let mut text = escaped(&argument.get_help().map(ToString::to_string).unwrap_or_default());
    let takes_value = argument.get_action().takes_values();
    let values = argument.get_possible_values();
    let names: Vec<String> = values
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if takes_value && !names.is_empty() && !argument.is_hide_possible_values_set() {
        write!(text, "; one of {}", names.join(", ")).unwrap();
    }
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if takes_value && !defaults.is_empty() && !argument.is_hide_default_value_set() {
        write!(text, "; default {}", defaults.join(", ")).unwrap();
    }
    if let Some(variable) = argument.get_env() {
        write!(text, "; variable `{}`", variable.to_string_lossy()).unwrap();
    }
    text
}

/// Formats paragraphs unchanged, and indented lines as code.
fn paragraphs(text: &str) -> String {
    let mut page = String::new();
    let mut typed = false;
    for line in text.lines() {
        let indented = line.starts_with("  ");
        if indented != typed {
            page.push_str(if indented { "\n```text\n" } else { "```\n" });
            typed = indented;
        }
        page.push_str(&if indented { line.trim_start().to_owned() } else { escaped(line) });
        page.push('\n');
    }
    if typed {
        page.push_str("```\n");
    }
    page.trim().to_owned()
}

/// Escapes angle brackets and asterisks outside of code spans.
fn escaped(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => part.replace('<', "&lt;").replace('*', "\\*"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}

fn in_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

//! The layout of help pages: examples that can be pasted, text wrapped once, global options on their own page, and the
//! commands of `palyra` in groups.

use super::{Cli, Globals};
use clap::{Args, Command, CommandFactory};

/// Order of a help page: the description first, then the usage.
const TEMPLATE: &str = "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Line in every help page that refers to the global options.
const GLOBAL: &str = "Options of every command (--json, --state-root, …): palyra help global";

/// Placeholder for a space at which a line must not be wrapped; [`shown`] replaces it.
const NO_BREAK: char = '\u{a0}';

/// The commands by task. Commands that are not listed appear under `Other`.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Start here", &["up", "status", "run", "tools", "doctor"]),
    ("Talk to an agent", &["chat", "sessions", "models", "console"]),
    ("See what happened", &["runs", "surfaces", "approvals", "journal", "logs"]),
    ("Automate", &["routines", "objectives", "hooks", "channels", "deliveries"]),
    ("Write and publish skills", &["skills", "keys", "trust"]),
    ("Control access", &["plugins", "policy", "runner-policy", "audit-policy", "tokens", "vault"]),
    ("Operate", &["daemon", "init", "mcp", "backup", "restore"]),
];

/// Returns whether the page of the global options is requested.
pub(super) fn asks_for_globals(arguments: &[std::ffi::OsString]) -> bool {
    arguments.iter().skip(1).map(|word| word.to_str()).eq([Some("help"), Some("global")])
}

/// Returns the page with the options that every command takes.
pub(super) fn globals() -> clap::builder::StyledStr {
    let page = Command::new("palyra")
        .max_term_width(100)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .help_template("Options that every command takes\n\n{options}");
    Globals::augment_args(page).render_help()
}

/// Returns the command line with every help page laid out. Parsing does not need the layout.
pub(super) fn laid_out() -> Command {
    let root = Cli::command().mut_args(|argument| {
        let global = argument.is_global_set();
        argument.hide(global)
    });
    let groups = groups(&root);
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    );
    page(root).help_template(template)
}

/// Returns a page as it is printed.
pub(super) fn shown(text: &clap::builder::StyledStr) -> String {
    text.ansi().to_string().replace(NO_BREAK, " ")
}

fn page(command: Command) -> Command {
    let text = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string);
    let (examples, more) = (text(command.get_before_help()), text(command.get_after_help()));
    let more = more.map(|more| paragraphs(&more) + "\n\n").unwrap_or_default();
    let command = match examples {
        Some(examples) => command.before_help(unwrapped(&examples)),
        None => command,
    };
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    let command = verbs.into_iter().fold(command, |command, verb| command.mut_subcommand(verb, page));
    command.after_help(format!("{more}{}", unwrapped(GLOBAL))).help_template(TEMPLATE)
}

fn unwrapped(text: &str) -> String {
    text.replace(' ', &NO_BREAK.to_string())
}

/// Joins lines that are wrapped in the source, so that only the width of the terminal decides; indented lines are kept.
fn paragraphs(text: &str) -> String {
    let mut joined = String::new();
    for line in text.lines() {
        let own = line.is_empty() || line.starts_with(' ') || joined.ends_with('\n');
        match own || joined.is_empty() {
            true if joined.is_empty() || joined.ends_with('\n') => {}
            true => joined.push('\n'),
            false => joined.push(' '),
        }
        match line.starts_with(' ') {
            true => joined.push_str(&(unwrapped(line) + "\n")),
            false if line.is_empty() => joined.push('\n'),
            false => joined.push_str(line),
        }
    }
    joined.trim_end().to_owned()
}

/// Returns the visible commands by group title.
pub(super) fn grouped(root: &Command) -> Vec<(&'static str, Vec<&Command>)> {
    let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let visible = || root.get_subcommands().filter(|command| !command.is_hide_set());
    let find = |name: &&str| visible().find(|command| command.get_name() == *name);
    let mut groups: Vec<(&str, Vec<&Command>)> =
        GROUPS.iter().map(|(title, names)| (*title, names.iter().filter_map(find).collect())).collect();
    let others =
        visible().filter(|command| !listed.contains(&command.get_name()) && command.get_name() != "help");
    groups.push(("Other", others.collect()));
    groups.retain(|(_, commands)| !commands.is_empty());
    groups
}

fn groups(root: &Command) -> String {
    let groups = grouped(root);
    let names = groups.iter().flat_map(|(_, commands)| commands).map(|command| command.get_name().len());
    let width = names.max().unwrap_or_default();
    let mut text = String::new();
    for (title, commands) in groups {
        text.push_str(&format!("{title}:\n"));
        for command in commands {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            text.push_str(&format!("  {:<width$}  {about}\n", command.get_name()));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_joined_and_indented_lines_kept() {
        let kept = format!("{NO_BREAK}{NO_BREAK}x{NO_BREAK}y");
        assert_eq!(paragraphs("one\ntwo\n\nthree\n  x y\nfour\n"), format!("one two\n\nthree\n{kept}\nfour"));
    }

    #[test]
    fn descriptions_fit_their_column() {
        fn check(command: &Command, path: &str) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            assert!((1..=70).contains(&about.chars().count()), "{path}: {about}");
            assert!(!about.ends_with('.'), "{path}: {about}");
            for verb in command.get_subcommands() {
                check(verb, &format!("{path} {}", verb.get_name()));
            }
        }
        check(&Cli::command(), "palyra");
    }
}

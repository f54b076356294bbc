//! `palyra __complete`: candidates for the last word of a command line, one per line, for the scripts of `palyra
//! completions`.
//!
//! Commands and flags come from the definition of the command line, ids from the daemon or the state root. A question
//! that cannot be answered has no candidates: a shell is no place for errors.

use crate::cli::{Cli, Globals};
use crate::client::{self, AnyClient, LATEST};
use clap::{Arg, Args, Command, CommandFactory, Parser};
use palyra_api::ClientError;
use palyra_api::approvals::{ApprovalQuery, ApprovalStatus};
use palyra_api::runs::RunFilter;
use std::process::ExitCode;

/// Maximum number of runs and approvals among the candidates.
const NEWEST: u16 = 50;

/// Print completion candidates for a shell
#[derive(Args)]
pub(crate) struct CompleteArgs {
    /// Words after `palyra`, the last of them unfinished
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

pub(crate) fn run(args: &CompleteArgs) -> ExitCode {
    let mut command = Cli::command();
    command.build();
    let (before, unfinished) = match args.words.split_last() {
        Some((last, before)) => (before, last.as_str()),
        None => (&[][..], ""),
    };
    let mut candidates = match next(&command, before, unfinished) {
        Next::Known(candidates) => candidates,
        Next::Ids(kind) => ids(kind, before).unwrap_or_default(),
    };
    candidates.retain(|candidate| candidate.starts_with(unfinished));
    let text: String = candidates.iter().map(|candidate| format!("{candidate}\n")).collect();
    crate::output::Printer::plain(crate::cli::OutputForm::Human).data(text.as_bytes())
}

/// Candidates for the unfinished word.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Known(Vec<String>),
    Ids(Kind),
}

/// Kinds of ids that can be looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Run,
    Approval,
    Skill,
    Tool,
    Routine,
    Objective,
    Channel,
    Binding,
    Token,
    Secret,
    Key,
}

fn next(root: &Command, before: &[String], unfinished: &str) -> Next {
    let (mut command, mut noun, mut positionals) = (root, "", 0);
    let mut flag: Option<&Arg> = None;
    for word in before {
        if flag.take().is_some() {
            continue;
        }
        if word.starts_with('-') {
            flag = find_flag(command, word).filter(|argument| argument.get_action().takes_values());
        } else if let Some(inner) = command.find_subcommand(word).filter(|_| positionals == 0) {
            if std::ptr::eq(command, root) {
                noun = inner.get_name();
            }
            command = inner;
        } else {
            positionals += 1;
        }
    }
    if let Some(flag) = flag {
        return values(flag, noun, command.get_name());
    }
    if unfinished.starts_with('-') {
        let visible = command.get_arguments().filter(|argument| !argument.is_hide_set());
        return Next::Known(
            visible.filter_map(|flag| flag.get_long()).map(|name| format!("--{name}")).collect(),
        );
    }
    if command.has_subcommands() {
        let visible = command.get_subcommands().filter(|inner| !inner.is_hide_set());
        return Next::Known(visible.map(|inner| inner.get_name().to_owned()).collect());
    }
    // The last positional argument may take several words.
    let known: Vec<&Arg> = command.get_positionals().collect();
    match known
        .get(positionals)
        .or(known.last().filter(|last| last.get_num_args().is_some_and(|n| n.max_values() > 1)))
    {
        Some(positional) => values(positional, noun, command.get_name()),
        None => Next::Known(Vec::new()),
    }
}

/// Finds the flag of a word, unless the word contains the value as well.
fn find_flag<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|argument| {
        argument.get_long().is_some_and(|long| word.strip_prefix("--") == Some(long))
            || argument
                .get_short()
                .is_some_and(|short| word.strip_prefix('-').is_some_and(|flag| flag.chars().eq([short])))
    })
}

fn values(argument: &Arg, noun: &str, verb: &str) -> Next {
    let possible = argument.get_possible_values();
    if !possible.is_empty() {
        return Next::Known(possible.iter().map(|value| value.get_name().to_owned()).collect());
    }
    // A new name cannot be looked up.
    match kind(argument.get_id().as_str(), noun).filter(|_| !["add", "new", "import"].contains(&verb)) {
        Some(kind) => Next::Ids(kind),
        None => Next::Known(Vec::new()),
    }
}

fn kind(argument: &str, noun: &str) -> Option<Kind> {
    Some(match (argument, noun) {
        ("run", _) => Kind::Run,
        ("approval", _) => Kind::Approval,
        ("skill" | "plugin", _) | ("id", "skills" | "plugins") => Kind::Skill,
        ("tool" | "installed_tool", _) => Kind::Tool,
        ("channel", _) => Kind::Channel,
        ("binding" | "hook", _) => Kind::Binding,
        ("objective", _) | ("name", "objectives") => Kind::Objective,
        ("name", "routines") => Kind::Routine,
        ("token" | "name", "tokens") => Kind::Token,
        ("reference", "vault") => Kind::Secret,
        ("name", "keys") => Kind::Key,
        _ => return None,
    })
}

/// Lists ids from the daemon, or from the state root if it is not locked.
fn ids(kind: Kind, before: &[String]) -> Option<Vec<String>> {
    let globals = globals(before)?;
    let asked = client::ask(&globals, "completions", async |client| list(kind, &client).await);
    asked.ok()
}

/// Parses the global options of the unfinished command line.
fn globals(before: &[String]) -> Option<Globals> {
    const PLACES: [&str; 4] = ["--state-root", "--url", "--token-file", "--passphrase-file"];
    let mut words = vec!["palyra".to_owned(), "--no-input".into(), "--lock-wait=0".into()];
    for pair in before.windows(2) {
        if let [flag, value] = pair
            && PLACES.contains(&flag.as_str())
        {
            words.extend([flag.clone(), value.clone()]);
        }
    }
    Cli::try_parse_from(words).ok().map(|cli| cli.globals)
}

async fn list(kind: Kind, client: &AnyClient) -> Result<Vec<String>, ClientError> {
    Ok(match kind {
        Kind::Run => {
            let filter = RunFilter { limit: Some(NEWEST), ..RunFilter::default() };
            let runs = client.runs(&filter).await?.runs.into_iter().map(|run| run.run_id);
            std::iter::once(LATEST.to_owned()).chain(runs).collect()
        }
        Kind::Approval => {
            let pending = Some(ApprovalStatus::Pending);
            let query = ApprovalQuery { status: pending, before: None, limit: Some(NEWEST) };
            let approvals = client.approvals(&query).await?.approvals;
            let ids = approvals.into_iter().map(|approval| approval.approval_id);
            std::iter::once(LATEST.to_owned()).chain(ids).collect()
        }
        Kind::Skill => client.skills().await?.skills.into_iter().map(|skill| skill.record.skill_id).collect(),
        Kind::Tool => client.tools().await?.tools.into_iter().map(|tool| tool.tool_id).collect(),
        Kind::Routine => client.routines().await?.routines.into_iter().map(|routine| routine.name).collect(),
        Kind::Objective => client.objectives().await?.objectives.into_iter().map(|one| one.name).collect(),
        Kind::Channel => client.channels().await?.channels.into_iter().map(|channel| channel.name).collect(),
        Kind::Binding => client.hooks().await?.bindings.into_iter().map(|binding| binding.id).collect(),
        Kind::Token => client.tokens().await?.tokens.into_iter().map(|token| token.name).collect(),
        Kind::Secret => client.secrets().await?.secrets.into_iter().map(|entry| entry.secret).collect(),
        Kind::Key => client.keys().await?.keys.into_iter().map(|key| key.name).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(line: &str) -> Next {
        let mut command = Cli::command();
        command.build();
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let (last, before) = words.split_last().expect("a line has a word");
        next(&command, before, last)
    }

    #[test]
    fn ids_are_offered_where_a_command_takes_them() {
        for (line, kind) in [
            ("runs show ", Kind::Run),
            ("--json runs show ", Kind::Run),
            ("--state-root x runs events --follow ", Kind::Run),
            ("approvals approve ", Kind::Approval),
            ("skills show ", Kind::Skill),
            ("plugins grants ", Kind::Skill),
            ("run ", Kind::Tool),
            ("tools show ", Kind::Tool),
            ("runs list --skill ", Kind::Skill),
            ("routines fire ", Kind::Routine),
            ("channels tail ", Kind::Channel),
            ("hooks test ", Kind::Binding),
            ("vault remove ", Kind::Secret),
        ] {
            assert_eq!(after(line), Next::Ids(kind), "{line}");
        }
        assert_eq!(after("routines add "), Next::Known(Vec::new()));
    }

    #[test]
    fn commands_flags_and_values_are_offered() {
        let known = |line: &str| match after(line) {
            Next::Known(known) => known,
            Next::Ids(kind) => panic!("{kind:?}"),
        };
        assert!(known("").contains(&"skills".into()) && !known("").contains(&"__complete".into()));
        assert!(known("runs ").contains(&"receipt".into()));
        let flags = known("runs list --");
        assert!(flags.contains(&"--since".into()) && flags.contains(&"--json".into()), "{flags:?}");
        assert!(known("runs list --status ").contains(&"failed".into()));
        assert!(known("completions ").contains(&"bash".into()));
    }
}

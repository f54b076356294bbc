//! `palyra completions`.

use crate::cli::{Cli, Globals};
use crate::output::Printer;
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra completions bash > ~/.local/share/bash-completion/completions/palyra
  palyra completions zsh > ~/.zfunc/_palyra
  palyra completions fish > ~/.config/fish/completions/palyra.fish";

const MORE: &str = "\
The scripts for bash, zsh and fish ask `palyra` itself, so they also complete the ids of runs, skills and tools.";

const BASH: &str = r#"_palyra() {
    local IFS=$'\n'
    COMPREPLY=($(palyra __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _palyra palyra
"#;

const ZSH: &str = r#"#compdef palyra
_palyra() {
    local -a candidates
    candidates=("${(@f)$(palyra __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "$candidates" ]]; then compadd -a candidates; else _files; fi
}
if [[ "$funcstack[1]" == _palyra ]]; then _palyra; else compdef _palyra palyra; fi
"#;

const FISH: &str = "\
complete -c palyra -a '(palyra __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
";

/// Print shell completions
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct CompletionsArgs {
    /// Shell to print completions for
    shell: Shell,
}

pub(crate) fn run(args: CompletionsArgs, globals: &Globals) -> ExitCode {
    let text = match args.shell {
        Shell::Bash => BASH.into(),
        Shell::Zsh => ZSH.into(),
        Shell::Fish => FISH.into(),
        other => fixed(other),
    };
    Printer::plain(globals.form()).data(&text)
}

/// Returns a script with commands and flags only, for shells whose scripts cannot call this program.
fn fixed(shell: Shell) -> Vec<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut visible(&Cli::command()), "palyra", &mut text);
    text
}

/// Returns the command without hidden parts, which most shells would complete.
fn visible(command: &Command) -> Command {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    Command::new(command.get_name().to_owned())
        .about(about)
        .args(command.get_arguments().filter(|argument| !argument.is_hide_set()).cloned())
        .subcommands(command.get_subcommands().filter(|inner| !inner.is_hide_set()).map(visible))
}

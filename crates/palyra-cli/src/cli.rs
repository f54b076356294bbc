//! The command line: arguments, help and their parsing.

mod help;
#[cfg(test)]
mod hints;
#[cfg(test)]
mod language;
#[cfg(test)]
mod reference;
mod refusal;

pub(crate) use refusal::Refusal;

use crate::commands::approvals::ApprovalsArgs;
use crate::commands::audit_policy::AuditPolicyArgs;
use crate::commands::backup::BackupArgs;
use crate::commands::channels::ChannelsArgs;
use crate::commands::chat::ChatArgs;
use crate::commands::complete::CompleteArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::console::ConsoleArgs;
use crate::commands::daemon::DaemonArgs;
use crate::commands::deliveries::DeliveriesArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::hooks::HooksArgs;
use crate::commands::init::InitArgs;
use crate::commands::journal::JournalArgs;
use crate::commands::keys::KeysArgs;
use crate::commands::logs::LogsArgs;
use crate::commands::man::ManArgs;
use crate::commands::mcp::McpArgs;
use crate::commands::models::ModelsArgs;
use crate::commands::objectives::ObjectivesArgs;
use crate::commands::plugins::PluginsArgs;
use crate::commands::policy::PolicyArgs;
use crate::commands::restore::RestoreArgs;
use crate::commands::routines::RoutinesArgs;
use crate::commands::run::RunArgs;
use crate::commands::runner_policy::RunnerPolicyArgs;
use crate::commands::runs::RunsArgs;
use crate::commands::sessions::SessionsArgs;
use crate::commands::skills::SkillsArgs;
use crate::commands::status::StatusArgs;
use crate::commands::surfaces::SurfacesArgs;
use crate::commands::tokens::TokensArgs;
use crate::commands::tools::ToolsArgs;
use crate::commands::trust::TrustArgs;
use crate::commands::up::UpArgs;
use crate::commands::vault::VaultArgs;
use crate::output::Display;
use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use palyra_common::env_vars::{
    PALYRA_COLOR, PALYRA_LOCK_WAIT, PALYRA_NO_INPUT, PALYRA_OUTPUT, PALYRA_PASSPHRASE_FILE, PALYRA_QUIET,
    PALYRA_STATE_ROOT, PALYRA_TOKEN_FILE, PALYRA_URL, PALYRA_VERBOSE,
};
use std::ffi::OsString;
use std::path::PathBuf;

/// Run signed skills in a WebAssembly sandbox
#[derive(Parser)]
#[command(name = "palyra", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    /// Without one the start page is shown.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The commands
#[derive(Subcommand)]
pub(crate) enum Command {
    Init(InitArgs),
    Up(Box<UpArgs>),
    Status(StatusArgs),
    Logs(LogsArgs),
    Chat(ChatArgs),
    Sessions(SessionsArgs),
    Run(Box<RunArgs>),
    Skills(Box<SkillsArgs>),
    Tools(ToolsArgs),
    Plugins(PluginsArgs),
    Runs(RunsArgs),
    Surfaces(SurfacesArgs),
    Approvals(ApprovalsArgs),
    Routines(RoutinesArgs),
    Objectives(ObjectivesArgs),
    Models(ModelsArgs),
    Hooks(HooksArgs),
    Channels(ChannelsArgs),
    Deliveries(DeliveriesArgs),
    Tokens(TokensArgs),
    Policy(PolicyArgs),
    Keys(KeysArgs),
    Trust(TrustArgs),
    AuditPolicy(AuditPolicyArgs),
    RunnerPolicy(RunnerPolicyArgs),
    Vault(VaultArgs),
    Journal(JournalArgs),
    Mcp(McpArgs),
    Console(ConsoleArgs),
    Daemon(DaemonArgs),
    Doctor(DoctorArgs),
    Backup(BackupArgs),
    Restore(RestoreArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    /// Print the version
    Version,
    #[command(name = "__complete", hide = true)]
    Complete(CompleteArgs),
}

/// Flags that every command understands.
#[derive(Args, Clone)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    /// Format of results and errors
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    #[arg(env = PALYRA_OUTPUT, hide_env_values = true)]
    output: OutputForm,

    /// Same as `--output json`
    #[arg(long, global = true)]
    json: bool,

    /// When to use colour; `auto` also respects NO_COLOR
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    #[arg(env = PALYRA_COLOR, hide_env_values = true)]
    pub(crate) color: ColorWhen,

    /// Print the result and errors only
    #[arg(short, long, global = true, action = ArgAction::SetTrue, conflicts_with = "verbose")]
    #[arg(env = PALYRA_QUIET, hide_env_values = true, value_parser = FalseyValueParser::new())]
    pub(crate) quiet: bool,

    /// Print more details
    #[arg(short, long, global = true, action = ArgAction::SetTrue)]
    #[arg(env = PALYRA_VERBOSE, hide_env_values = true, value_parser = FalseyValueParser::new())]
    pub(crate) verbose: bool,

    /// Show times in UTC and ISO 8601 instead of relative and local
    #[arg(long, global = true, action = ArgAction::SetTrue)]
    pub(crate) utc: bool,

    /// Never prompt, and reject `-` when standard input is a terminal
    #[arg(long, global = true, action = ArgAction::SetTrue)]
    #[arg(env = PALYRA_NO_INPUT, hide_env_values = true, value_parser = FalseyValueParser::new())]
    pub(crate) no_input: bool,

    /// Answer yes to every confirmation
    #[arg(long, global = true)]
    pub(crate) yes: bool,

    /// State root directory [default: ~/.palyra]
    #[arg(long, global = true, value_name = "DIR")]
    #[arg(env = PALYRA_STATE_ROOT, hide_env_values = true)]
    pub(crate) state_root: Option<PathBuf>,

    /// Seconds to wait while another process uses the state root
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 10)]
    #[arg(env = PALYRA_LOCK_WAIT, hide_env_values = true)]
    pub(crate) lock_wait: u64,

    /// File with the passphrase of the device key
    #[arg(long, global = true, value_name = "FILE")]
    #[arg(env = PALYRA_PASSPHRASE_FILE, hide_env_values = true)]
    pub(crate) passphrase_file: Option<PathBuf>,

    /// URL of the daemon, `https` or loopback [default: the daemon of the state root]
    #[arg(long, global = true, value_name = "URL")]
    #[arg(env = PALYRA_URL, hide_env_values = true)]
    pub(crate) url: Option<String>,

    /// File with the access token [default: the owner token of the state root]
    #[arg(long, global = true, value_name = "FILE")]
    #[arg(env = PALYRA_TOKEN_FILE, hide_env_values = true)]
    pub(crate) token_file: Option<PathBuf>,
}

impl Globals {
    /// Returns the output format from `--json` or `--output`.
    pub(crate) fn form(&self) -> OutputForm {
        if self.json { OutputForm::Json } else { self.output }
    }
}

/// Format of results and errors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputForm {
    #[default]
    Human,
    // One object.
    Json,
    // Objects, one a line.
    Ndjson,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    // On a terminal.
    #[default]
    Auto,
    // Also into files and pipes.
    Always,
    Never,
}

impl ColorWhen {
    /// Applies the choice to this process.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// Parses a command line; a refusal can print itself in the requested output format.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Cli, Refusal> {
    if help::asks_for_globals(arguments) {
        return Err(Refusal::page(help::globals(), arguments));
    }
    let cli = Cli::try_parse_from(arguments)
        .map_err(|error| Refusal::new(laid_out(error, arguments), arguments))?;
    cli.globals.color.apply();
    Display::apply(cli.globals.utc);
    Ok(cli)
}

/// Renders help errors again with laid-out pages, so that other commands do not pay for the layout.
fn laid_out(error: clap::Error, arguments: &[OsString]) -> clap::Error {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
    match error.kind() {
        DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand => {
            help::laid_out().try_get_matches_from(arguments).err().unwrap_or(error)
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use palyra_common::env_vars;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Global options with a variable. Flags that widen permissions, such as `--yes`, never have one.
    const GLOBAL: [&str; 10] = [
        "--output",
        "--color",
        "--quiet",
        "--verbose",
        "--no-input",
        "--state-root",
        "--lock-wait",
        "--passphrase-file",
        "--url",
        "--token-file",
    ];

    /// Flags of every command that starts a daemon, including `palyrad`.
    const SERVE: [&str; 10] = [
        "--profile",
        "--listen",
        "--grpc-listen",
        "--tls-cert",
        "--tls-key",
        "--idle-exit",
        "--log",
        "--log-json",
        "--log-file",
        "--otlp-endpoint",
    ];

    /// Returns every flag as `COMMAND --FLAG` with its environment variable.
    fn flags() -> Vec<(String, Option<String>)> {
        fn collect(command: &clap::Command, path: &str, found: &mut Vec<(String, Option<String>)>) {
            for argument in command.get_arguments().filter(|argument| !argument.is_positional()) {
                let name = argument.get_long().unwrap_or_default();
                let variable = argument.get_env().map(|name| name.to_string_lossy().into_owned());
                found.push((format!("{path}--{name}"), variable));
            }
            for inner in command.get_subcommands() {
                collect(inner, &format!("{path}{} ", inner.get_name()), found);
            }
        }
        let mut found = Vec::new();
        collect(&Cli::command(), "", &mut found);
        found
    }

    /// Returns the variable that a flag must have: global options and those of the daemon have one, other flags do not.
    fn expected(flag: &str) -> Option<String> {
        let name = &flag[flag.find("--").unwrap_or(0)..];
        let starts_daemon = ["up ", "daemon run ", "doctor "].iter().any(|command| flag.starts_with(command));
        let named = if GLOBAL.contains(&flag) || (starts_daemon && SERVE.contains(&name)) {
            name
        } else if flag == "up --no-examples" {
            flag
        } else {
            return None;
        };
        let words = named.replace(" --", " ").replace(['-', ' '], "_").to_uppercase();
        Some(format!("PALYRA_{}", words.trim_start_matches('_')))
    }

    #[test]
    fn only_global_options_and_daemon_start_have_variables() {
        let flags = flags();
        for (flag, variable) in &flags {
            assert_eq!(*variable, expected(flag), "{flag}");
        }
        for name in GLOBAL.iter().chain(&SERVE) {
            assert!(flags.iter().any(|(flag, _)| flag.ends_with(name)), "{name} is no flag");
        }
    }

    #[test]
    fn every_variable_is_listed_once() {
        for (flag, variable) in flags() {
            let Some(variable) = variable else { continue };
            let listed = env_vars::ALL.iter().filter(|(known, _)| *known == variable).count();
            assert_eq!(listed, 1, "{flag} {variable}");
        }
    }
}

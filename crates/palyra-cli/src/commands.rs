//! One file per command; this one only dispatches.

pub(crate) mod approvals;
pub(crate) mod audit_policy;
pub(crate) mod backup;
pub(crate) mod channels;
pub(crate) mod chat;
pub(crate) mod complete;
pub(crate) mod completions;
pub(crate) mod console;
pub(crate) mod daemon;
pub(crate) mod deliveries;
pub(crate) mod doctor;
pub(crate) mod hooks;
pub(crate) mod init;
pub(crate) mod journal;
pub(crate) mod keys;
pub(crate) mod logs;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod models;
pub(crate) mod objectives;
pub(crate) mod plugins;
pub(crate) mod policy;
pub(crate) mod restore;
pub(crate) mod routines;
pub(crate) mod run;
pub(crate) mod runner_policy;
pub(crate) mod runs;
pub(crate) mod sessions;
pub(crate) mod skills;
pub(crate) mod start_page;
pub(crate) mod status;
pub(crate) mod surfaces;
pub(crate) mod tokens;
pub(crate) mod tools;
pub(crate) mod trust;
pub(crate) mod up;
pub(crate) mod vault;
pub(crate) mod version;

use crate::cli::{Cli, Command};
use std::process::ExitCode;

/// Executes the parsed command.
pub(crate) fn dispatch(cli: Cli) -> ExitCode {
    let globals = &cli.globals;
    let Some(command) = cli.command else { return start_page::run(globals) };
    match command {
        Command::Init(args) => init::run(&args, globals),
        Command::Up(args) => up::run(&args, globals),
        Command::Status(args) => status::run(&args, globals),
        Command::Logs(args) => logs::run(&args, globals),
        Command::Chat(args) => chat::run(&args, globals),
        Command::Sessions(args) => sessions::run(&args, globals),
        Command::Run(args) => run::run(&args, globals),
        Command::Skills(args) => skills::run(&args, globals),
        Command::Tools(args) => tools::run(&args, globals),
        Command::Plugins(args) => plugins::run(&args, globals),
        Command::Runs(args) => runs::run(&args, globals),
        Command::Surfaces(args) => surfaces::run(&args, globals),
        Command::Approvals(args) => approvals::run(&args, globals),
        Command::Routines(args) => routines::run(&args, globals),
        Command::Objectives(args) => objectives::run(&args, globals),
        Command::Hooks(args) => hooks::run(&args, globals),
        Command::Models(args) => models::run(&args, globals),
        Command::Channels(args) => channels::run(&args, globals),
        Command::Deliveries(args) => deliveries::run(&args, globals),
        Command::Tokens(args) => tokens::run(&args, globals),
        Command::Policy(args) => policy::run(&args, globals),
        Command::Keys(args) => keys::run(&args, globals),
        Command::Trust(args) => trust::run(&args, globals),
        Command::AuditPolicy(args) => audit_policy::run(&args, globals),
        Command::RunnerPolicy(args) => runner_policy::run(&args, globals),
        Command::Vault(args) => vault::run(&args, globals),
        Command::Journal(args) => journal::run(&args, globals),
        Command::Mcp(args) => mcp::run(&args, globals),
        Command::Console(args) => console::run(&args, globals),
        Command::Daemon(args) => daemon::run(&args, globals),
        Command::Doctor(args) => doctor::run(&args, globals),
        Command::Backup(args) => backup::run(&args, globals),
        Command::Restore(args) => restore::run(&args, globals),
        Command::Completions(args) => completions::run(args, globals),
        Command::Man(args) => man::run(&args, globals),
        Command::Complete(args) => complete::run(&args),
        Command::Version => version::run(globals),
    }
}

//! `palyra skills`: builds and signs packages, and manages installed skills.
//!
//! `new`, `build`, `test` and `dev` work on a skill in source form, the `package` commands on files, and all others on
//! the skills of this state root.

mod audit;
mod build;
mod changed;
mod checked;
mod consent;
mod dev;
mod disable;
mod enable;
mod info;
mod install;
mod installing;
mod list;
mod new;
mod package;
mod package_file;
mod quarantine;
mod remove;
mod rollback;
mod source;
mod test;
mod update;
mod verify;

use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Printer, Reply};
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra skills new notes --lang js
  palyra skills dev notes
  palyra skills package build ./notes --out notes.palyra-skill --signing-key-vault-ref release
  palyra skills install notes.palyra-skill --allow-tofu
  palyra run acme.notes.add text='buy milk'";

/// Write, package, install and manage skills
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct SkillsArgs {
    #[command(subcommand)]
    command: SkillsCommand,
}

#[derive(Subcommand)]
enum SkillsCommand {
    #[command(alias = "init")]
    New(new::NewArgs),
    Build(build::BuildArgs),
    Test(test::TestArgs),
    Dev(dev::DevArgs),
    Package(package::PackageArgs),
    Install(install::InstallArgs),
    Update(update::UpdateArgs),
    List(list::ListArgs),
    #[command(name = "show", alias = "info")]
    Info(info::InfoArgs),
    Verify(verify::VerifyArgs),
    Audit(audit::AuditArgs),
    Quarantine(quarantine::QuarantineArgs),
    Enable(enable::EnableArgs),
    Disable(disable::DisableArgs),
    Consent(consent::ConsentArgs),
    Rollback(rollback::RollbackArgs),
    Remove(remove::RemoveArgs),
}

pub(crate) fn run(args: &SkillsArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.command {
        SkillsCommand::New(args) => show(&printer, new::run(args)),
        SkillsCommand::Build(args) => show(&printer, build::run(args, &printer)),
        SkillsCommand::Test(args) => show(&printer, test::run(args, globals, &printer)),
        SkillsCommand::Dev(args) => dev::run(args, globals, &printer),
        SkillsCommand::Package(args) => package::run(args, globals, &printer),
        SkillsCommand::Install(args) => show(&printer, install::run(args, globals, &printer)),
        SkillsCommand::Update(args) => show(&printer, update::run(args, globals, &printer)),
        SkillsCommand::List(args) => show(&printer, list::run(args, globals)),
        SkillsCommand::Info(args) => show(&printer, info::run(args, globals)),
        SkillsCommand::Verify(args) => show(&printer, verify::run(args, globals)),
        SkillsCommand::Audit(args) => show(&printer, audit::run(args, globals)),
        SkillsCommand::Quarantine(args) => show(&printer, quarantine::run(args, globals)),
        SkillsCommand::Enable(args) => show(&printer, enable::run(args, globals, &printer)),
        SkillsCommand::Disable(args) => show(&printer, disable::run(args, globals)),
        SkillsCommand::Consent(args) => show(&printer, consent::run(args, globals, &printer)),
        SkillsCommand::Rollback(args) => show(&printer, rollback::run(args, globals, &printer)),
        SkillsCommand::Remove(args) => show(&printer, remove::run(args, globals)),
    }
}

/// A reply that decides the exit code: a skill can be stored without being runnable.
trait Judged: Reply {
    /// Returns 0 if the skill can run.
    fn exit_code(&self) -> u8 {
        0
    }
}

fn show<R: Judged>(printer: &Printer, outcome: Result<R, CliError>) -> ExitCode {
    let judged = outcome.as_ref().map_or(0, Judged::exit_code);
    let written = printer.finish(outcome);
    // An error of the output takes precedence.
    if written == ExitCode::SUCCESS { ExitCode::from(judged) } else { written }
}

//! `palyra audit-policy`: the settings of audits on this machine.

mod advisories;
mod again;
mod reset;
mod set;
mod show;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra audit-policy show > policy.toml
  palyra audit-policy set policy.toml
  palyra audit-policy advisories advisories.json";

/// Show or change the rules of skill audits
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct AuditPolicyArgs {
    #[command(subcommand)]
    verb: AuditPolicyVerb,
}

#[derive(Subcommand)]
enum AuditPolicyVerb {
    Show(show::ShowArgs),
    Set(set::SetArgs),
    Reset(reset::ResetArgs),
    Advisories(advisories::AdvisoriesArgs),
}

pub(crate) fn run(args: &AuditPolicyArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        AuditPolicyVerb::Show(_) => printer.finish(show::execute(globals)),
        AuditPolicyVerb::Set(args) => printer.finish(set::execute(args, globals)),
        AuditPolicyVerb::Reset(_) => printer.finish(reset::execute(globals)),
        AuditPolicyVerb::Advisories(args) => printer.finish(advisories::execute(args, globals)),
    }
}

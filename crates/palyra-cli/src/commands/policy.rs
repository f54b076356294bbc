//! `palyra policy`: the access policy.

mod check;
mod reset;
mod set;
mod show;

use crate::cli::Globals;
use crate::output::{Printer, table};
use clap::{Args, Subcommand};
use palyra_api::policy::{PolicyEffect, PolicyRule};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra policy show > policy.cedar
  palyra policy set policy.cedar
  palyra policy check invoke --on tool:acme.notes.add --as token/ci";

/// Show, change and test the access policy
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    verb: PolicyVerb,
}

#[derive(Subcommand)]
enum PolicyVerb {
    Show(show::ShowArgs),
    Set(set::SetArgs),
    Reset(reset::ResetArgs),
    Check(check::CheckArgs),
}

pub(crate) fn run(args: &PolicyArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        PolicyVerb::Show(_) => printer.finish(show::execute(globals)),
        PolicyVerb::Set(args) => printer.finish(set::execute(args, globals)),
        PolicyVerb::Reset(_) => printer.finish(reset::execute(globals)),
        PolicyVerb::Check(args) => {
            let checked = check::execute(args, globals);
            let judged = checked.as_ref().map_or(0, check::Answered::exit_code);
            let written = printer.finish(checked);
            if written == ExitCode::SUCCESS { ExitCode::from(judged) } else { written }
        }
    }
}

/// Formats rules as a table; `permits` is the word for a permitting rule.
fn rules(rules: &[PolicyRule], permits: &str) -> String {
    let row = |rule: &PolicyRule| {
        let effect = match rule.effect {
            PolicyEffect::Permit => permits,
            PolicyEffect::Forbid => "forbids",
        };
        [rule.line.to_string(), effect.to_owned(), rule.id.clone(), rule.advice.clone()]
    };
    table(["line", "effect", "rule", "advice"], &rules.iter().map(row).collect::<Vec<_>>())
}

//! `palyra plugins profile`: the upper bound of a skill's grants, and the directories of its file roots.

mod remove;
mod set;
mod show;

use crate::cli::Globals;
use crate::output::{Printer, facts};
use clap::{Args, Subcommand};
use palyra_api::plugins::Profile;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra plugins profile show acme.notes
  palyra plugins profile set acme.notes --grant fs-read:notes=/srv/notes";

/// Manage the capability profile of a skill
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(super) struct ProfileArgs {
    #[command(subcommand)]
    verb: ProfileVerb,
}

#[derive(Subcommand)]
enum ProfileVerb {
    Show(show::ShowArgs),
    Set(set::SetArgs),
    Remove(remove::RemoveArgs),
}

pub(super) fn run(args: &ProfileArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    match &args.verb {
        ProfileVerb::Show(args) => printer.finish(show::execute(args, globals)),
        ProfileVerb::Set(args) => printer.finish(set::execute(args, globals)),
        ProfileVerb::Remove(args) => printer.finish(remove::execute(args, globals)),
    }
}

/// Formats a profile.
pub(super) fn shown(profile: &Profile) -> String {
    let at_most = match profile.grants.as_deref() {
        None => "everything it requests and you consented to".to_owned(),
        Some([]) => "nothing".to_owned(),
        Some(grants) => grants.join("; "),
    };
    let pairs = |pairs: Vec<(String, String)>| {
        pairs.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    };
    facts(&[
        ("plugin", profile.skill_id.clone()),
        ("revision", if profile.revision == 0 { "none".into() } else { profile.revision.to_string() }),
        ("at most", at_most),
        ("directories", pairs(profile.directories.clone().into_iter().collect())),
        ("addresses", profile.allow_addresses.join("; ")),
        (
            "limits",
            pairs(profile.limits.iter().map(|(name, most)| (name.clone(), most.to_string())).collect()),
        ),
    ])
}

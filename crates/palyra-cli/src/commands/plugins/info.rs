//! `palyra plugins show`.

use super::{config, profile};
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts, shapes, skills, table};
use clap::Args;
use palyra_api::plugins::{DeclaredDoor, PluginInfo};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra plugins show acme.notes";

/// Compare what a skill declares with what it used
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct InfoArgs {
    /// Skill id
    skill: String,
}

#[derive(Serialize)]
pub(super) struct Shown(PluginInfo);

pub(super) fn execute(args: &InfoArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "plugins info", async |client| client.plugin(&args.skill).await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.plugins.info/v1";

    fn data(&self) -> String {
        let Self(info) = self;
        let head = facts(&[
            ("plugin", info.summary.skill_id.clone()),
            ("version", info.summary.version.clone()),
            ("status", shapes::status(info.summary.status).to_owned()),
        ]);
        let mut text =
            format!("{head}\nDeclared and used\n{}", skills::indented(&capability_table(&info.declared)));
        if !info.undeclared.is_empty() {
            let rows: Vec<_> = info
                .undeclared
                .iter()
                .map(|entry| [entry.capability.clone(), entry.denied.to_string(), entry.last_run.clone()])
                .collect();
            let tried = table(["capability", "denied", "last run"], &rows);
            text.push_str(&format!("\nAttempted without declaring it\n{}", skills::indented(&tried)));
        }
        if let Some(set) = &info.profile_set {
            text.push_str(&format!("\nProfile\n{}", skills::indented(&profile::shown(set))));
        }
        if !info.config.fields.is_empty() {
            text.push_str(&format!("\nSettings\n{}", skills::indented(&config::shown(&info.config))));
        }
        text
    }

    fn talk(&self) -> Vec<Remark> {
        let id = &self.0.summary.skill_id;
        vec![Remark::Next(format!("palyra plugins grants {id}"))]
    }
}

fn capability_table(declared: &[DeclaredDoor]) -> String {
    if declared.is_empty() {
        return "none\n".to_owned();
    }
    let row = |entry: &DeclaredDoor| {
        let last = entry.last_run.clone().unwrap_or_else(|| "never".into());
        [entry.capability.clone(), entry.used.to_string(), entry.denied.to_string(), last]
    };
    let rows: Vec<_> = declared.iter().map(row).collect();
    table(["capability", "used", "denied", "last run"], &rows)
}

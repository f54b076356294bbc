//! `palyra plugins config`: settings that the manifest of a skill declares for the operator.

mod remove;
mod set;
mod show;

use crate::cli::Globals;
use crate::output::{Printer, table};
use clap::{Args, Subcommand};
use palyra_api::plugins::{Config, ConfigField, ConfigSource};
use serde_json::Value;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra plugins config show acme.weather
  palyra plugins config set acme.weather city=Oslo";

/// Manage the operator settings of a skill
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    verb: ConfigVerb,
}

#[derive(Subcommand)]
enum ConfigVerb {
    Show(show::ShowArgs),
    Set(set::SetArgs),
    Remove(remove::RemoveArgs),
}

pub(super) fn run(args: &ConfigArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    match &args.verb {
        ConfigVerb::Show(args) => printer.finish(show::execute(args, globals)),
        ConfigVerb::Set(args) => printer.finish(set::execute(args, globals)),
        ConfigVerb::Remove(args) => printer.finish(remove::execute(args, globals)),
    }
}

pub(super) fn shown(config: &Config) -> String {
    if config.fields.is_empty() {
        return "no settings\n".to_owned();
    }
    let rows: Vec<_> = config.fields.iter().map(row).collect();
    table(["setting", "type", "value", "from", "description"], &rows)
}

fn row(field: &ConfigField) -> [String; 5] {
    let value = match &field.value {
        _ if field.redacted && field.source == ConfigSource::Operator => "****".to_owned(),
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let source = match (field.source, field.required) {
        (ConfigSource::Operator, _) => "you",
        (ConfigSource::Default, _) => "the manifest",
        (ConfigSource::Missing, true) => "missing",
        (ConfigSource::Missing, false) => "",
    };
    let kind = format!("{:?}", field.kind).to_lowercase();
    [field.name.clone(), kind, value, source.to_owned(), field.description.clone().unwrap_or_default()]
}

//! `palyra plugins config set`.

use super::shown;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use clap::Args;
use palyra_api::plugins::{Config, ConfigChange, ConfigFieldKind};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

const EXAMPLE: &str = "\
Example:
  palyra plugins config set acme.weather city=Oslo days=3
  palyra plugins config set acme.weather --unset city";

/// Set or unset values; a `secret` setting takes the secret's name
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct SetArgs {
    /// Skill id
    skill: String,

    /// Setting and its value (repeatable)
    #[arg(value_name = "NAME=VALUE", required_unless_present = "unset", value_parser = assignment)]
    values: Vec<(String, String)>,

    /// Remove the value of this setting (repeatable)
    #[arg(long, value_name = "NAME")]
    unset: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct Changed(Config);

pub(super) fn execute(args: &SetArgs, globals: &Globals) -> Result<Changed, CliError> {
    let changed = client::ask(globals, "plugins config set", async |client| {
        let known = client.config(&args.skill).await?;
        let change = ConfigChange { values: values(args, &known) };
        client.set_config(&args.skill, &change).await
    });
    changed.map(Changed)
}

/// Converts each value to the type of its setting. A value that does not fit is sent as text, so that the daemon
/// rejects it with a reason.
fn values(args: &SetArgs, known: &Config) -> BTreeMap<String, Value> {
    let kind = |name: &str| known.fields.iter().find(|field| field.name == name).map(|field| field.kind);
    let set = args.values.iter().map(|(name, text)| (name.clone(), value(kind(name), text)));
    set.chain(args.unset.iter().map(|name| (name.clone(), Value::Null))).collect()
}

fn value(kind: Option<ConfigFieldKind>, text: &str) -> Value {
    let text_value = || Value::String(text.to_owned());
    match kind {
        Some(ConfigFieldKind::Integer | ConfigFieldKind::Number | ConfigFieldKind::Boolean) => {
            let read = serde_json::from_str::<Value>(text).ok();
            read.filter(|value| value.is_number() || value.is_boolean()).unwrap_or_else(text_value)
        }
        Some(ConfigFieldKind::String | ConfigFieldKind::Secret) | None => text_value(),
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it like `city=Oslo`")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl Reply for Changed {
    const SCHEMA: &'static str = "palyra.plugins.config.set/v1";

    fn data(&self) -> String {
        shown(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_read_as_their_setting_takes_them() {
        let check = |kind, text, expected: Value| assert_eq!(value(Some(kind), text), expected, "{text}");
        check(ConfigFieldKind::String, "3", json!("3"));
        check(ConfigFieldKind::Integer, "3", json!(3));
        check(ConfigFieldKind::Number, "3.5", json!(3.5));
        check(ConfigFieldKind::Boolean, "true", json!(true));
        check(ConfigFieldKind::Boolean, "yes", json!("yes"));
        check(ConfigFieldKind::Integer, "null", json!("null"));
        check(ConfigFieldKind::Secret, "global/token", json!("global/token"));
    }
}

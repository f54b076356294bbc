//! Settings an operator may fill in.

use serde_json::Value;

use super::{Checked, bounded, require, steps};
use crate::manifest::error::ManifestProblem;
use crate::manifest::model::{ConfigField, ConfigFieldKind, Operator};
use crate::manifest::names::is_word;

const MAX_FIELDS: usize = 64;
const MAX_DEFAULT_BYTES: usize = 4_096;

pub(super) fn check_operator(operator: &Operator) -> Checked {
    let count = operator.config.len();
    require(
        count <= MAX_FIELDS,
        || steps!["operator", "config"],
        || ManifestProblem::value(format!("{count} settings"), format!("at most {MAX_FIELDS}")),
    )?;
    for (name, field) in &operator.config {
        require(
            name.len() <= 64 && is_word(name, "_"),
            || steps!["operator", "config", name.as_str()],
            || ManifestProblem::text(name, "the name of a setting such as `page_size`"),
        )?;
        check_field(name, field)?;
    }
    Ok(())
}

fn check_field(name: &str, field: &ConfigField) -> Checked {
    if let Some(description) = &field.description {
        bounded(description, 1_024, || steps!["operator", "config", name, "description"])?;
    }
    let Some(default) = &field.default else { return Ok(()) };
    let at = || steps!["operator", "config", name, "default"];
    require(field.kind != ConfigFieldKind::Secret, at, || {
        ManifestProblem::value("a default for a secret", "no default")
            .with_fix("the operator names a secret of the vault; a manifest never contains one")
    })?;
    require(!field.required, at, || {
        ManifestProblem::value("a default for a required setting", "either `default` or `required = true`")
    })?;
    let (fits, expected) = match field.kind {
        ConfigFieldKind::String => (default.is_string(), "text"),
        ConfigFieldKind::Integer => (default.is_i64() || default.is_u64(), "a whole number"),
        ConfigFieldKind::Number => (default.is_number(), "a number"),
        ConfigFieldKind::Boolean => (default.is_boolean(), "`true` or `false`"),
        ConfigFieldKind::Secret => (false, "no default"),
    };
    require(fits, at, || ManifestProblem::value(describe(default), expected))?;
    require(default.as_str().is_none_or(|text| text.len() <= MAX_DEFAULT_BYTES), at, || {
        ManifestProblem::value("a long text", format!("at most {MAX_DEFAULT_BYTES} bytes"))
    })
}

fn describe(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the text `{}`", crate::manifest::error::clip(text)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "a table".to_owned(),
        other => format!("`{other}`"),
    }
}

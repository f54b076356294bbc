//! Rejects invisible characters in a manifest, both in the file and behind escapes.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{ManifestError, ManifestProblem};
use crate::audit::unicode::check_text;

/// Checks the characters of the file, including its comments.
pub(super) fn check_source(text: &str) -> Result<(), ManifestError> {
    check_text(text).map_err(|problem| {
        let span = problem.byte..problem.byte + problem.character.len_utf8();
        ManifestError::new(text, span, String::new(), ManifestProblem::Unicode(problem))
    })
}

/// Checks every key and string after unescaping, which also covers `\u202E` and similar.
pub(super) fn check_strings(text: &str, tree: &Spanned<DeTable<'_>>) -> Result<(), ManifestError> {
    check_table(tree.get_ref()).map_err(|(span, problem)| {
        ManifestError::new(text, span, String::new(), ManifestProblem::Unicode(problem))
    })
}

type Found = (std::ops::Range<usize>, crate::audit::unicode::UnicodeProblem);

fn check_table(table: &DeTable<'_>) -> Result<(), Found> {
    for (key, value) in table {
        check_text(key.get_ref()).map_err(|problem| (key.span(), problem))?;
        check_value(value)?;
    }
    Ok(())
}

fn check_value(value: &Spanned<DeValue<'_>>) -> Result<(), Found> {
    match value.get_ref() {
        DeValue::String(text) => check_text(text).map_err(|problem| (value.span(), problem)),
        DeValue::Array(items) => items.iter().try_for_each(check_value),
        DeValue::Table(table) => check_table(table),
        _ => Ok(()),
    }
}

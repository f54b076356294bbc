//! Finds the bytes of a value in the text by its path.

use std::fmt::Write as _;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One step of a path, from a table or array to a value in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// A key of a table.
    Key(String),
    /// An element of an array.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// Returns the span of the value at a path, or of the nearest enclosing value that exists.
pub(super) fn locate(root: &Spanned<DeTable<'_>>, path: &[Step]) -> Range<usize> {
    let Some((Step::Key(first), rest)) = path.split_first() else { return root.span() };
    let Some(mut value) = entry(root.get_ref(), first) else { return root.span() };
    for step in rest {
        let next = match (step, value.get_ref()) {
            (Step::Key(key), DeValue::Table(table)) => entry(table, key),
            (Step::Index(index), DeValue::Array(items)) => items.get(*index),
            _ => None,
        };
        match next {
            Some(next) => value = next,
            None => break,
        }
    }
    value.span()
}

/// Formats a path as `entrypoints.tools[0].id`.
pub(super) fn show_path(path: &[Step]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            Step::Key(key) => {
                let dot = if out.is_empty() { "" } else { "." };
                let _ = write!(out, "{dot}{}", super::error::clip(key));
            }
            Step::Index(index) => {
                let _ = write!(out, "[{index}]");
            }
        }
    }
    out
}

fn entry<'t>(table: &'t DeTable<'_>, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
    table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value)
}

//! `palyra.text_tools.sort_lines`: lines in order.

use crate::Changed;
use palyra_plugins_sdk::prelude::*;
use std::cmp::Ordering;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SortInput {
    /// The lines.
    text: String,
    /// Whether the largest comes first.
    #[serde(default)]
    descending: bool,
    /// Whether lines are compared by the number they begin with.
    #[serde(default)]
    numeric: bool,
    /// Whether large and small letters count as the same.
    #[serde(default)]
    ignore_case: bool,
    /// Whether lines that compare as the same are kept once.
    #[serde(default)]
    unique: bool,
}

#[tool(
    id = "palyra.text_tools.sort_lines",
    description = "Sorts the lines of a text alphabetically or by number, in either direction, and can drop duplicate lines"
)]
pub(crate) fn sort_lines(input: SortInput) -> Changed {
    let mut lines: Vec<&str> = input.text.lines().collect();
    let compare = |one: &&str, other: &&str| compare(&input, one, other);
    // The order of equal lines stays, so that the first of them is the one that is kept.
    lines.sort_by(|one, other| if input.descending { compare(other, one) } else { compare(one, other) });
    if input.unique {
        lines.dedup_by(|one, other| compare(one, other) == Ordering::Equal);
    }
    let end = if input.text.ends_with('\n') { "\n" } else { "" };
    Changed { text: lines.join("\n") + end }
}

fn compare(input: &SortInput, one: &str, other: &str) -> Ordering {
    let by_number = match input.numeric {
        true => number(one).total_cmp(&number(other)),
        false => Ordering::Equal,
    };
    by_number.then_with(|| match input.ignore_case {
        true => one.to_lowercase().cmp(&other.to_lowercase()),
        false => one.cmp(other),
    })
}

/// The number a line begins with; lines without one come first.
fn number(line: &str) -> f64 {
    let line = line.trim_start();
    let end =
        line.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))).unwrap_or(line.len());
    line.get(..end).and_then(|digits| digits.parse().ok()).unwrap_or(f64::NEG_INFINITY)
}

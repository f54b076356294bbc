//! Ranks tools by how well the values of a sentence fit their arguments, after its words chose them.

use std::collections::HashMap;

use jiff::Zoned;
use serde_json::Value;

use crate::index::{Ranked, sort};
use crate::prefill::{Prefilled, Reading};

/// Maximum number of tools whose arguments are filled in.
pub const MAX_FITTED: usize = 20;
/// The share of its score that a tool loses if a required argument is not in the sentence.
const MISSING_PENALTY: f64 = 0.15;
/// The share of its score that a tool loses if none of the sentence's numbers is an argument.
const NUMBERS_PENALTY: f64 = 0.2;

/// Fills in the arguments of the first [`MAX_FITTED`] tools and ranks those higher that use more of the sentence.
///
/// `ranked` comes from [`rank`](crate::rank); `schema` returns the input schema of a tool by its position.
#[must_use]
pub fn fit<'s>(
    mut ranked: Vec<Ranked>,
    text: &str,
    now: &Zoned,
    schema: impl Fn(usize) -> &'s Value,
) -> Vec<(Ranked, Prefilled)> {
    ranked.truncate(MAX_FITTED);
    let reading = Reading::new(text, now);
    let mut filled = HashMap::new();
    for one in &mut ranked {
        let (prefilled, numbers) = reading.fill(schema(one.tool));
        if !prefilled.missing.is_empty() {
            one.score *= 1.0 - MISSING_PENALTY;
        }
        one.score *= 1.0 - NUMBERS_PENALTY * (1.0 - numbers);
        filled.insert(one.tool, prefilled);
    }
    sort(&mut ranked);
    ranked.into_iter().map(|one| (one, filled.remove(&one.tool).unwrap_or_default())).collect()
}

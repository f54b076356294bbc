//! Choices of a schema, and yes-or-no arguments, found in a sentence.

use serde_json::Value;

use super::sentence::Sentence;
use super::slot::Slot;
use crate::words::{stem, terms};

/// A choice that a sentence names.
pub(super) struct Chosen {
    /// The index of the choice.
    pub(super) choice: usize,
    pub(super) from: usize,
    to: usize,
    /// Number of its terms in the sentence.
    terms: usize,
}

/// Returns the choices a sentence names, those with most words first.
pub(super) fn named<'c>(sentence: &Sentence<'_>, choices: impl Iterator<Item = &'c str>) -> Vec<Chosen> {
    let mut named: Vec<Chosen> = choices
        .enumerate()
        .filter_map(|(choice, text)| {
            let wanted: Vec<String> = whole_terms(text);
            let (from, to) = run_of(sentence, &wanted)?;
            Some(Chosen { choice, from, to, terms: wanted.len() })
        })
        .collect();
    named.sort_by(|a, b| b.terms.cmp(&a.terms).then(a.from.cmp(&b.from)));
    named
}

impl Chosen {
    /// Returns the words of the sentence that name the choice.
    pub(super) fn text<'t>(&self, sentence: &Sentence<'t>) -> Option<&'t str> {
        Some(sentence.span(self.from, self.to)).filter(|text| !text.is_empty())
    }
}

/// Returns the terms of a choice. Stop words are kept if there is nothing else, as in `on`.
fn whole_terms(text: &str) -> Vec<String> {
    let found: Vec<String> = terms(text).collect();
    if !found.is_empty() {
        return found;
    }
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 1)
        .map(|word| stem(&word.to_lowercase()))
        .collect()
}

/// Returns the position where the terms are adjacent, in any case and with any ending.
fn run_of(sentence: &Sentence<'_>, wanted: &[String]) -> Option<(usize, usize)> {
    let first = wanted.first()?;
    (0..sentence.tokens.len()).filter(|at| sentence.tokens[*at].stem == *first).find_map(|at| {
        let mut next = at;
        let all = wanted.iter().all(|term| {
            while sentence
                .token(next)
                .is_some_and(|token| token.stem != *term && (token.is_stop_word() || token.text == "-"))
            {
                next += 1;
            }
            let same = sentence.token(next).is_some_and(|token| token.stem == *term);
            next += 1;
            same
        });
        all.then_some((at, next))
    })
}

/// Returns the value of a boolean argument that a sentence states.
pub(super) fn yes_or_no(slot: &Slot, sentence: &Sentence<'_>) -> Option<bool> {
    const GENERIC: [&str; 14] = [
        "includ", "enabl", "disabl", "show", "flag", "option", "return", "add", "allow", "on", "off", "mode",
        "requir", "onli",
    ];
    let wanted: Vec<&String> =
        slot.name_terms.iter().filter(|term| !GENERIC.contains(&term.as_str())).collect();
    if wanted.is_empty() {
        return None;
    }
    let places: Vec<usize> = wanted
        .iter()
        .filter_map(|term| sentence.tokens.iter().position(|token| token.stem == **term))
        .collect();
    if places.len() < wanted.len() {
        return None;
    }
    let first = places.iter().min().copied()?;
    let negated = (first.saturating_sub(3)..first).any(|at| {
        matches!(
            sentence.lower(at),
            "no" | "not"
                | "without"
                | "don't"
                | "don’t"
                | "exclude"
                | "excluding"
                | "except"
                | "disable"
                | "avoid"
                | "skip"
        )
    });
    Some(!negated)
}

/// Returns the text of a choice.
pub(super) fn choice_text(choice: &Value) -> &str {
    choice.as_str().unwrap_or_default()
}

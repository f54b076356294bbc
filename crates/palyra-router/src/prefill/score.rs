//! Scores how well a found value fits an argument.

use super::found::{Found, FoundValue};
use super::names::is_request;
use super::sentence::{Sentence, Token, TokenKind};
use super::slot::{Slot, SlotKind};
use super::units::Measure;

/// Number of words before a value that are read as its context.
const REACH_BEFORE: usize = 6;
/// Number of words after a value that are read as its context.
const REACH_AFTER: usize = 4;

/// Prepositions with the terms of arguments they introduce.
const ROLES: [(&[&str], &[&str]); 6] = [
    (
        &["from"],
        &["from", "sourc", "start", "origin", "begin", "lower", "min", "depart", "base", "initi", "old"],
    ),
    (
        &["to", "into", "until"],
        &["to", "destin", "end", "target", "upper", "max", "arriv", "final", "recipi", "new"],
    ),
    (
        &["in", "at", "near", "within", "around"],
        &["locat", "citi", "place", "countri", "state", "region", "area", "address", "venu"],
    ),
    (&["by"], &["author", "artist", "creator", "compos", "director", "writer", "painter", "scientist", "by"]),
    (&["on"], &["date", "day", "platform", "topic"]),
    (&["about", "on", "regarding", "of"], &["topic", "subject", "queri", "about", "keyword"]),
];

/// Returns how well a value of the right type fits an argument: the part that follows from its kind, and the part that
/// follows from the words around it.
pub(super) fn score(slot: &Slot, found: &Found, sentence: &Sentence<'_>) -> (f64, f64) {
    (
        kind(slot, found),
        context(slot, found, sentence)
            + role(slot, found, sentence)
            + unit(slot, found)
            + mentioned(slot, found),
    )
}

fn kind(slot: &Slot, found: &Found) -> f64 {
    match (&slot.kind, &found.value) {
        (SlotKind::Text, FoundValue::Literal(_)) if slot.takes_json() => 4.0,
        (SlotKind::Text | SlotKind::Texts, value) => match value {
            FoundValue::Texts(_) | FoundValue::Literal(_) if slot.kind == SlotKind::Texts => 3.0,
            FoundValue::Quoted(_) if slot.kind == SlotKind::Texts => 2.0,
            FoundValue::Quoted(_) => 3.5,
            FoundValue::Currency(_) => 1.5,
            FoundValue::Name(name) if name.contains(", ") && is_place(slot) => 1.6,
            FoundValue::Name(name) if name.contains(", ") => 1.4,
            FoundValue::Name(_) => 1.5,
            FoundValue::Email(_) | FoundValue::Url(_) | FoundValue::Path(_) => 1.0,
            FoundValue::Moment { .. } => 0.2,
            _ => 0.5,
        },
        (SlotKind::Numbers { .. }, FoundValue::Number(_)) => 0.3,
        (SlotKind::Numbers { .. } | SlotKind::Lists | SlotKind::Object, _) => 2.0,
        (SlotKind::Integer | SlotKind::Number, FoundValue::Number(number)) => {
            let asks_for_year = slot.name_terms.iter().any(|term| term == "year" || term == "season")
                && !slot.words.contains("years");
            match (asks_for_year, number.year) {
                (true, true) => 3.0,
                (true, false) | (false, true) => 0.2,
                (false, false) => 1.0,
            }
        }
        _ => 1.0,
    }
}

/// Returns whether an argument is a place, which may be `Paris, France`.
fn is_place(slot: &Slot) -> bool {
    const PLACES: [&str; 8] = ["address", "citi", "destin", "end", "locat", "origin", "place", "start"];
    slot.name_terms.iter().any(|term| PLACES.contains(&term.as_str()))
}

/// Scores how closely the words around a value relate to the argument.
fn context(slot: &Slot, found: &Found, sentence: &Sentence<'_>) -> f64 {
    let mut total = 0.0;
    let mut seen: Vec<&str> = Vec::new();
    let mut weigh = |token: &Token<'_>, nearness: f64| -> f64 {
        // `show` is a verb of the request and no evidence for an argument described as `what the table shows`.
        let request = !slot.required && is_request(&token.lower);
        match related(slot, &token.stem).filter(|(term, _)| !request || slot.is_named(term)) {
            Some((term, weight)) if !seen.contains(&term) => {
                seen.push(term);
                weight * nearness
            }
            _ => 0.0,
        }
    };
    // Words in quotation marks or in an address are no evidence about the argument.
    if !found.is_verbatim() {
        for at in found.from..found.to {
            total += weigh(&sentence.tokens[at], 0.8);
        }
    }
    let mut nearness = 1.0;
    for at in (found.from.saturating_sub(REACH_BEFORE)..found.from).rev() {
        let token = &sentence.tokens[at];
        if token.ends_clause() && token.text != ":" {
            break;
        }
        total += weigh(token, nearness);
        nearness *= passing(token);
    }
    let mut nearness = 0.8;
    for at in found.to..(found.to + REACH_AFTER).min(sentence.tokens.len()) {
        let token = &sentence.tokens[at];
        if token.ends_clause() {
            break;
        }
        total += weigh(token, nearness);
        nearness *= passing(token) * 0.9;
    }
    total
}

/// Returns the term of an argument that a word equals, or of which one begins with the other: `user` and `username`.
fn related<'s>(slot: &'s Slot, stem: &str) -> Option<(&'s str, f64)> {
    const SHORTEST: usize = 4;
    if let Some((term, weight)) = slot.terms.get_key_value(stem) {
        return Some((term, *weight));
    }
    if stem.len() < SHORTEST {
        return None;
    }
    let begins = |term: &str| term.len() >= SHORTEST && (term.starts_with(stem) || stem.starts_with(term));
    slot.terms.iter().find(|(term, _)| begins(term)).map(|(term, weight)| (term.as_str(), weight * 0.6))
}

/// Returns the share of a relation that remains beyond a token.
fn passing(token: &Token<'_>) -> f64 {
    match token.kind {
        TokenKind::Mark if matches!(token.text, "," | "(" | ")") => 0.5,
        TokenKind::Mark => 0.9,
        TokenKind::Number => 0.4,
        TokenKind::Word if token.lower == "and" => 0.5,
        TokenKind::Word if token.is_stop_word() => 0.95,
        TokenKind::Word => 0.75,
    }
}

/// Scores the preposition before a value for the role of the argument.
fn role(slot: &Slot, found: &Found, sentence: &Sentence<'_>) -> f64 {
    let Some(mut before) = found.from.checked_sub(1) else { return 0.0 };
    if sentence.lower(before) == "the" {
        before = before.saturating_sub(1);
    }
    let word = sentence.lower(before);
    let introduces = |(words, terms): &&(&[&str], &[&str])| {
        words.contains(&word)
            && (slot.name_terms.iter().chain(&slot.name_parts).any(|term| terms.contains(&term.as_str()))
                || slot.terms.iter().any(|(term, weight)| *weight >= 0.5 && terms.contains(&term.as_str())))
    };
    if ROLES.iter().any(|role| introduces(&role)) { 1.5 } else { 0.0 }
}

/// Scores whether the number and the argument have the same measure.
fn unit(slot: &Slot, found: &Found) -> f64 {
    let Some(number) = found.number() else { return 0.0 };
    match (number.unit.map(|unit| unit.measure), slot.unit.map(|unit| unit.measure)) {
        (Some(Measure::Share), None) => 0.0,
        (Some(found), Some(slot)) if found == slot => 2.0,
        (Some(_), Some(_)) => -2.0,
        _ => 0.0,
    }
}

/// Returns a bonus if the description of the argument gives the value as an example.
fn mentioned(slot: &Slot, found: &Found) -> f64 {
    let Some(text) = found.text() else { return 0.0 };
    if slot.mentioned.iter().any(|mentioned| mentioned.eq_ignore_ascii_case(text)) { 3.0 } else { 0.0 }
}

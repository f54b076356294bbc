//! Currencies by name, sign or code.

use super::found::{Found, FoundValue};
use super::sentence::Sentence;

/// Spellings in lower case, longer ones first, with the code of the currency.
#[rustfmt::skip]
const CURRENCIES: [(&[&str], &str); 22] = [
    (&["us", "dollar"], "USD"), (&["american", "dollar"], "USD"), (&["canadian", "dollar"], "CAD"),
    (&["australian", "dollar"], "AUD"), (&["british", "pound"], "GBP"), (&["pound", "sterling"], "GBP"),
    (&["japanese", "yen"], "JPY"), (&["swiss", "franc"], "CHF"), (&["indian", "rupee"], "INR"), (&["chinese", "yuan"], "CNY"),
    (&["dollar"], "USD"), (&["euro"], "EUR"), (&["pound"], "GBP"), (&["yen"], "JPY"), (&["yuan"], "CNY"), (&["rupee"], "INR"),
    (&["franc"], "CHF"), (&["won"], "KRW"), (&["$"], "USD"), (&["€"], "EUR"), (&["£"], "GBP"), (&["¥"], "JPY"),
];
/// Codes that are not English words.
#[rustfmt::skip]
const CODES: [&str; 20] = [
    "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "INR", "JPY", "KRW", "MXN", "NOK", "NZD",
    "PLN", "SEK", "USD",
];

pub(super) fn find(sentence: &Sentence<'_>) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for from in 0..sentence.tokens.len() {
        if found.last().is_some_and(|last| from < last.to) {
            continue;
        }
        if let Some((to, code)) = currency(sentence, from) {
            found.push(Found { from, to, value: FoundValue::Currency(code) });
        }
    }
    found
}

fn currency(sentence: &Sentence<'_>, from: usize) -> Option<(usize, &'static str)> {
    let text = sentence.token(from)?.text;
    if let Some(code) = CODES.iter().find(|code| **code == text) {
        return Some((from + 1, code));
    }
    let singular = |at: usize| sentence.lower(at).trim_end_matches('s').to_owned();
    let spelled = |names: &[&str]| {
        (from..).zip(names).all(|(at, name)| sentence.lower(at) == *name || singular(at) == *name)
    };
    CURRENCIES.iter().find(|(names, _)| spelled(names)).map(|(names, code)| (from + names.len(), *code))
}

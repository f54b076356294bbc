//! Lists and objects that are written out, for example `[1, 2]`, `(3, 4)` or `{'math': 90}`.

use serde_json::Value;

use super::found::{Found, FoundValue, Taken};
use super::sentence::Sentence;

pub(super) fn find(sentence: &Sentence<'_>, taken: &Taken) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (index, token) in sentence.tokens.iter().enumerate() {
        let inside = found.last().is_some_and(|last| index < last.to);
        // Quotations inside a list are part of it; a bracket inside a quotation does not begin a list.
        if inside || taken.has(index) || !matches!(token.text, "[" | "{" | "(") {
            continue;
        }
        let Some(to) = closing(sentence, index) else { continue };
        if let Some(value) = read(sentence.span(index, to)) {
            found.push(Found { from: index, to, value: FoundValue::Literal(value) });
        }
    }
    found
}

/// Maximum tokens of a literal list.
const MAX_TOKENS: usize = 512;

/// Returns the token after the bracket that closes the one at `open`.
fn closing(sentence: &Sentence<'_>, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in sentence.tokens.iter().enumerate().skip(open).take(MAX_TOKENS) {
        match token.text {
            "[" | "{" | "(" => depth += 1,
            "]" | "}" | ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

/// Reads JSON, also with single quotation marks and with round brackets.
fn read(text: &str) -> Option<Value> {
    let square = text.replace('(', "[").replace(')', "]");
    [text.to_owned(), square.clone(), square.replace('\'', "\"")]
        .iter()
        .find_map(|text| serde_json::from_str::<Value>(text).ok())
        .filter(|value| match value {
            // A single number in round brackets is a remark.
            Value::Array(values) => !values.is_empty() && (values.len() > 1 || !text.starts_with('(')),
            Value::Object(members) => !members.is_empty(),
            _ => false,
        })
}

//! The terms of a sentence, with those that its question words imply.

use std::collections::BTreeMap;

use crate::words::terms;

/// Maximum number of bytes of a sentence that are read. The subject of a message is at its start.
const MAX_BYTES: usize = 8_192;
/// Weight of a term that a question word implies.
const IMPLIED_WEIGHT: f64 = 0.5;

/// The subjects of question words and currencies, as terms of a tool's text.
const IMPLIED: [(&str, &str); 15] = [
    ("how many", "count number"),
    ("how much", "amount"),
    ("how long", "duration time length"),
    ("how far", "distance"),
    ("how old", "age"),
    ("how hot", "temperature"),
    ("how cold", "temperature"),
    ("when", "date time"),
    ("where", "location place"),
    ("who", "person name"),
    ("dollar", "currency money"),
    ("dollars", "currency money"),
    ("euro", "currency money"),
    ("euros", "currency money"),
    ("yen", "currency money"),
];

/// Returns the terms of a sentence with their weights, in a fixed order.
pub(super) fn terms_of(text: &str) -> BTreeMap<String, f64> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    // Digits are values of arguments and match unrelated tools: `13` is in `get_13F_report`.
    let is_number = |term: &String| term.bytes().all(|byte| byte.is_ascii_digit());
    let subjects = terms(text).filter(|term| !is_number(term));
    let mut weights: BTreeMap<String, f64> = subjects.map(|term| (term, 1.0)).collect();
    let words = lower_case(text);
    for (question, implied) in IMPLIED {
        if words.contains(&format!(" {question} ")) {
            for term in terms(implied) {
                weights.entry(term).or_insert(IMPLIED_WEIGHT);
            }
        }
    }
    weights
}

/// Returns the words of a text in lower case, each surrounded by blanks.
fn lower_case(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    format!(" {} ", words.join(" "))
}

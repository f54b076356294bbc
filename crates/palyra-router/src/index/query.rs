//! The terms of a sentence, with what its question word asks for.

use std::collections::BTreeMap;

use crate::words::terms;

/// Maximum bytes of a sentence that are read; the subject of a message is at its beginning.
const MAX_BYTES: usize = 8_192;
/// What a term counts that a question word stands for.
const IMPLIED_WEIGHT: f64 = 0.5;

/// What question words and currencies are about, as terms of a tool's text.
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

/// Returns the terms of a sentence with their weight, in a fixed order.
pub(super) fn terms_of(text: &str) -> BTreeMap<String, f64> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let mut weights: BTreeMap<String, f64> = terms(text).map(|term| (term, 1.0)).collect();
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

/// The words of a text with a blank around each.
fn lower_case(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    format!(" {} ", words.join(" "))
}

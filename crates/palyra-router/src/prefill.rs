//! Arguments for a tool, taken from a sentence by the tool's input schema.

use jiff::Zoned;
use serde_json::{Map, Value};

mod assign;
mod choices;
mod currencies;
mod dates;
mod found;
mod literals;
mod marks;
mod names;
mod numbers;
mod output;
mod score;
mod sentence;
mod slot;
mod units;

/// Maximum bytes of a sentence that are searched.
const MAX_BYTES: usize = 8_192;

/// Arguments taken from a sentence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prefilled {
    /// The arguments that were found, for a person to confirm.
    pub arguments: Map<String, Value>,
    /// The required arguments that were not found, in the order of the schema; members of objects as `budget/min`.
    pub missing: Vec<String>,
}

/// Takes arguments from a sentence by an input schema.
///
/// Recognised are choices of the schema, numbers with units, dates and times relative to `now`, quoted text, e-mail
/// addresses, URLs, paths, lists, names and yes-or-no words. Values follow the types, formats and bounds of their
/// properties; whether the whole input is valid is for a schema validator to say.
#[must_use]
pub fn prefill(schema: &Value, text: &str, now: &Zoned) -> Prefilled {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let sentence = sentence::Sentence::read(text);
    let slots = slot::read(schema);
    let found = found::find(&sentence, now);
    let mut values = assign::assign(&slots, &found, &sentence, now);
    let mut filled = Prefilled::default();
    for (slot, value) in slots.iter().zip(values.iter_mut()) {
        match value.take() {
            Some(value) => insert(&mut filled.arguments, &slot.path, value),
            None if slot.required => filled.missing.push(slot.path.join("/")),
            None => {}
        }
    }
    filled
}

fn insert(into: &mut Map<String, Value>, path: &[String], value: Value) {
    match path {
        [] => {}
        [name] => {
            into.insert(name.clone(), value);
        }
        [name, rest @ ..] => {
            let member = into.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(member) = member {
                insert(member, rest, value);
            }
        }
    }
}

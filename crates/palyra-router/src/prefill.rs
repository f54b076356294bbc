//! Arguments for a tool, extracted from a sentence by the tool's input schema.

use jiff::Zoned;
use serde_json::{Map, Value};

use self::found::Found;
use self::sentence::Sentence;

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

/// Arguments extracted from a sentence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prefilled {
    /// The arguments that were found, for a person to confirm.
    pub arguments: Map<String, Value>,
    /// The required arguments that were not found, in the order of the schema; members of objects as `budget/min`.
    pub missing: Vec<String>,
}

/// Extracts arguments from a sentence by an input schema.
///
/// Recognised are choices of the schema, numbers with units, dates and times relative to `now`, quoted text, e-mail
/// addresses, URLs, paths, lists, names and yes-or-no words. Values satisfy the types, formats and bounds of their
/// properties; the input as a whole is not validated.
#[must_use]
pub fn prefill(schema: &Value, text: &str, now: &Zoned) -> Prefilled {
    Reading::new(text, now).fill(schema).0
}

/// A sentence with the values in it, for the schemas of several tools.
pub(crate) struct Reading<'t> {
    sentence: Sentence<'t>,
    found: Vec<Found>,
    now: &'t Zoned,
}

impl<'t> Reading<'t> {
    pub(crate) fn new(text: &'t str, now: &'t Zoned) -> Self {
        let sentence = Sentence::read(&text[..text.floor_char_boundary(MAX_BYTES)]);
        let found = found::find(&sentence, now);
        Self { sentence, found, now }
    }

    /// Returns arguments by an input schema, and the share of the sentence's numbers that are in them, 1 without numbers.
    pub(crate) fn fill(&self, schema: &Value) -> (Prefilled, f64) {
        let slots = slot::read(schema);
        let (values, used) = assign::assign(&slots, &self.found, &self.sentence, self.now);
        let mut filled = Prefilled::default();
        for (slot, value) in slots.iter().zip(values) {
            match value {
                Some(value) => insert(&mut filled.arguments, &slot.path, value),
                None if slot.required => filled.missing.push(slot.path.join("/")),
                None => {}
            }
        }
        let numbers = |from: usize, to: usize| self.sentence.numbers(from, to) as f64;
        let all = numbers(0, self.sentence.tokens.len());
        let in_arguments: f64 = used.iter().map(|found| numbers(found.from, found.to)).sum();
        (filled, if all > 0.0 { in_arguments / all } else { 1.0 })
    }
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

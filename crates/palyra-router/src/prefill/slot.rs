//! The arguments of an input schema.

use std::collections::BTreeMap;

use serde_json::Value;

use super::units::{self, Unit};
use crate::words::terms;

/// Maximum depth of objects whose members are filled in.
const MAX_DEPTH: usize = 3;
/// Maximum number of arguments.
const MAX_SLOTS: usize = 64;
/// Maximum number of choices of one argument.
const MAX_CHOICES: usize = 256;

/// An argument of a tool.
pub(super) struct Slot {
    /// The name, preceded by those of the enclosing objects.
    pub(super) path: Vec<String>,
    pub(super) required: bool,
    pub(super) kind: SlotKind,
    /// Terms of the name and the description, with their weights.
    pub(super) terms: BTreeMap<String, f64>,
    /// The terms of the name only.
    pub(super) name_terms: Vec<String>,
    /// The parts of the name in lower case, including stop words such as `from` and `to`.
    pub(super) name_parts: Vec<String>,
    /// The value if the sentence does not state one.
    pub(super) default: Option<Value>,
    /// Name and description in lower case.
    pub(super) words: String,
    /// Values that the description mentions, for example `such as villa or condo`.
    pub(super) mentioned: Vec<String>,
    /// The unit of its numbers.
    pub(super) unit: Option<Unit>,
    pub(super) minimum: Option<f64>,
    pub(super) maximum: Option<f64>,
    pub(super) max_length: Option<usize>,
}

/// The type of an argument.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SlotKind {
    Text,
    Date,
    Time,
    DateTime,
    Email,
    Url,
    Path,
    Integer,
    Number,
    Boolean,
    Choice(Vec<Value>),
    Choices(Vec<Value>),
    Texts,
    Numbers {
        integer: bool,
    },
    /// A list of lists of numbers, or JSON that the text contains literally.
    Lists,
    /// An object without known members.
    Object,
}

impl Slot {
    /// Returns whether the argument is a text that its description allows to be JSON.
    pub(super) fn takes_json(&self) -> bool {
        self.words.split(|c: char| !c.is_alphanumeric()).any(|word| word == "json")
    }

    /// Returns whether a term is a part of the argument's name.
    pub(super) fn is_named(&self, term: &str) -> bool {
        self.name_terms.iter().any(|name| name == term)
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self.kind, SlotKind::Integer | SlotKind::Number)
    }
}

/// Reads the arguments of an input schema: required ones in the order of `required`, then the others by name.
pub(super) fn read(schema: &Value) -> Vec<Slot> {
    let mut slots = Vec::new();
    collect(schema, schema, &[], true, &mut slots);
    share_terms(&mut slots);
    slots
}

fn collect(root: &Value, schema: &Value, path: &[String], required: bool, slots: &mut Vec<Slot>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    let needed: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    // Members of an object are sorted by name, while `required` has the order of its author.
    let mut names: Vec<&String> = properties.keys().collect();
    names.sort_by_key(|name| needed.iter().position(|needed| needed == name).unwrap_or(usize::MAX));
    for name in names {
        let property = resolve(root, &properties[name]);
        let path: Vec<String> = path.iter().chain([name]).cloned().collect();
        let required = required && needed.contains(&name.as_str());
        if slots.len() == MAX_SLOTS {
            return;
        }
        match kind(root, property, name) {
            Some(SlotKind::Object) if path.len() < MAX_DEPTH && property.get("properties").is_some() => {
                collect(root, property, &path, required, slots);
            }
            Some(kind) => slots.push(slot(path, required, kind, property)),
            None => {}
        }
    }
}

fn slot(path: Vec<String>, required: bool, kind: SlotKind, property: &Value) -> Slot {
    let description = property.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = path.last().cloned().unwrap_or_default();
    let name_terms: Vec<String> = path.iter().flat_map(|name| terms(name)).collect();
    let mut weights: BTreeMap<String, f64> = terms(&description).take(64).map(|term| (term, 1.0)).collect();
    weights.extend(name_terms.iter().map(|term| (term.clone(), 3.0)));
    let spaced = spaced_name(&name);
    let words = format!("{spaced} {description}").to_lowercase();
    let bound = |name: &str| property.get(name).and_then(Value::as_f64);
    Slot {
        required,
        default: property.get("default").cloned().or_else(|| described_default(&description, &kind)),
        kind,
        terms: weights,
        name_parts: spaced.split_whitespace().map(str::to_lowercase).collect(),
        name_terms,
        unit: units::named_in(&words),
        words,
        mentioned: mentioned(&description),
        minimum: bound("minimum").or_else(|| bound("exclusiveMinimum")),
        maximum: bound("maximum").or_else(|| bound("exclusiveMaximum")),
        max_length: property.get("maxLength").and_then(Value::as_u64).and_then(|most| most.try_into().ok()),
        path,
    }
}

/// Separates the parts of a name with blanks: `fromCity` and `from_City` become `from City`.
fn spaced_name(name: &str) -> String {
    let mut spaced = String::new();
    let mut after_small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (after_small && c.is_uppercase()) {
            spaced.push(' ');
        }
        if c.is_alphanumeric() {
            spaced.push(c);
        }
        after_small = c.is_lowercase();
    }
    spaced
}

/// Returns the number after `Default is` or `Defaults to`.
fn described_default(description: &str, kind: &SlotKind) -> Option<Value> {
    if !matches!(kind, SlotKind::Integer | SlotKind::Number) {
        return None;
    }
    let lower = description.to_lowercase();
    let rest = ["default is ", "defaults to "].iter().find_map(|cue| Some(lower.split_once(cue)?.1))?;
    let word = rest.split_whitespace().next()?.trim_end_matches(['.', ',', ')']);
    serde_json::from_str::<Value>(word)
        .ok()
        .filter(|value| value.is_i64() || *kind == SlotKind::Number && value.is_number())
}

/// Divides the weight of each term by the number of arguments that have it, because a shared term distinguishes none.
fn share_terms(slots: &mut [Slot]) {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    for term in slots.iter().flat_map(|slot| slot.terms.keys()) {
        *counts.entry(term.clone()).or_default() += 1.0;
    }
    for slot in slots {
        for (term, weight) in &mut slot.terms {
            *weight /= counts.get(term).copied().unwrap_or(1.0);
        }
    }
}

/// Follows references within the schema, and takes the first alternative that is not null.
fn resolve<'s>(root: &'s Value, mut schema: &'s Value) -> &'s Value {
    for _ in 0..4 {
        let reference =
            schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        let alternatives = ["anyOf", "oneOf"].iter().find_map(|name| schema.get(name)?.as_array());
        let next = match (reference, alternatives) {
            (Some(pointer), _) => root.pointer(pointer),
            (None, Some(alternatives)) => {
                alternatives.iter().find(|schema| schema.get("type").is_none_or(|kind| kind != "null"))
            }
            (None, None) => None,
        };
        match next {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}

fn type_name(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or_default()
        }
        _ if schema.get("properties").is_some() => "object",
        _ => "string",
    }
}

fn kind(root: &Value, schema: &Value, name: &str) -> Option<SlotKind> {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return Some(SlotKind::Choice(choices.iter().take(MAX_CHOICES).cloned().collect()));
    }
    Some(match type_name(schema) {
        "string" => text_kind(schema, name),
        "integer" => SlotKind::Integer,
        "number" => SlotKind::Number,
        "boolean" => SlotKind::Boolean,
        "array" => items_kind(root, schema, name),
        "object" => SlotKind::Object,
        _ => return None,
    })
}

fn items_kind(root: &Value, schema: &Value, name: &str) -> SlotKind {
    let Some(items) = schema.get("items") else { return SlotKind::Texts };
    match kind(root, resolve(root, items), name) {
        Some(SlotKind::Choice(choices)) => SlotKind::Choices(choices),
        Some(SlotKind::Integer) => SlotKind::Numbers { integer: true },
        Some(SlotKind::Number) => SlotKind::Numbers { integer: false },
        Some(SlotKind::Numbers { .. } | SlotKind::Texts | SlotKind::Object | SlotKind::Lists) => {
            SlotKind::Lists
        }
        _ => SlotKind::Texts,
    }
}

fn text_kind(schema: &Value, name: &str) -> SlotKind {
    let name_terms: Vec<String> = terms(name).collect();
    let named = |word: &str| name_terms.iter().any(|term| term == word);
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    match schema.get("format").and_then(Value::as_str) {
        Some("date") => return SlotKind::Date,
        Some("time") => return SlotKind::Time,
        Some("date-time") => return SlotKind::DateTime,
        Some("email" | "idn-email") => return SlotKind::Email,
        Some("uri" | "iri" | "uri-reference" | "url") => return SlotKind::Url,
        _ => {}
    }
    if named("date") || description.contains("YYYY-MM-DD") {
        SlotKind::Date
    } else if named("email") {
        SlotKind::Email
    } else if named("url") || named("uri") {
        SlotKind::Url
    } else if named("path") || named("filepath") || named("directori") {
        SlotKind::Path
    } else {
        SlotKind::Text
    }
}

/// Returns the values that a description gives as examples.
fn mentioned(description: &str) -> Vec<String> {
    const CUES: [&str; 12] = [
        "e.g.",
        "eg.",
        "such as",
        "for example",
        "for instance",
        "like",
        "can be",
        "could be",
        "including",
        "i.e.",
        "options are",
        "either",
    ];
    let lower = description.to_lowercase();
    if lower.len() != description.len() {
        return Vec::new();
    }
    let start = CUES.iter().filter_map(|cue| lower.find(cue).map(|at| at + cue.len())).min();
    let Some(start) = start else { return Vec::new() };
    let rest = &description[start..];
    let end = rest.find(". ").unwrap_or(rest.len());
    rest[..end]
        .split([',', ';', '/', '(', ')', '|', ':'])
        .flat_map(|part| part.split(" or ").flat_map(|part| part.split(" and ")))
        .map(|part| part.trim().trim_matches(|c: char| "'\"`.‘’“”[]".contains(c)).trim().to_owned())
        .filter(|part| !part.is_empty() && part.len() <= 40 && part != "etc")
        .take(24)
        .collect()
}

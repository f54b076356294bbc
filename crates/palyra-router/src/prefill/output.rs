//! Converts found values to the type of an argument.

use jiff::Zoned;
use jiff::civil::{Date, Time};
use serde_json::Value;

use super::found::{FoundValue, Number};
use super::slot::{Slot, SlotKind};
use super::units::Measure;
use crate::words::stem;

/// Stems that name any kind of argument.
const GENERIC: [&str; 12] = [
    "detail", "exampl", "inform", "kind", "list", "name", "number", "price", "result", "stat", "type", "valu",
];

/// Returns the value for an argument, or `None` if the types do not fit.
pub(super) fn value(slot: &Slot, found: &FoundValue, now: &Zoned) -> Option<Value> {
    match &slot.kind {
        SlotKind::Integer => number(slot, number_of(found)?, true),
        SlotKind::Number => number(slot, number_of(found)?, false),
        SlotKind::Date => date(found).map(|date| Value::String(formatted(slot, date))),
        SlotKind::Time => Some(Value::String(time(found)?.to_string())),
        SlotKind::DateTime => date_time(found, now),
        SlotKind::Email => matches!(found, FoundValue::Email(_)).then(|| text(slot, found))?,
        SlotKind::Url => matches!(found, FoundValue::Url(_)).then(|| text(slot, found))?,
        SlotKind::Path => {
            matches!(found, FoundValue::Path(_) | FoundValue::Quoted(_)).then(|| text(slot, found))?
        }
        SlotKind::Text if slot.name_terms.iter().any(|term| term == "currenc") => currency(found),
        SlotKind::Text => match found {
            FoundValue::Literal(value) if slot.takes_json() => Some(Value::String(value.to_string())),
            found => text(slot, found),
        },
        SlotKind::Numbers { integer } => numbers(slot, found, *integer),
        SlotKind::Texts => texts(slot, found),
        SlotKind::Lists => match found {
            FoundValue::Literal(value @ Value::Array(_)) => Some(value.clone()),
            _ => None,
        },
        SlotKind::Object => match found {
            FoundValue::Literal(value @ Value::Object(_)) => Some(value.clone()),
            _ => None,
        },
        SlotKind::Boolean | SlotKind::Choice(_) | SlotKind::Choices(_) => None,
    }
}

fn number_of(found: &FoundValue) -> Option<Number> {
    match found {
        FoundValue::Number(number) => Some(*number),
        _ => None,
    }
}

fn number(slot: &Slot, number: Number, integer: bool) -> Option<Value> {
    let mut value = number.value;
    if let (Some(from), Some(to)) = (number.unit, slot.unit) {
        value = from.convert(value, to);
    }
    // A share is converted to a fraction unless the argument mentions percent.
    let share = number.unit.is_some_and(|unit| unit.measure == Measure::Share);
    if share && !integer && !slot.words.contains("percent") && !slot.words.contains('%') {
        value = format!("{:.12e}", value / 100.0).parse().unwrap_or(value);
    }
    in_bounds(slot, value).then(|| json_number(value, integer))?
}

fn in_bounds(slot: &Slot, value: f64) -> bool {
    slot.minimum.is_none_or(|least| value >= least) && slot.maximum.is_none_or(|most| value <= most)
}

fn json_number(value: f64, integer: bool) -> Option<Value> {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        return Some(Value::from(value as i64));
    }
    if integer { None } else { serde_json::Number::from_f64(value).map(Value::Number) }
}

fn date(found: &FoundValue) -> Option<Date> {
    match found {
        FoundValue::Moment { date, .. } => *date,
        _ => None,
    }
}

fn time(found: &FoundValue) -> Option<Time> {
    match found {
        FoundValue::Moment { time, .. } => *time,
        _ => None,
    }
}

/// Returns a moment in the time zone of `now`; a time without a date is its next occurrence.
fn date_time(found: &FoundValue, now: &Zoned) -> Option<Value> {
    let time = time(found)?;
    let day = match date(found) {
        Some(date) => date,
        None if time > now.time() => now.date(),
        None => now.date().tomorrow().ok()?,
    };
    let zoned = day.to_datetime(time).to_zoned(now.time_zone().clone()).ok()?;
    Some(Value::String(zoned.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()))
}

/// Formats a date as the description of the argument asks, or else by ISO 8601.
fn formatted(slot: &Slot, date: Date) -> String {
    const FORMS: [(&str, &str); 6] = [
        ("mm-dd-yyyy", "%m-%d-%Y"),
        ("dd-mm-yyyy", "%d-%m-%Y"),
        ("mm/dd/yyyy", "%m/%d/%Y"),
        ("dd/mm/yyyy", "%d/%m/%Y"),
        ("dd.mm.yyyy", "%d.%m.%Y"),
        ("yyyy/mm/dd", "%Y/%m/%d"),
    ];
    match FORMS.iter().find(|(form, _)| slot.words.contains(form)) {
        Some((_, form)) => date.strftime(form).to_string(),
        None => date.to_string(),
    }
}

fn currency(found: &FoundValue) -> Option<Value> {
    match found {
        FoundValue::Currency(code) => Some(Value::String((*code).to_owned())),
        FoundValue::Quoted(text) => Some(Value::String(text.clone())),
        _ => None,
    }
}

fn text(slot: &Slot, found: &FoundValue) -> Option<Value> {
    let text = match found {
        FoundValue::Phrase(text) => without_argument(slot, text),
        FoundValue::Name(text) => without_label(text),
        FoundValue::Quoted(text)
        | FoundValue::Email(text)
        | FoundValue::Url(text)
        | FoundValue::Path(text)
        | FoundValue::Moment { text, .. } => text,
        _ => return None,
    };
    let fits = slot.max_length.is_none_or(|most| text.chars().count() <= most);
    (fits && !text.is_empty()).then(|| Value::String(text.to_owned()))
}

/// Removes words at both ends that name the argument: `deluxe room` is the room type `deluxe`.
fn without_argument<'t>(slot: &Slot, text: &'t str) -> &'t str {
    let names = |word: &str| {
        let stem = stem(&word.to_lowercase());
        slot.name_terms.contains(&stem) || GENERIC.contains(&stem.as_str())
    };
    let mut text = text;
    while let Some((rest, _)) = text.rsplit_once(' ').filter(|(_, last)| names(last)) {
        text = rest.trim_end();
    }
    while let Some((_, rest)) = text.split_once(' ').filter(|(first, _)| names(first)) {
        text = rest.trim_start();
    }
    if names(text) { "" } else { text }
}

/// Removes a label such as `ID` in `ID B1004`. `Hotel Paradise` is unchanged.
fn without_label(text: &str) -> &str {
    let label = |word: &str| matches!(word.to_ascii_lowercase().as_str(), "id" | "no" | "nr" | "number");
    text.split_once(' ').filter(|(first, _)| label(first)).map_or(text, |(_, rest)| rest.trim_start())
}

fn numbers(slot: &Slot, found: &FoundValue, integer: bool) -> Option<Value> {
    match found {
        FoundValue::Numbers(numbers) => numbers
            .iter()
            .map(|value| json_number(*value, integer))
            .collect::<Option<Vec<_>>>()
            .map(Value::Array),
        FoundValue::Number(found) => number(slot, *found, integer).map(|value| Value::Array(vec![value])),
        FoundValue::Literal(Value::Array(values)) if values.iter().all(Value::is_number) => {
            Some(Value::Array(values.clone()))
        }
        _ => None,
    }
}

fn texts(slot: &Slot, found: &FoundValue) -> Option<Value> {
    match found {
        FoundValue::Texts(texts) => Some(Value::Array(texts.iter().cloned().map(Value::String).collect())),
        FoundValue::Literal(Value::Array(values)) if values.iter().all(|value| !value.is_array()) => {
            Some(Value::Array(values.clone()))
        }
        found => text(slot, found).map(|text| Value::Array(vec![text])),
    }
}

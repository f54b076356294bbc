//! Assigns found values to arguments.

use jiff::Zoned;
use serde_json::Value;

use super::choices;
use super::found::{Found, FoundValue};
use super::output;
use super::score::score;
use super::sentence::Sentence;
use super::slot::{Slot, SlotKind};

/// Minimum score from the words around a value for an optional argument.
const MIN_OPTIONAL: f64 = 1.5;

/// Returns a value or `None` for each argument, and the found values that were used.
pub(super) fn assign<'f>(
    slots: &[Slot],
    found: &'f [Found],
    sentence: &Sentence<'_>,
    now: &Zoned,
) -> (Vec<Option<Value>>, Vec<&'f Found>) {
    let mut values: Vec<Option<Value>> = slots.iter().map(|slot| chosen(slot, sentence)).collect();
    let mut used: Vec<&Found> = Vec::new();
    for pair in pairs(slots, found, sentence) {
        let (slot, found) = (&slots[pair.slot], &found[pair.found]);
        if values[pair.slot].is_some() || used.iter().any(|used| used.overlaps(found)) {
            continue;
        }
        if let Some(value) = output::value(slot, &found.value, now) {
            values[pair.slot] = Some(value);
            used.push(found);
        }
    }
    let defaults = slots.iter().map(|slot| slot.default.clone().filter(|_| slot.required));
    let values = values.into_iter().zip(defaults).map(|(value, default)| value.or(default)).collect();
    (values, used)
}

/// Returns the value of an argument that is a choice or a yes-or-no.
fn chosen(slot: &Slot, sentence: &Sentence<'_>) -> Option<Value> {
    match &slot.kind {
        SlotKind::Boolean => choices::yes_or_no(slot, sentence).map(Value::Bool),
        SlotKind::Choice(options) => {
            let named = choices::named(sentence, options.iter().map(choices::choice_text));
            named.first().and_then(|chosen| options.get(chosen.choice)).cloned()
        }
        SlotKind::Choices(options) => {
            let mut named = choices::named(sentence, options.iter().map(choices::choice_text));
            named.sort_by_key(|chosen| chosen.from);
            let values: Vec<Value> =
                named.iter().filter_map(|chosen| options.get(chosen.choice)).cloned().collect();
            (!values.is_empty()).then_some(Value::Array(values))
        }
        SlotKind::Text => {
            // Examples of a description are choices that are not exhaustive.
            let named = choices::named(sentence, slot.mentioned.iter().map(String::as_str));
            named.first().and_then(|chosen| Some(Value::String(chosen.text(sentence)?.to_owned())))
        }
        _ => None,
    }
}

struct Pair {
    slot: usize,
    found: usize,
    score: f64,
}

/// Arguments with values for them, best first; equal ones in the order of the schema and of the sentence.
fn pairs(slots: &[Slot], found: &[Found], sentence: &Sentence<'_>) -> Vec<Pair> {
    // In `three sides of 3, 4 and 5` there are digits for all arguments, so a number word is a count.
    let digits = found.iter().filter(|found| found.number().is_some_and(|number| !number.spelled)).count();
    let wanted = slots.iter().filter(|slot| slot.required && slot.is_number()).count();
    let spelled_penalty = if digits >= wanted { 0.5 } else { 0.0 };
    let numbers = slots.iter().filter(|slot| slot.is_number()).count();
    let mut pairs = Vec::new();
    for (slot_index, slot) in slots.iter().enumerate() {
        for (found_index, found) in found.iter().enumerate() {
            let (kind, around) = score(slot, found, sentence);
            if slot.required
                || around >= MIN_OPTIONAL
                || (around >= 0.0 && is_unmistakable(slot, found, numbers))
            {
                let bonus = if slot.required { 0.5 } else { 0.0 };
                let spelled = found.number().is_some_and(|number| number.spelled);
                let penalty = if spelled { spelled_penalty } else { 0.0 };
                let score = kind + around + bonus - penalty;
                pairs.push(Pair { slot: slot_index, found: found_index, score });
            }
        }
    }
    pairs.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.slot, a.found).cmp(&(b.slot, b.found))));
    pairs
}

/// Returns whether the kind of a value alone determines that it belongs to an argument.
fn is_unmistakable(slot: &Slot, found: &Found, numbers: usize) -> bool {
    match &slot.kind {
        SlotKind::Date
        | SlotKind::Time
        | SlotKind::DateTime
        | SlotKind::Email
        | SlotKind::Url
        | SlotKind::Path => true,
        SlotKind::Text => matches!(found.value, FoundValue::Quoted(_)),
        SlotKind::Integer | SlotKind::Number => numbers == 1,
        _ => false,
    }
}

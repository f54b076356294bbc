//! Which found value goes to which argument.

use jiff::Zoned;
use serde_json::Value;

use super::choices;
use super::found::Found;
use super::output;
use super::score::score;
use super::sentence::Sentence;
use super::slot::{Slot, SlotKind};

/// What the words around a value have to add before it is taken for an argument that is not required.
const MIN_OPTIONAL: f64 = 1.5;

/// Returns a value, or none, for each argument.
pub(super) fn assign(
    slots: &[Slot],
    found: &[Found],
    sentence: &Sentence<'_>,
    now: &Zoned,
) -> Vec<Option<Value>> {
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
    values
}

/// The value of an argument that is a choice or a yes-or-no.
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
    let mut pairs = Vec::new();
    for (slot_index, slot) in slots.iter().enumerate() {
        for (found_index, found) in found.iter().enumerate() {
            let (kind, around) = score(slot, found, sentence);
            if slot.required || around >= MIN_OPTIONAL {
                let bonus = if slot.required { 0.5 } else { 0.0 };
                pairs.push(Pair { slot: slot_index, found: found_index, score: kind + around + bonus });
            }
        }
    }
    pairs.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.slot, a.found).cmp(&(b.slot, b.found))));
    pairs
}

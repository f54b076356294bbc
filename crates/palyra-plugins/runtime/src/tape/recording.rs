//! The recording of a live run: steps up to a size limit, and large values once.

use super::facts::FactWriter;
use super::machine::Begun;
use super::{Tape, TapeStep};
use palyra_common::InOrder;
use palyra_common::limits::MAX_TAPE_BYTES;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io;

/// The operation of the step that marks where the limit was reached.
pub(super) const FULL_OP: &str = "tape.full";
/// Maximum length of JSON text that is stored in a step. Longer values are stored by their digest.
const INLINE_BYTES: u64 = 1 << 10;
/// Size of a step in addition to its texts, in memory and as a line.
const STEP_BYTES: u64 = 128;
/// The only key of an object that refers to a separately stored value.
const BLOB: &str = "$blob";

/// The limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TapeFull {
    pub(crate) allowed: u64,
    pub(crate) used: u64,
}

/// The steps, readings and large values so far.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    steps: Vec<TapeStep>,
    /// The readings since the last step.
    facts: Option<FactWriter>,
    blobs: BTreeMap<String, Value>,
    used: u64,
    allowed: u64,
    full: Option<TapeFull>,
    /// Whether the tape contains the step that marks the limit.
    marked: bool,
}

impl Recording {
    pub(super) fn new(allowed: u64) -> Self {
        Self { allowed, ..Self::default() }
    }

    pub(super) fn begin(&mut self, op: &str, request: Value) -> Begun {
        if let Err(full) = self.charge(STEP_BYTES.saturating_add(json_length(&request))) {
            return self.refuse(full);
        }
        self.end_block();
        self.steps.push(TapeStep { op: op.to_owned(), request, answer: Value::Null });
        Begun::Live(self.steps.len() - 1)
    }

    pub(super) fn begin_reading(&mut self) -> Begun {
        match self.charge(if self.facts.is_none() { STEP_BYTES } else { 0 }) {
            Ok(()) => Begun::Live(self.steps.len()),
            Err(full) => self.refuse(full),
        }
    }

    pub(super) fn reading(&mut self, op: &str, value: u64) {
        let grown = self.facts.get_or_insert_default().push(op, value).unwrap_or(0) as u64;
        // Base64 on the tape has four characters for three bytes.
        self.used = self.used.saturating_add(grown.saturating_mul(4).div_ceil(3));
    }

    pub(super) fn answer(&mut self, index: usize, answer: Value) -> Result<(), TapeFull> {
        let mut new = BTreeMap::new();
        let answer = self.without_large_values(answer, &mut new);
        let large: u64 = new.values().map(|value| STEP_BYTES.saturating_add(json_length(value))).sum();
        self.charge(large.saturating_add(json_length(&answer)))?;
        self.blobs.append(&mut new);
        self.answer_shortly(index, answer);
        Ok(())
    }

    pub(super) fn answer_shortly(&mut self, index: usize, answer: Value) {
        if let Some(step) = self.steps.get_mut(index) {
            step.answer = answer;
        }
    }

    pub(super) fn finish(mut self) -> (Vec<TapeStep>, BTreeMap<String, Value>) {
        self.end_block();
        (self.steps, self.blobs)
    }

    /// Charges bytes to the limit of the tape. Once the limit is reached, every charge fails.
    fn charge(&mut self, bytes: u64) -> Result<(), TapeFull> {
        let used = self.used.saturating_add(bytes);
        if self.full.is_none() && used > self.allowed {
            self.full = Some(TapeFull { allowed: self.allowed, used });
        }
        match self.full {
            Some(full) => Err(full),
            None => {
                self.used = used;
                Ok(())
            }
        }
    }

    /// Records the first refusal, so that a replay is refused at the same position.
    fn refuse(&mut self, full: TapeFull) -> Begun {
        if !self.marked {
            self.marked = true;
            self.end_block();
            let request = json!({ "allowed": full.allowed, "used": full.used });
            self.steps.push(TapeStep { op: FULL_OP.to_owned(), request, answer: Value::Null });
        }
        Begun::Full(full)
    }

    fn end_block(&mut self) {
        if let Some(facts) = self.facts.take() {
            self.steps.push(facts.into_step());
        }
    }

    /// Replaces each large value with a reference. Values that are not stored yet are added to `new`.
    ///
    /// A stored value contains no references itself, so resolving one never leads to another.
    fn without_large_values(&self, value: Value, new: &mut BTreeMap<String, Value>) -> Value {
        if json_length(&value) <= INLINE_BYTES {
            return value;
        }
        let value = match value {
            Value::Array(items) => {
                items.into_iter().map(|item| self.without_large_values(item, new)).collect()
            }
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, field)| (name, self.without_large_values(field, new)))
                .collect(),
            other => other,
        };
        if json_length(&value) <= INLINE_BYTES || has_reference(&value) {
            return value;
        }
        let digest = digest_of(&value);
        let reference = json!({ BLOB: digest });
        if !self.blobs.contains_key(&digest) {
            new.insert(digest, value);
        }
        reference
    }
}

impl Tape {
    /// Returns an answer with its large values, or `None` if one is missing or they exceed the maximum size of a tape.
    pub(super) fn whole_answer(&self, answer: &Value) -> Option<Value> {
        if self.blobs.is_empty() {
            return Some(answer.clone());
        }
        let mut budget = MAX_TAPE_BYTES;
        self.whole(answer, &mut budget)
    }

    fn whole(&self, value: &Value, budget: &mut u64) -> Option<Value> {
        match value {
            Value::Array(items) => items.iter().map(|item| self.whole(item, budget)).collect(),
            Value::Object(fields) => match reference(fields) {
                Some(digest) => {
                    let kept = self.blobs.get(digest)?;
                    *budget = budget.checked_sub(json_length(kept))?;
                    Some(kept.clone())
                }
                None => {
                    let whole =
                        |(name, field): (&String, &Value)| Some((name.clone(), self.whole(field, budget)?));
                    fields.iter().map(whole).collect::<Option<_>>().map(Value::Object)
                }
            },
            other => Some(other.clone()),
        }
    }
}

fn reference(fields: &serde_json::Map<String, Value>) -> Option<&str> {
    if fields.len() == 1 { fields.get(BLOB)?.as_str() } else { None }
}

fn has_reference(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_reference),
        Value::Object(fields) => reference(fields).is_some() || fields.values().any(has_reference),
        _ => false,
    }
}

/// Returns the SHA-256 of the JSON text of a value, in hexadecimal.
pub(super) fn digest_of(value: &Value) -> String {
    hex::encode(Sha256::digest(InOrder(value).to_string()))
}

/// Returns the length of the JSON text of a value, without creating it.
fn json_length(value: &Value) -> u64 {
    struct Length(u64);
    impl io::Write for Length {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len() as u64);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut length = Length(0);
    // Keys are always strings and the writer is infallible, so this does not fail.
    match serde_json::to_writer(&mut length, value) {
        Ok(()) => length.0,
        Err(_) => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tape_of(recording: Recording) -> (Vec<TapeStep>, BTreeMap<String, Value>) {
        recording.finish()
    }

    #[test]
    fn equal_large_answers_are_kept_once() {
        let mut recording = Recording::new(1 << 20);
        let large = json!({ "Ok": { "status": 200, "body": "x".repeat(100_000) } });
        for _ in 0..250 {
            let Begun::Live(index) = recording.begin("http.send", Value::Null) else { panic!("refused") };
            recording.answer(index, large.clone()).unwrap();
        }
        let (steps, blobs) = tape_of(recording);
        assert_eq!((steps.len(), blobs.len()), (250, 1));
        assert!(json_length(&steps[0].answer) < 200, "{}", steps[0].answer);
    }

    #[test]
    fn a_full_tape_stays_full_and_says_where() {
        let mut recording = Recording::new(1_000);
        let Begun::Live(index) = recording.begin("a", Value::Null) else { panic!("refused") };
        let full = recording.answer(index, json!("y".repeat(900))).unwrap_err();
        assert_eq!(full.allowed, 1_000);
        recording.answer_shortly(index, json!(1));
        for _ in 0..3 {
            assert!(matches!(recording.begin("b", Value::Null), Begun::Full(_)));
            assert!(matches!(recording.begin_reading(), Begun::Full(_)));
        }
        let (steps, _) = tape_of(recording);
        let ops: Vec<&str> = steps.iter().map(|step| step.op.as_str()).collect();
        assert_eq!(ops, ["a", FULL_OP]);
    }
}

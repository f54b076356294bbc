//! Readings of clocks and counters, which are stored in blocks: a few bytes each instead of a step each.
//!
//! A block of readings is the answer of one step. Each reading is a byte with its operation, then the difference to the
//! last reading of the same operation in the block as a zigzag varint; equal neighbours are written once with a count.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::TapeStep;

/// The operation of a step that is a block of readings.
pub(super) const FACTS_OP: &str = "facts";

/// The operations that return readings, with the unit a reading is rounded to. The order is part of the format.
const FACTS: [(&str, u64); 5] = [
    ("clock.monotonic", 1_000),
    ("clock.wall", 1_000),
    ("run.remaining_milliseconds", 1),
    ("run.remaining_fuel", 1),
    ("poll.ready", 1),
];

/// The low bit of the first byte of a reading: a count of repetitions follows.
const REPEATED: u8 = 1;

/// Rounds a reading to the unit of its operation, as the tape stores it and a guest reads it.
pub(crate) fn rounded(op: &str, value: u64) -> u64 {
    let unit = index_of(op).map_or(1, |index| FACTS[index].1);
    value - value % unit
}

fn index_of(op: &str) -> Option<usize> {
    FACTS.iter().position(|(known, _)| *known == op)
}

/// A block that grows.
#[derive(Debug, Default)]
pub(super) struct FactWriter {
    bytes: Vec<u8>,
    last: [u64; FACTS.len()],
    count: u64,
    /// The reading that is not written yet, with its number of repetitions.
    pending: Option<(usize, u64, u64)>,
}

impl FactWriter {
    /// Adds a reading and returns an upper bound of the bytes added to the block, or `None` for an operation without
    /// readings.
    pub(super) fn push(&mut self, op: &str, value: u64) -> Option<usize> {
        let index = index_of(op)?;
        let value = value / FACTS[index].1;
        let difference = zigzag(value.wrapping_sub(self.last[index]));
        self.last[index] = value;
        self.count += 1;
        if let Some((known, same, times)) = &mut self.pending
            && (*known, *same) == (index, difference)
        {
            *times += 1;
            return Some(0);
        }
        let before = self.bytes.len();
        self.settle();
        self.pending = Some((index, difference, 1));
        // A pending reading is counted when it is written, except for the first of a block.
        Some(self.bytes.len() - before + usize::from(before == 0))
    }

    /// Returns the block as a step.
    pub(super) fn into_step(mut self) -> TapeStep {
        self.settle();
        TapeStep {
            op: FACTS_OP.to_owned(),
            request: json!(self.count),
            answer: Value::String(STANDARD.encode(&self.bytes)),
        }
    }

    fn settle(&mut self) {
        let Some((index, difference, times)) = self.pending.take() else { return };
        let flag = if times > 1 { REPEATED } else { 0 };
        self.bytes.push(u8::try_from(index << 1).unwrap_or(u8::MAX) | flag);
        push_varint(&mut self.bytes, difference);
        if times > 1 {
            push_varint(&mut self.bytes, times);
        }
    }
}

/// A block that is read.
#[derive(Debug)]
pub(super) struct FactReader {
    bytes: Vec<u8>,
    at: usize,
    last: [u64; FACTS.len()],
    left: u64,
    repeat: Option<(usize, u64, u64)>,
}

impl FactReader {
    /// Decodes the answer of a block, or returns `None` if it is not one.
    pub(super) fn open(step: &TapeStep) -> Option<Self> {
        let bytes = STANDARD.decode(step.answer.as_str()?).ok()?;
        let left = step.request.as_u64()?;
        Some(Self { bytes, at: 0, last: [0; FACTS.len()], left, repeat: None })
    }

    /// Returns whether every reading was taken.
    pub(super) fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Returns the operation of the next reading.
    pub(super) fn next_op(&mut self) -> Option<&'static str> {
        if self.left == 0 {
            return None;
        }
        if self.repeat.is_none() {
            let head = *self.bytes.get(self.at)?;
            self.at += 1;
            let difference = self.varint()?;
            let times = if head & REPEATED == 0 { 1 } else { self.varint()? };
            self.repeat = Some((usize::from(head >> 1), difference, times));
        }
        let (index, _, times) = self.repeat?;
        FACTS.get(index).filter(|_| times > 0).map(|(op, _)| *op)
    }

    /// Returns the next reading; call [`next_op`](Self::next_op) first.
    pub(super) fn take(&mut self) -> Option<u64> {
        let (index, difference, times) = self.repeat.as_mut()?;
        let (index, difference) = (*index, *difference);
        *times -= 1;
        if *times == 0 {
            self.repeat = None;
        }
        self.left -= 1;
        let last = self.last.get_mut(index)?;
        *last = last.wrapping_add(unzigzag(difference));
        last.checked_mul(FACTS[index].1)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                return None;
            }
            value |= part << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(u8::try_from(value & 0x7f).unwrap_or(0) | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap_or(0));
}

/// Maps small differences in either direction to small numbers; the arithmetic wraps, so every `u64` has a code.
fn zigzag(difference: u64) -> u64 {
    (difference << 1) ^ (difference.cast_signed() >> 63).cast_unsigned()
}

fn unzigzag(code: u64) -> u64 {
    (code >> 1) ^ (code & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_back(step: &TapeStep) -> Vec<(&'static str, u64)> {
        let mut reader = FactReader::open(step).unwrap();
        let mut out = Vec::new();
        while let Some(op) = reader.next_op() {
            out.push((op, reader.take().unwrap()));
        }
        assert!(reader.is_done());
        out
    }

    proptest! {
        #[test]
        fn readings_are_read_back_exactly(
            readings in prop::collection::vec((0_usize..FACTS.len(), prop_oneof![any::<u64>(), 0_u64..9_000]), 0..200),
        ) {
            let readings: Vec<(&str, u64)> =
                readings.into_iter().map(|(at, value)| (FACTS[at].0, rounded(FACTS[at].0, value))).collect();
            let mut writer = FactWriter::default();
            for (op, value) in &readings {
                prop_assert!(writer.push(op, *value).is_some());
            }
            prop_assert_eq!(read_back(&writer.into_step()), readings);
        }

        #[test]
        fn hostile_blocks_end_without_a_panic(count in any::<u64>(), bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let step = TapeStep { op: FACTS_OP.into(), request: json!(count), answer: json!(STANDARD.encode(&bytes)) };
            let mut reader = FactReader::open(&step).unwrap();
            for _ in 0..1_000 {
                if reader.next_op().is_none() {
                    break;
                }
                let _ = reader.take();
            }
        }
    }

    #[test]
    fn equal_steps_of_a_clock_are_written_once() {
        let mut writer = FactWriter::default();
        for reading in 0..1_000_000_u64 {
            writer.push("clock.monotonic", reading * 1_000);
        }
        assert!(writer.into_step().answer.as_str().unwrap().len() < 32);
    }
}

//! The text form of a tape.

use super::{TAPE_SCHEMA, Tape, TapeEnd, TapeHeader, TapeStep};
use palyra_common::JsonText;
use serde::{Deserialize, Serialize};

/// Largest tape that is read.
const MAX_TAPE_BYTES: usize = 1 << 30;
/// Usual length of a header and an end without their texts.
const LIKELY_FRAME_BYTES: usize = 2 << 10;
/// Usual length of a step.
const LIKELY_STEP_BYTES: usize = 256;

/// Why bytes are not a tape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TapeError {
    /// Too long to be read.
    #[error("the tape has {bytes} bytes, more than {MAX_TAPE_BYTES}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// A line is not what it should be.
    #[error("line {line} of the tape is not right: {reason}")]
    BadLine {
        /// Which line, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The end is missing: the tape was cut.
    #[error("the tape ends after line {line} without its end")]
    Cut {
        /// The last line.
        line: usize,
    },
    /// It is not spelled the one way tapes are spelled.
    #[error("the tape is not in its normal form at line {line}")]
    NotNormal {
        /// The first line that differs.
        line: usize,
    },
}

/// A line that was read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
enum Line {
    #[serde(rename = "tape")]
    Header(Box<TapeHeader>),
    #[serde(rename = "step")]
    Step(TapeStep),
    #[serde(rename = "end")]
    End(TapeEnd),
}

/// A line to be written: each call has a tape, so nothing is copied for it.
#[derive(Serialize)]
enum WrittenLine<'a> {
    #[serde(rename = "tape")]
    Header(&'a TapeHeader),
    #[serde(rename = "step")]
    Step(&'a TapeStep),
    #[serde(rename = "end")]
    End(&'a TapeEnd),
}

impl Tape {
    /// The text form.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.likely_length());
        write_line(&mut out, &WrittenLine::Header(&self.header));
        for step in &self.steps {
            write_line(&mut out, &WrittenLine::Step(step));
        }
        write_line(&mut out, &WrittenLine::End(&self.end));
        out
    }

    /// About how many bytes the text has, so that it seldom moves while it is written.
    fn likely_length(&self) -> usize {
        let texts = [Some(&self.header.input), Some(&self.header.operator_config), self.end.output.as_ref()];
        let escaped = |text: &JsonText| text.as_str().len() + text.as_str().len() / 4;
        let texts: usize = texts.into_iter().flatten().map(escaped).sum();
        LIKELY_FRAME_BYTES + texts + self.steps.len() * LIKELY_STEP_BYTES
    }

    /// Reads the text form; accepts only what [`Tape::encode`] writes.
    pub fn decode(bytes: &[u8]) -> Result<Self, TapeError> {
        if bytes.len() > MAX_TAPE_BYTES {
            return Err(TapeError::TooLong { bytes: bytes.len() });
        }
        let tape = read_lines(bytes)?;
        let normal = tape.encode();
        if normal != bytes {
            let same = normal.iter().zip(bytes).take_while(|(a, b)| a == b);
            let line = 1 + same.filter(|(a, _)| **a == b'\n').count();
            return Err(TapeError::NotNormal { line });
        }
        Ok(tape)
    }
}

fn read_lines(bytes: &[u8]) -> Result<Tape, TapeError> {
    let mut header = None;
    let mut steps = Vec::new();
    let mut number = 0;
    let mut lines = bytes.split(|byte| *byte == b'\n');
    while let Some(text) = lines.next() {
        number += 1;
        let bad = |reason: String| TapeError::BadLine { line: number, reason };
        if text.is_empty() && header.is_some() {
            return Err(TapeError::Cut { line: number - 1 });
        }
        match (serde_json::from_slice(text).map_err(|error| bad(error.to_string()))?, header.is_some()) {
            (Line::Header(found), false) => {
                if found.schema != TAPE_SCHEMA {
                    return Err(bad(format!("its schema is not `{TAPE_SCHEMA}`")));
                }
                header = Some(*found);
            }
            (Line::Step(step), true) => steps.push(step),
            (Line::End(end), true) => {
                if lines.next() != Some(b"") || lines.next().is_some() {
                    return Err(bad("something follows the end".into()));
                }
                return match header {
                    Some(header) => Ok(Tape { header, steps, end }),
                    None => Err(bad("the header is missing".into())),
                };
            }
            (Line::Header(_), true) => return Err(bad("a second header".into())),
            (Line::Step(_) | Line::End(_), false) => return Err(bad("the header is missing".into())),
        }
    }
    Err(TapeError::Cut { line: number })
}

fn write_line(out: &mut Vec<u8>, line: &WrittenLine<'_>) {
    // These types have string keys and no maps of other kinds, so they always serialise.
    if serde_json::to_writer(&mut *out, line).is_ok() {
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invocation::Entry;
    use palyra_common::{JsonText, RuntimeLimits};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn sample(steps: Vec<TapeStep>) -> Tape {
        let header = TapeHeader {
            schema: TAPE_SCHEMA.into(),
            module_sha256: "00".into(),
            engine: "e".into(),
            entry: Entry::Tool { id: "a.b".into(), export: None },
            run_id: "r".into(),
            owner: "o".into(),
            input: JsonText::empty_object(),
            operator_config: JsonText::empty_object(),
            grants: Arc::new(["storage:a/".parse().unwrap()].into_iter().collect()),
            limits: RuntimeLimits::default(),
            seed: [0x11; 32],
        };
        Tape {
            header,
            steps,
            end: TapeEnd {
                outcome: "ok".into(),
                output: Some(JsonText::empty_object()),
                fuel: 3,
                open: false,
            },
        }
    }

    fn step() -> impl Strategy<Value = TapeStep> {
        ("[a-z.]{1,8}", any::<i64>(), ".{0,20}").prop_map(|(op, number, text)| TapeStep {
            op,
            request: serde_json::json!({ "b": number, "a": text }),
            answer: serde_json::json!([text, null, 1.5]),
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(steps in prop::collection::vec(step(), 0..6)) {
            let tape = sample(steps);
            let bytes = tape.encode();
            let read = Tape::decode(&bytes).unwrap();
            prop_assert_eq!(&read, &tape);
            prop_assert_eq!(read.encode(), bytes);
        }

        #[test]
        fn what_is_accepted_is_written_back_equal(at in 0_usize..400, byte in any::<u8>()) {
            let mut bytes = sample(Vec::new()).encode();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(tape) = Tape::decode(&bytes) {
                prop_assert_eq!(tape.encode(), bytes);
            }
        }
    }

    /// Found by the fuzz target `tape_format`: a parser that is almost exact reads another number.
    #[test]
    fn numbers_are_read_back_exactly() {
        let number = 9.428743477379775e-143;
        let step = TapeStep { op: "o".into(), request: number.into(), answer: serde_json::Value::Null };
        let tape = sample(vec![step]);
        assert_eq!(Tape::decode(&tape.encode()), Ok(tape));
    }

    /// The bytes of version 1, and that the names of a step have one order whatever is in the build.
    #[test]
    fn a_step_has_one_spelling() {
        let request = serde_json::json!({ "url": "u", "headers": [{ "value": "v", "name": "n" }] });
        let step =
            TapeStep { op: "http.send".into(), request, answer: serde_json::json!({ "b": 1, "a": 2 }) };
        let bytes = sample(vec![step]).encode();
        let text = String::from_utf8(bytes).unwrap();
        let line = r#"{"step":{"op":"http.send","request":{"headers":[{"name":"n","value":"v"}],"url":"u"},"answer":{"a":2,"b":1}}}"#;
        assert_eq!(text.lines().nth(1), Some(line));
        let other = text.replacen(r#"{"a":2,"b":1}"#, r#"{"b":1,"a":2}"#, 1);
        assert_eq!(Tape::decode(other.as_bytes()), Err(TapeError::NotNormal { line: 2 }));
    }

    #[test]
    fn damage_is_named() {
        let bytes = sample(Vec::new()).encode();
        assert!(matches!(Tape::decode(&bytes[..bytes.len() - 1]), Err(TapeError::BadLine { line: 2, .. })));
        let first_line = bytes.iter().position(|b| *b == b'\n').unwrap();
        assert_eq!(Tape::decode(&bytes[..=first_line]), Err(TapeError::Cut { line: 1 }));
        assert!(matches!(Tape::decode(b""), Err(TapeError::BadLine { line: 1, .. })));
        assert!(matches!(
            Tape::decode(&[&bytes[..], b"x\n"].concat()),
            Err(TapeError::BadLine { line: 2, .. })
        ));
        let spaced = String::from_utf8(bytes).unwrap().replacen("{\"", "{ \"", 1);
        assert_eq!(Tape::decode(spaced.as_bytes()), Err(TapeError::NotNormal { line: 1 }));
    }
}

//! The text form of a tape.

use super::recording::digest_of;
use super::{TAPE_SCHEMA, TAPE_SCHEMA_V1, Tape, TapeEnd, TapeHeader, TapeStep};
use palyra_common::limits::NO_TAPE_LIMIT;
use palyra_common::{InOrder, JsonText};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Largest tape that is read.
const MAX_TAPE_BYTES: usize = 1 << 30;
/// Usual length of a header and an end without their texts.
const LIKELY_FRAME_BYTES: usize = 2 << 10;
/// Usual length of a step.
const LIKELY_STEP_BYTES: usize = 256;

/// Why bytes are not a tape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum TapeError {
    /// Too long to be read.
    #[error("the tape has {bytes} bytes, the limit is {MAX_TAPE_BYTES}")]
    TooLong { bytes: usize },
    /// A line is invalid.
    #[error("invalid line {line} of the tape: {reason}")]
    BadLine {
        /// The line, counted from 1.
        line: usize,
        reason: String,
    },
    /// The end is missing: the tape was cut.
    #[error("the tape is truncated after line {line}")]
    Cut { line: usize },
    /// The text is not the canonical form of the tape.
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
    #[serde(rename = "blob")]
    Blob(BlobLine),
    #[serde(rename = "end")]
    End(TapeEnd),
}

/// A value that steps refer to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlobLine {
    sha256: String,
    value: serde_json::Value,
}

/// A line to be written, which borrows its parts because each call writes a tape.
#[derive(Serialize)]
enum WrittenLine<'a> {
    #[serde(rename = "tape")]
    Header(&'a TapeHeader),
    #[serde(rename = "step")]
    Step(&'a TapeStep),
    #[serde(rename = "blob")]
    Blob(WrittenBlob<'a>),
    #[serde(rename = "end")]
    End(&'a TapeEnd),
}

#[derive(Serialize)]
struct WrittenBlob<'a> {
    sha256: &'a str,
    value: InOrder<'a>,
}

impl Tape {
    /// Encodes the tape as text.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.likely_length());
        write_line(&mut out, &WrittenLine::Header(&self.header));
        for step in &self.steps {
            write_line(&mut out, &WrittenLine::Step(step));
        }
        for (sha256, value) in &self.blobs {
            write_line(&mut out, &WrittenLine::Blob(WrittenBlob { sha256, value: InOrder(value) }));
        }
        write_line(&mut out, &WrittenLine::End(&self.end));
        out
    }

    /// Estimates the size of the text, so that the buffer rarely grows while it is written.
    fn likely_length(&self) -> usize {
        let texts = [Some(&self.header.input), Some(&self.header.operator_config), self.end.output.as_ref()];
        let escaped = |text: &JsonText| text.as_str().len() + text.as_str().len() / 4;
        let texts: usize = texts.into_iter().flatten().map(escaped).sum();
        LIKELY_FRAME_BYTES + texts + self.steps.len() * LIKELY_STEP_BYTES
    }

    /// Reads the text form; accepts only the output of [`Tape::encode`].
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
    let mut blobs = BTreeMap::new();
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
                header = Some(checked(*found).map_err(bad)?);
            }
            (Line::Step(step), true) => steps.push(step),
            (Line::Blob(blob), true) => {
                if header.as_ref().is_some_and(TapeHeader::is_version_1) {
                    return Err(bad("version 1 has no large values".into()));
                }
                if digest_of(&blob.value) != blob.sha256 {
                    return Err(bad("the value does not match its digest".into()));
                }
                blobs.insert(blob.sha256, blob.value);
            }
            (Line::End(end), true) => {
                if lines.next() != Some(b"") || lines.next().is_some() {
                    return Err(bad("unexpected data after the end".into()));
                }
                return match header {
                    Some(header) => Ok(Tape { header, steps, blobs, end }),
                    None => Err(bad("the header is missing".into())),
                };
            }
            (Line::Header(_), true) => return Err(bad("a second header".into())),
            (Line::Step(_) | Line::Blob(_) | Line::End(_), false) => {
                return Err(bad("the header is missing".into()));
            }
        }
    }
    Err(TapeError::Cut { line: number })
}

/// Returns a header of a known version; version 1 had no limit of the tape.
fn checked(mut header: TapeHeader) -> Result<TapeHeader, String> {
    match &*header.schema {
        TAPE_SCHEMA => Ok(header),
        TAPE_SCHEMA_V1 => {
            header.limits.max_tape_bytes = NO_TAPE_LIMIT;
            Ok(header)
        }
        _ => Err(format!("its schema is not `{TAPE_SCHEMA}` or `{TAPE_SCHEMA_V1}`")),
    }
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
            blobs: BTreeMap::new(),
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

    /// Regression test for a finding of the fuzz target `tape_format`: an inexact parser returned another number.
    #[test]
    fn numbers_are_read_back_exactly() {
        let number = 9.428743477379775e-143;
        let step = TapeStep { op: "o".into(), request: number.into(), answer: serde_json::Value::Null };
        let tape = sample(vec![step]);
        assert_eq!(Tape::decode(&tape.encode()), Ok(tape));
    }

    /// The bytes of a step equal those of version 1, and its names are sorted regardless of the features in the build.
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
    fn version_1_is_read_and_written_back_equal() {
        let mut tape = sample(Vec::new());
        tape.header.schema = TAPE_SCHEMA_V1.into();
        tape.header.limits.max_tape_bytes = NO_TAPE_LIMIT;
        let bytes = tape.encode();
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.contains("palyra.tape/v1") && !text.contains("max_tape_bytes"), "{text}");
        assert_eq!(Tape::decode(&bytes), Ok(tape));
        let newer = text.replacen("palyra.tape/v1", "palyra.tape/v2", 1);
        assert_eq!(Tape::decode(newer.as_bytes()), Err(TapeError::NotNormal { line: 1 }));
        let unknown = text.replacen("palyra.tape/v1", "palyra.tape/v3", 1);
        assert!(matches!(Tape::decode(unknown.as_bytes()), Err(TapeError::BadLine { line: 1, .. })));
    }

    #[test]
    fn large_values_are_read_only_under_their_digest() {
        let value = serde_json::json!(["large", 1]);
        let mut tape = sample(Vec::new());
        tape.blobs.insert(digest_of(&value), value);
        let bytes = tape.encode();
        assert_eq!(Tape::decode(&bytes), Ok(tape));
        let other = String::from_utf8(bytes).unwrap().replacen("large", "other", 1);
        assert!(matches!(Tape::decode(other.as_bytes()), Err(TapeError::BadLine { line: 2, .. })));
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

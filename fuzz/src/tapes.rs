//! Tapes: what is accepted is written back byte for byte, and what is written is accepted.

use arbitrary::{Result, Unstructured};
use palyra_common::JsonText;
use palyra_common::capabilities::OperatorGrants;
use palyra_plugins_runtime::{Entry, Tape, TapeStep};
use serde_json::Value;
use std::sync::LazyLock;

/// A tape with every kind of line.
const SAMPLE: &[u8] = include_bytes!("../seeds/tape_format/sample");

static SAMPLE_TAPE: LazyLock<Tape> = LazyLock::new(|| Tape::decode(SAMPLE).expect("the sample is a tape"));

/// Takes the bytes as a tape, as changes to a valid tape, and as the contents of one.
pub fn check_tape(data: &[u8]) {
    check_bytes(data);
    check_bytes(&changed_sample(data));
    if let Ok(tape) = some_tape(&mut Unstructured::new(data)) {
        let bytes = tape.encode();
        let read = Tape::decode(&bytes)
            .unwrap_or_else(|error| panic!("{}: {error}", String::from_utf8_lossy(&bytes)));
        assert_eq!(read, tape, "a tape is read back as another one");
    }
}

fn check_bytes(bytes: &[u8]) {
    if let Ok(tape) = Tape::decode(bytes) {
        assert_eq!(tape.encode(), bytes, "a tape has two spellings");
    }
}

/// The sample with some bytes replaced, removed or put in: `[what, where, where, byte]` each.
fn changed_sample(changes: &[u8]) -> Vec<u8> {
    let mut bytes = SAMPLE.to_vec();
    for change in changes.chunks_exact(4).take(64) {
        if bytes.is_empty() {
            break;
        }
        let at = usize::from(u16::from_le_bytes([change[1], change[2]])) % bytes.len();
        match change[0] % 4 {
            0 => bytes[at] = change[3],
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, change[3]),
            _ => bytes.truncate(at),
        }
    }
    bytes
}

fn some_tape(data: &mut Unstructured<'_>) -> Result<Tape> {
    let mut tape = SAMPLE_TAPE.clone();
    tape.header.run_id = data.arbitrary::<String>()?.into();
    tape.header.input = JsonText::from(&some_value(data, 3)?);
    tape.header.entry = match data.int_in_range(0..=2)? {
        0 => Entry::Describe,
        1 => Entry::Tool { id: data.arbitrary()?, export: data.arbitrary()? },
        _ => Entry::Hook { id: data.arbitrary()?, event: data.arbitrary()?, export: data.arbitrary()? },
    };
    if let Ok(grants) = OperatorGrants::parse([data.arbitrary::<&str>()?]) {
        tape.header.grants = grants.capabilities.into();
    }
    tape.header.limits.fuel_budget = data.arbitrary()?;
    tape.end.output =
        data.arbitrary::<bool>()?.then(|| some_value(data, 3)).transpose()?.as_ref().map(JsonText::from);
    tape.end.fuel = data.arbitrary()?;
    tape.end.open = data.arbitrary()?;
    tape.steps.clear();
    for _ in 0..data.int_in_range(0..=4)? {
        tape.steps.push(TapeStep {
            op: data.arbitrary()?,
            request: some_value(data, 3)?,
            answer: some_value(data, 3)?,
        });
    }
    Ok(tape)
}

fn some_value(data: &mut Unstructured<'_>, depth: u32) -> Result<Value> {
    Ok(match data.int_in_range(0..=if depth == 0 { 5 } else { 7 })? {
        0 => Value::Null,
        1 => data.arbitrary::<bool>()?.into(),
        2 => data.arbitrary::<i64>()?.into(),
        3 => data.arbitrary::<u64>()?.into(),
        4 => data.arbitrary::<f64>()?.into(),
        5 => data.arbitrary::<String>()?.into(),
        6 => {
            (0..data.int_in_range(0..=3)?).map(|_| some_value(data, depth - 1)).collect::<Result<Value>>()?
        }
        _ => {
            let field = |_| Ok((data.arbitrary::<String>()?, some_value(data, depth - 1)?));
            Value::Object((0..3).map(field).collect::<Result<_>>()?)
        }
    })
}

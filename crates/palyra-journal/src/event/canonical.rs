//! JSON with one spelling: sorted keys, no blanks, integers only.

use super::EventError;
use serde_json::Value;

/// Deepest nesting of an event's details.
pub const MAX_DETAILS_DEPTH: usize = 32;

/// Appends the canonical text of a value.
pub(super) fn write_value(out: &mut Vec<u8>, value: &Value) -> Result<(), EventError> {
    write_nested(out, value, MAX_DETAILS_DEPTH)
}

/// Appends a JSON string with the shortest escapes.
pub(super) fn write_string(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut plain = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let escape: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            0x08 => b"\\b",
            0x0c => b"\\f",
            0x00..=0x1f => b"",
            _ => continue,
        };
        out.extend_from_slice(bytes.get(plain..at).unwrap_or_default());
        match escape {
            b"" => {
                let digit = |nibble: u8| HEX.get(usize::from(nibble)).copied().unwrap_or(b'0');
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
            }
            _ => out.extend_from_slice(escape),
        }
        plain = at + 1;
    }
    out.extend_from_slice(bytes.get(plain..).unwrap_or_default());
    out.push(b'"');
}

fn write_nested(out: &mut Vec<u8>, value: &Value, levels: usize) -> Result<(), EventError> {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => write_integer(out, number),
            (None, Some(number)) => {
                out.push(b'-');
                write_integer(out, number.unsigned_abs());
            }
            (None, None) => return Err(EventError::NotAnInteger { number: number.to_string() }),
        },
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            let levels = levels.checked_sub(1).ok_or(EventError::TooDeep)?;
            out.push(b'[');
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                write_nested(out, item, levels)?;
            }
            out.push(b']');
        }
        Value::Object(fields) => {
            let levels = levels.checked_sub(1).ok_or(EventError::TooDeep)?;
            // The order of a map depends on a feature of the JSON crate; that of a leaf must not.
            if fields.keys().is_sorted() {
                return write_fields(out, fields.iter(), levels);
            }
            let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| *name);
            return write_fields(out, sorted.into_iter(), levels);
        }
    }
    Ok(())
}

fn write_fields<'a>(
    out: &mut Vec<u8>,
    fields: impl Iterator<Item = (&'a String, &'a Value)>,
    levels: usize,
) -> Result<(), EventError> {
    out.push(b'{');
    for (position, (name, item)) in fields.enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write_string(out, name);
        out.push(b':');
        write_nested(out, item, levels)?;
    }
    out.push(b'}');
    Ok(())
}

/// Appends the decimal digits of a number.
pub(super) fn write_integer(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0_u8; 20];
    let mut length = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
        length += 1;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(digits.len() - length..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(value: &Value) -> String {
        let mut out = Vec::new();
        write_value(&mut out, value).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn one_spelling() {
        let value = json!({"b": [1, -2, null, true], "a": {"é": "x\n\"\u{1}\u{7f}", "": false}});
        assert_eq!(
            text(&value),
            "{\"a\":{\"\":false,\"é\":\"x\\n\\\"\\u0001\u{7f}\"},\"b\":[1,-2,null,true]}"
        );
        assert_eq!(text(&json!([u64::MAX, i64::MIN, 0])), "[18446744073709551615,-9223372036854775808,0]");
    }

    #[test]
    fn strings_are_spelled_as_the_json_crate_spells_them() {
        let every: String = ('\0'..='\u{ff}').chain(['\u{2028}', '\u{10ffff}', '\\']).collect();
        assert_eq!(text(&json!(every)), serde_json::to_string(&every).unwrap());
    }

    #[test]
    fn fractions_and_depth_are_refused() {
        let mut out = Vec::new();
        assert_eq!(
            write_value(&mut out, &json!({"a": 1.5})),
            Err(EventError::NotAnInteger { number: "1.5".into() })
        );
        let nested = |levels| (0..levels).fold(json!(0), |inner, _| json!([inner]));
        assert_eq!(write_value(&mut out, &nested(MAX_DETAILS_DEPTH)), Ok(()));
        assert_eq!(write_value(&mut out, &nested(MAX_DETAILS_DEPTH + 1)), Err(EventError::TooDeep));
    }
}

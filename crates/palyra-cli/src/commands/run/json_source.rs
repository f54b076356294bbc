//! `--input` and `--config`: JSON text, `@FILE` or `-`.

use crate::error::CliError;
use crate::files::{FileError, read_file};
use crate::standard_input::StandardInput;
use palyra_common::{JsonText, LimitKind, RuntimeLimits, WasmPluginRunError};
use serde_path_to_error::{Path as JsonPath, Segment};
use std::path::Path;

/// Maximum size of the settings of a plugin in bytes.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// Reads the input of a tool, `{}` if none is given. Input of more than `most` bytes exceeds the input limit and is not
/// read to its end.
pub(super) fn read_input(
    text: Option<&str>,
    stdin: &mut StandardInput,
    most: u64,
) -> Result<JsonText, CliError> {
    let Some(text) = text else { return Ok(JsonText::empty_object()) };
    let bytes = match read_bytes("--input", text, stdin, most)? {
        Bytes::All(bytes) => bytes,
        Bytes::TooMany(used) => {
            return Err(
                WasmPluginRunError::QuotaExceeded { limit: LimitKind::Input, allowed: most, used }.into()
            );
        }
    };
    JsonText::parse(bytes.as_slice()).map_err(|error| {
        let remedy = if Path::new(text).is_file() {
            format!("to read the file, write `--input @{text}`")
        } else {
            "`--input` takes JSON text, `@FILE` or `-`".to_owned()
        };
        let pointer = Some(pointer_of_error(&bytes));
        WasmPluginRunError::InvalidInput {
            subject: "input",
            pointer,
            reason: error.to_string(),
            remedy: Some(remedy),
        }
        .into()
    })
}

/// Reads the input of a later call, within the default limit.
pub(crate) fn read_tool_input(text: Option<&str>, stdin: &mut StandardInput) -> Result<JsonText, CliError> {
    read_input(text, stdin, RuntimeLimits::default().max_input_bytes)
}

/// Reads the operator's settings, `{}` if none are given.
pub(super) fn read_config(text: Option<&str>, stdin: &mut StandardInput) -> Result<JsonText, CliError> {
    let Some(text) = text else { return Ok(JsonText::empty_object()) };
    match read_bytes("--config", text, stdin, MAX_CONFIG_BYTES)? {
        Bytes::All(bytes) => JsonText::parse(bytes).map_err(|error| {
            let hint = "`--config` takes JSON text, `@FILE` or `-`";
            CliError::usage_with_hint(format!("invalid `--config`: {error}"), hint)
        }),
        Bytes::TooMany(_) => {
            Err(CliError::usage(format!("`--config` has more than {MAX_CONFIG_BYTES} bytes")))
        }
    }
}

enum Bytes {
    All(Vec<u8>),
    TooMany(u64),
}

fn read_bytes(flag: &str, text: &str, stdin: &mut StandardInput, most: u64) -> Result<Bytes, CliError> {
    if text == "-" {
        let (bytes, whole) = stdin.read(&format!("{flag} -"), most)?;
        return Ok(if whole { Bytes::All(bytes) } else { Bytes::TooMany(bytes.len() as u64) });
    }
    let Some(path) = text.strip_prefix('@') else { return Ok(Bytes::All(text.as_bytes().to_vec())) };
    match read_file(Path::new(path), most) {
        Ok(bytes) => Ok(Bytes::All(bytes)),
        Err(FileError::TooLong { bytes, .. }) => Ok(Bytes::TooMany(bytes)),
        Err(error) => Err(error.into()),
    }
}

/// Returns a JSON pointer to the value in which the text stops being JSON.
fn pointer_of_error(bytes: &[u8]) -> String {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    // The parser only reports a path when it builds a tree, so this is done for invalid input only.
    match serde_path_to_error::deserialize::<_, serde_json::Value>(&mut deserializer) {
        Ok(_) => String::new(),
        Err(error) => pointer(error.path()),
    }
}

fn pointer(path: &JsonPath) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } => {
                pointer.push_str(&format!("/{}", key.replace('~', "~0").replace('/', "~1")))
            }
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<JsonText, CliError> {
        read_input(Some(text), &mut StandardInput::new(true), 100)
    }

    fn refused(text: &str) -> (String, String) {
        match read(text) {
            Err(CliError::Run(WasmPluginRunError::InvalidInput { pointer, reason, .. })) => {
                (pointer.unwrap(), reason)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn mistakes_are_named_with_line_column_and_pointer() {
        assert_eq!(
            refused(""),
            (String::new(), "it is not JSON: EOF while parsing a value at line 1 column 0".into())
        );
        assert_eq!(
            refused("{\"a\": [1, {\"b/c\":\n x}]}"),
            ("/a/1/b~1c".into(), "it is not JSON: expected value at line 2 column 2".into())
        );
        assert_eq!(refused("{} {}").1, "it is not JSON: trailing characters at line 1 column 4");
    }

    #[test]
    fn text_and_files() {
        assert_eq!(read("[1]").unwrap().as_str(), "[1]");
        assert_eq!(read_input(None, &mut StandardInput::new(true), 0).unwrap().as_str(), "{}");
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().display();
        std::fs::write(file.path(), " {\"a\":1}\n").unwrap();
        assert_eq!(read(&format!("@{path}")).unwrap().as_str(), " {\"a\":1}\n");
        std::fs::write(file.path(), [b' '; 101]).unwrap();
        let over = read(&format!("@{path}"));
        assert!(matches!(
            over,
            Err(CliError::Run(WasmPluginRunError::QuotaExceeded { allowed: 100, used: 101, .. }))
        ));
        assert_eq!(
            read(&path.to_string()).unwrap_err().hints(),
            [format!("to read the file, write `--input @{path}`")]
        );
        assert_eq!(read("@/no/such/file").unwrap_err().exit_code(), 2);
    }

    #[test]
    fn settings_are_part_of_the_command_line() {
        let error = read_config(Some("{"), &mut StandardInput::new(true)).unwrap_err();
        assert_eq!(error.exit_code(), 2);
    }
}

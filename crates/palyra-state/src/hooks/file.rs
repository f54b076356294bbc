//! `hooks/bindings.json`: parsing with line and field in every error, and writing.

use palyra_common::fs::Directory;
use palyra_common::text::clip_untrusted;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{BindingProblem, HookBindingRecord, HookStore};
use crate::error::StateError;

/// Schema name of the file.
pub const BINDINGS_SCHEMA: &str = "palyra.hooks.bindings/v1";
/// Maximum number of bindings.
pub(super) const MAX_BINDINGS: usize = 4_096;
/// Maximum size of the file in bytes.
const MAX_BYTES: u64 = 3 << 20;
const FOLDER: &str = "hooks";
const NAME: &str = "bindings.json";

/// Parse error of the file, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`hooks/bindings.json` line {line}, `{field}`: {reason}")]
pub struct BindingsFault {
    /// Line number, starting at 1.
    pub line: usize,
    /// Path of the field, for example `bindings[2].event`.
    pub field: String,
    /// The rule that the content violates.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText<'a> {
    schema: String,
    #[serde(borrow)]
    bindings: Vec<&'a RawValue>,
}

/// A binding with its position in the file.
pub(super) struct Placed {
    pub(super) binding: HookBindingRecord,
    index: usize,
    line: usize,
}

impl Placed {
    /// Returns the error of one field of this binding.
    pub(super) fn fault(&self, problem: BindingProblem) -> BindingsFault {
        let field = format!("bindings[{}].{}", self.index, problem.field);
        BindingsFault { line: self.line, field, reason: problem.reason }
    }
}

/// Parses the text of a file; checks every binding on its own and rejects duplicate ids.
pub(super) fn parse_placed(text: &str) -> Result<Vec<Placed>, BindingsFault> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let file: FileText<'_> = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| fault(0, "", error.path().to_string(), error.inner()))?;
    reader.end().map_err(|error| fault(0, "", String::new(), &error))?;
    if file.schema != BINDINGS_SCHEMA {
        let reason = format!("this version reads `{BINDINGS_SCHEMA}`");
        return Err(BindingsFault {
            line: line_of_field(text, "\"schema\""),
            field: "schema".into(),
            reason,
        });
    }
    if file.bindings.len() > MAX_BINDINGS {
        let reason = format!("the file has {}, the limit is {MAX_BINDINGS}", file.bindings.len());
        return Err(BindingsFault {
            line: line_of_field(text, "\"bindings\""),
            field: "bindings".into(),
            reason,
        });
    }
    let mut known = std::collections::HashSet::new();
    let mut placed = Vec::with_capacity(file.bindings.len());
    for (index, raw) in file.bindings.iter().enumerate() {
        let read = read_one(text, index, raw)?;
        read.binding.check().map_err(|problem| read.fault(problem))?;
        if !known.insert(read.binding.id.clone()) {
            let reason = format!("duplicate binding `{}`", read.binding.id);
            return Err(read.fault(BindingProblem::new("id", &reason)));
        }
        placed.push(read);
    }
    Ok(placed)
}

fn read_one(text: &str, index: usize, raw: &RawValue) -> Result<Placed, BindingsFault> {
    // A raw value borrows from the text it was read from, so the pointer distance is its offset.
    let offset = (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.get(..offset).unwrap_or_default().matches('\n').count();
    let mut reader = serde_json::Deserializer::from_str(raw.get());
    let binding = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        fault(before, &format!("bindings[{index}]"), error.path().to_string(), error.inner())
    })?;
    Ok(Placed { binding, index, line: before + 1 })
}

/// Converts a parser error; its line is relative to the value, and its column is dropped.
fn fault(lines_before: usize, within: &str, path: String, error: &serde_json::Error) -> BindingsFault {
    let path = if path == "." { String::new() } else { path };
    let field = match (within.is_empty(), path.is_empty()) {
        (true, true) => "the file".to_owned(),
        (true, false) => path,
        (false, true) => within.to_owned(),
        (false, false) => format!("{within}.{path}"),
    };
    let message = error.to_string();
    let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
    let reason = clip_untrusted(reason, 300);
    BindingsFault { line: lines_before + error.line().max(1), field, reason }
}

fn line_of_field(text: &str, field: &str) -> usize {
    let at = text.find(field).unwrap_or(0);
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}

/// Returns the text of a file with these bindings.
pub(super) fn write_text<'b>(
    bindings: impl Iterator<Item = &'b HookBindingRecord>,
) -> Result<String, StateError> {
    #[derive(serde::Serialize)]
    struct File<'b> {
        schema: &'static str,
        bindings: Vec<&'b HookBindingRecord>,
    }
    let file = File { schema: BINDINGS_SCHEMA, bindings: bindings.collect() };
    let text = serde_json::to_string_pretty(&file).map_err(StateError::record("written", NAME))?;
    Ok(text + "\n")
}

impl HookStore<'_> {
    /// Returns the text of the file, or `None` if it does not exist.
    pub(super) fn read_file(&self) -> Result<Option<String>, StateError> {
        let root = Directory::open_private(self.state.root.path())?;
        let folder = match root.open_private_in(FOLDER) {
            Ok(folder) => folder,
            Err(error) if error.is_not_found() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let bytes = folder.read(NAME, MAX_BYTES)?;
        let text = bytes.map(String::from_utf8).transpose();
        text.map_err(|error| StateError::record("read", "hooks/bindings.json")(error.utf8_error()))
    }

    /// Replaces the file atomically.
    pub(super) fn write_file(&self, text: &str) -> Result<(), StateError> {
        let root = Directory::open_private(self.state.root.path())?;
        Ok(root.create_private_in(FOLDER)?.write(NAME, text.as_bytes())?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn file(bindings: &str) -> String {
        format!("{{\n  \"schema\": \"{BINDINGS_SCHEMA}\",\n  \"bindings\": [\n{bindings}\n  ]\n}}\n")
    }

    fn parsed(text: &str) -> Result<Vec<HookBindingRecord>, BindingsFault> {
        parse_placed(text).map(|placed| placed.into_iter().map(|placed| placed.binding).collect())
    }

    fn message(text: &str) -> String {
        parsed(text).unwrap_err().to_string()
    }

    const ONE: &str =
        r#"    { "id": "a", "event": "run:failed", "plugin": "acme.notes", "hook": "acme.notes.on" }"#;

    #[test]
    fn what_is_written_reads_back() {
        let read = parsed(&file(ONE)).unwrap();
        assert_eq!((read[0].enabled, read[0].order), (true, 100));
        assert_eq!(parsed(&write_text(read.iter()).unwrap()).unwrap(), read);
    }

    #[test]
    fn a_fault_has_a_line_and_a_field() {
        assert_eq!(
            message(&file(&ONE.replace("run:failed", "run:fell"))),
            "`hooks/bindings.json` line 4, `bindings[0].event`: unknown event `run:fell`"
        );
        assert_eq!(
            message(&file(&format!("{ONE},\n{ONE}"))),
            "`hooks/bindings.json` line 5, `bindings[1].id`: duplicate binding `a`"
        );
        assert_eq!(
            message(&file(&ONE.replace("\"acme.notes\",", "7,"))),
            "`hooks/bindings.json` line 4, `bindings[0].plugin`: invalid type: integer `7`, expected a string"
        );
        assert!(
            message(&file(&ONE.replace("\"id\": \"a\",", "")))
                .contains("line 4, `bindings[0]`: missing field `id`")
        );
        assert!(message(&file(&ONE.replace(" }", ", \"allow\": true }"))).contains("unknown field `allow`"));
        assert!(message("{\n  \"schema\": oh\n}").starts_with("`hooks/bindings.json` line 2, `schema`"));
        assert!(message(&file(ONE).replace("/v1", "/v9")).contains("line 2, `schema`"));
        assert!(message("").starts_with("`hooks/bindings.json` line 1"));
        assert!(message("[]").contains("line 1"));
    }
}

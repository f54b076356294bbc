//! The test cases of a skill: `tests/*.json`.

use crate::error::CliError;
use crate::files::read_file;
use palyra_skills::SkillManifest;
use palyra_skills::manifest::ToolEntrypoint;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Directory of the test cases.
pub(super) const FOLDER: &str = "tests";
/// Maximum size of a file of cases, in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// Maximum number of files of cases.
const MAX_FILES: usize = 1_000;

/// A file of cases, which run in order and share storage.
pub(super) struct CaseFile {
    /// Name of the file without `.json`.
    pub(super) name: String,
    pub(super) secrets: BTreeMap<String, String>,
    pub(super) config: BTreeMap<String, Value>,
    pub(super) cases: Vec<Case>,
}

/// A call and its expected result.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) name: Option<String>,
    tool: Option<String>,
    #[serde(default = "empty")]
    pub(super) input: Value,
    /// Expected output, compared as a whole.
    #[serde(default, deserialize_with = "present")]
    output: Option<Value>,
    /// Fields that the output must contain, among others.
    #[serde(default, deserialize_with = "present")]
    contains: Option<Value>,
    /// Expected error code.
    error: Option<String>,
    /// Grants of the case, instead of everything the manifest requests.
    pub(super) grants: Option<Vec<String>>,
}

/// The expected result of a call.
#[derive(Debug, PartialEq)]
pub(super) enum Expected<'c> {
    /// Any output that matches the schema.
    Success,
    Output(&'c Value),
    Contains(&'c Value),
    Error(&'c str),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    #[serde(default)]
    secrets: BTreeMap<String, String>,
    #[serde(default)]
    config: BTreeMap<String, Value>,
    cases: Vec<Case>,
}

impl Case {
    pub(super) fn expected(&self) -> Expected<'_> {
        match (&self.output, &self.contains, &self.error) {
            (Some(output), ..) => Expected::Output(output),
            (_, Some(part), _) => Expected::Contains(part),
            (.., Some(code)) => Expected::Error(code),
            _ => Expected::Success,
        }
    }

    /// Returns the tool that the case calls; optional for a skill with one tool.
    pub(super) fn tool<'m>(
        &self,
        place: &str,
        manifest: &'m SkillManifest,
    ) -> Result<&'m ToolEntrypoint, CliError> {
        find_tool(self.tool.as_deref(), manifest)
            .map_err(|(message, hint)| CliError::usage_with_hint(format!("{place}: {message}"), hint))
    }
}

/// Returns the tool of a skill with this id, or its only one; an error has a message and a hint.
pub(in crate::commands::skills) fn find_tool<'m>(
    id: Option<&str>,
    manifest: &'m SkillManifest,
) -> Result<&'m ToolEntrypoint, (String, String)> {
    let tools = &manifest.entrypoints.tools;
    let known = || tools.iter().map(|tool| format!("`{}`", tool.id)).collect::<Vec<_>>().join(", ");
    match (id, tools.as_slice()) {
        (Some(id), _) => tools
            .iter()
            .find(|tool| tool.id == id)
            .ok_or_else(|| (format!("skill.toml has no tool `{id}`"), format!("there is {}", known()))),
        (None, [only]) => Ok(only),
        (None, []) => Err(("skill.toml has no tool".into(), "add one below `[[entrypoints.tools]]`".into())),
        (None, _) => {
            Err(("several tools, and no `tool` says which one".into(), format!("there is {}", known())))
        }
    }
}

/// Reads all files of cases, sorted by name.
pub(super) fn read(directory: &Path) -> Result<Vec<CaseFile>, CliError> {
    let folder = directory.join(FOLDER);
    let cannot = |error: io::Error| CliError::unusable_place("directory", &folder, &error);
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(cannot)?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<PathBuf>>>();
    let mut paths = paths.map_err(cannot)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    if paths.len() > MAX_FILES {
        let message = format!("`{}` has more than {MAX_FILES} files of test cases", folder.display());
        return Err(CliError::usage(message));
    }
    paths.iter().map(|path| read_one(path)).collect()
}

fn read_one(path: &Path) -> Result<CaseFile, CliError> {
    let bytes = read_file(path, MAX_BYTES)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let wrong = |reason: String| {
        CliError::usage_with_hint(
            format!("`{}` is not a file of test cases: {reason}", path.display()),
            "a case is like `[{\"input\": {…}, \"output\": {…}}]`; an error is expected with `\"error\": \"CODE\"`",
        )
    };
    let list = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    let whole = if list {
        parse::<Vec<Case>>(&bytes).map(|cases| Whole {
            secrets: BTreeMap::new(),
            config: BTreeMap::new(),
            cases,
        })
    } else {
        parse::<Whole>(&bytes)
    };
    let whole = whole.map_err(wrong)?;
    for (index, case) in whole.cases.iter().enumerate() {
        let expectations =
            [case.output.is_some(), case.contains.is_some(), case.error.is_some()].map(usize::from);
        if expectations.iter().sum::<usize>() > 1 {
            return Err(wrong(format!(
                "case {} has more than one of `output`, `contains` and `error`",
                index + 1
            )));
        }
    }
    Ok(CaseFile { name, secrets: whole.secrets, config: whole.config, cases: whole.cases })
}

/// Parses a file; the error starts with the path of the mistake, as in `[1].inptu`.
fn parse<T: for<'d> Deserialize<'d>>(bytes: &[u8]) -> Result<T, String> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let parsed = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let (path, reason) = (error.path().to_string(), error.inner().to_string());
        if path == "." { reason } else { format!("{path}: {reason}") }
    })?;
    deserializer.end().map_err(|error| error.to_string())?;
    Ok(parsed)
}

fn empty() -> Value {
    Value::Object(serde_json::Map::new())
}

/// Deserializes `null` as a value, because a case can expect it.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::json;

    fn read_text(text: &str) -> Result<CaseFile, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.json");
        std::fs::write(&path, text).unwrap();
        read_one(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn both_forms_are_read() {
        let list =
            read_text(r#" [{"input": {"n": 1}, "output": null}, {"error": "invalid_input"}, {}]"#).unwrap();
        let expected: Vec<Expected<'_>> = list.cases.iter().map(Case::expected).collect();
        assert_eq!(
            expected,
            [Expected::Output(&Value::Null), Expected::Error("invalid_input"), Expected::Success]
        );
        assert_eq!((list.name.as_str(), &list.cases[2].input), ("a", &json!({})));
        let whole =
            read_text(r#"{"config": {"unit": "m"}, "secrets": {"token": "x"}, "cases": []}"#).unwrap();
        assert_eq!((whole.config["unit"].clone(), whole.secrets.len()), (json!("m"), 1));
    }

    #[test]
    fn mistakes_name_their_place() {
        for (text, part) in [
            (r#"[{"input": {}, "outptu": 1}]"#, "[0].outptu: unknown field `outptu`"),
            (r#"[{"output": 1, "error": "x"}]"#, "case 1 has more than one of"),
            (r#"{"case": []}"#, "unknown field `case`"),
            ("[] x", "trailing characters"),
            ("", "EOF"),
        ] {
            let error = read_text(text).err().unwrap();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

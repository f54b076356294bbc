//! Errors of packaging a skill.

use super::CliError;
use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_skills::{BuildError, CosignError, ManifestError};
use serde_json::{Value, json};

impl From<CosignError> for CliError {
    fn from(error: CosignError) -> Self {
        match error {
            CosignError::Build(error) => error.into(),
            CosignError::Package(ref reason) => {
                Self::Problem(Box::new(Problem::new(reason.code(), error.to_string()).hint(error.hint())))
            }
            CosignError::NotListed { .. } | CosignError::AlreadySigned(_) => {
                Self::usage_with_hint(error.to_string(), error.hint())
            }
        }
    }
}

pub(super) fn code(error: &BuildError) -> ErrorCode {
    match error {
        BuildError::Manifest(_) => ErrorCode::BadManifest,
        _ => ErrorCode::BuildRefused,
    }
}

pub(super) fn details(error: &BuildError) -> Value {
    match error {
        BuildError::Manifest(error) => manifest_details(std::slice::from_ref(&**error)),
        _ => json!({}),
    }
}

pub(super) fn notes(error: &BuildError) -> Vec<(&'static str, String)> {
    match error {
        BuildError::Manifest(error) => manifest_notes(std::slice::from_ref(&**error)),
        _ => Vec::new(),
    }
}

/// Returns the message of the only problem, or the number of problems.
pub(super) fn manifest_message(problems: &[ManifestError]) -> String {
    match problems {
        [only] => only.to_string(),
        problems => format!("skill.toml has {} problems", problems.len()),
    }
}

/// Returns the hint for the only problem; each of several problems has its own in the notes.
pub(super) fn manifest_hints(problems: &[ManifestError]) -> Vec<String> {
    match problems {
        [only] => vec![only.hint().unwrap_or_else(|| format!("write {}", only.expected()))],
        _ => Vec::new(),
    }
}

/// Returns the position of the first problem, and all problems.
pub(super) fn manifest_details(problems: &[ManifestError]) -> Value {
    let problem = |error: &ManifestError| {
        json!({
            "path": error.path(), "line": error.line(), "column": error.column(), "expected": error.expected(),
            "message": error.problem().to_string(), "fix": error.hint(),
        })
    };
    let Some(first) = problems.first() else { return json!({}) };
    json!({
        "path": first.path(), "line": first.line(), "column": first.column(), "expected": first.expected(),
        "problems": problems.iter().map(problem).collect::<Vec<_>>(),
    })
}

/// Returns the source line of the only problem, or one note per problem.
pub(super) fn manifest_notes(problems: &[ManifestError]) -> Vec<(&'static str, String)> {
    let [only] = problems else {
        let all = problems.iter().map(|error| {
            let fix = error.hint().map(|fix| format!("; {fix}")).unwrap_or_default();
            ("problem", format!("{error}; expected {}{fix}", error.expected()))
        });
        return all.collect();
    };
    let rendered = only.render();
    let line = rendered
        .lines()
        .nth(2)
        .and_then(|line| line.split_once(" | "))
        .map(|(_, text)| text.trim().to_owned());
    let line = line.filter(|line| !line.is_empty()).map(|line| ("line", line));
    line.into_iter().chain([("expected", only.expected())]).collect()
}

//! Skills that cannot be packaged.

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
        BuildError::Manifest(error) => {
            json!({ "path": error.path(), "line": error.line(), "column": error.column(), "expected": error.expected() })
        }
        _ => json!({}),
    }
}

pub(super) fn notes(error: &BuildError) -> Vec<(&'static str, String)> {
    match error {
        BuildError::Manifest(error) => manifest_notes(error),
        _ => Vec::new(),
    }
}

/// The line with the problem, as the reader of the manifest draws it.
fn manifest_notes(error: &ManifestError) -> Vec<(&'static str, String)> {
    let rendered = error.render();
    let line = rendered
        .lines()
        .nth(2)
        .and_then(|line| line.split_once(" | "))
        .map(|(_, text)| text.trim().to_owned());
    let line = line.filter(|line| !line.is_empty()).map(|line| ("line", line));
    line.into_iter().chain([("expected", error.expected())]).collect()
}

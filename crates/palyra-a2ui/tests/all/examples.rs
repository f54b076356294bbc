//! The examples under `schemas/json/examples/a2ui`, which clients in other languages read as well.

use palyra_a2ui::{A2uiDocument, A2uiFormSubmitEvent, A2uiPatch};
use serde_json::Value;

pub(crate) fn examples(folder: &str) -> Vec<(String, Value)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/json/examples/a2ui");
    let mut files: Vec<_> =
        std::fs::read_dir(format!("{root}/{folder}")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.display().to_string(), serde_json::from_str(&text).unwrap())
    };
    files.into_iter().map(read).collect()
}

#[test]
fn valid_examples_are_accepted_by_types_and_schema() {
    let schema = jsonschema::validator_for(&palyra_a2ui::json_schema()).unwrap();
    let examples = examples("valid");
    assert!(examples.len() >= 6);
    for (path, example) in examples {
        let document =
            A2uiDocument::parse(&example.to_string()).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(schema.is_valid(&example), "{path}");
        assert_eq!(A2uiDocument::parse(document.to_json().as_str()).unwrap(), document, "{path}");
    }
}

/// Each example has the value under the name of its type, and the pointer of its error.
#[test]
fn invalid_examples_are_refused_at_their_place() {
    let examples = examples("invalid");
    assert!(examples.len() >= 10);
    for (path, example) in examples {
        let error = match (example.get("document"), example.get("patch"), example.get("event")) {
            (Some(value), ..) => A2uiDocument::parse(&value.to_string()).map(drop),
            (_, Some(value), _) => A2uiPatch::parse(&value.to_string()).map(drop),
            (.., Some(value)) => A2uiFormSubmitEvent::parse(&value.to_string()).map(drop),
            _ => panic!("{path} has no document, patch or event"),
        };
        let error = error.expect_err(&path);
        assert_eq!(error.pointer, example["pointer"].as_str().unwrap(), "{path}: {error}");
    }
}

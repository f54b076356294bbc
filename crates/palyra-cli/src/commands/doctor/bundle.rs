//! The support bundle: the report, versions, names and states; no secrets, inputs or outputs.

use crate::error::CliError;
use palyra_common::fs::Directory;
use palyra_daemon::doctor::{Report, Subject};
use palyra_state::State;
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn write(path: &Path, subject: &Subject, report: &Report) -> Result<String, CliError> {
    let refused =
        |error: palyra_common::fs::FsError| CliError::usage(format!("cannot write the bundle: {error}"));
    let document = json!({
        "schema": "palyra.doctor.bundle/v1",
        "palyra_version": env!("CARGO_PKG_VERSION"),
        "system": { "os": std::env::consts::OS, "arch": std::env::consts::ARCH },
        "report": report,
        "state": state(subject),
    });
    let bytes = serde_json::to_vec_pretty(&document).map_err(|error| CliError::usage(error.to_string()))?;
    let (directory, name) = Directory::of_file(path).map_err(refused)?;
    directory.write_new(&name, &bytes).map_err(refused)?;
    Ok(path.display().to_string())
}

/// Returns names and states, if the state can be opened.
fn state(subject: &Subject) -> Value {
    let Ok(state) = State::open(&subject.root, &subject.options) else { return Value::Null };
    let view = state.view();
    let skills: Vec<Value> = view
        .index()
        .iter()
        .map(|record| {
            json!({ "skill_id": record.skill_id, "version": record.current.manifest.version.to_string(),
                "payload": record.current.payload.to_string(), "trust": record.current.trust,
                "quarantined": record.current.quarantine.is_some() })
        })
        .collect();
    json!({ "generation": view.generation(), "journal": state.journal().head(),
        "device_key": state.vault().describe().name(), "skills": skills })
}

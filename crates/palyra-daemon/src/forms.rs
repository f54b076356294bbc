//! Checks the values of a submitted form against the form that was shown, and separates secrets from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use palyra_a2ui::{A2uiDocument, A2uiFormSubmitEvent, FieldValue, FormValues};
use palyra_api::Problem;
use palyra_api::sessions::FormSubmit;
use palyra_common::capabilities::SecretRef;
use palyra_common::{ErrorCode, JsonText, Principal, SecretValue};
use palyra_journal::{EventKind, NewEvent};
use palyra_skills::Sha256Digest;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::blocking::blocking;
use crate::problem::ToProblem;

/// The checked values of a submitted form.
pub(crate) struct CheckedForm {
    /// Values by field name; a secret is the reference under which the vault stores it.
    pub(crate) values: Map<String, Value>,
    secrets: Vec<(SecretRef, SecretValue)>,
}

impl CheckedForm {
    /// Checks a submission against the document of a skill.
    pub(crate) fn new(
        document: &A2uiDocument,
        skill_id: Option<&str>,
        submit: &FormSubmit,
    ) -> Result<Self, Problem> {
        let event = json!({ "componentId": submit.component_id, "values": submit.values });
        let event = A2uiFormSubmitEvent::parse(JsonText::from(&event).as_str()).map_err(invalid)?;
        let FormValues { values, secrets } = document.check_submit(&event).map_err(invalid)?;
        let mut values: Map<String, Value> =
            values.into_iter().map(|(name, value)| (name, json_of(value))).collect();
        let secrets = name_secrets(skill_id, secrets)?;
        let names = secrets.iter().map(|(name, reference, _)| (name.clone(), reference.to_string().into()));
        values.extend(names);
        let secrets = secrets.into_iter().map(|(_, reference, value)| (reference, value)).collect();
        Ok(Self { values, secrets })
    }

    /// Stores its secrets in the vault.
    pub(crate) async fn keep_secrets(&mut self, app: &Arc<App>, by: &Principal) -> Result<(), Problem> {
        let secrets = std::mem::take(&mut self.secrets);
        if secrets.is_empty() {
            return Ok(());
        }
        let (app, by) = (Arc::clone(app), by.name.clone());
        let put = blocking(move || {
            secrets
                .iter()
                .try_for_each(|(reference, value)| app.vault().put_secret(reference, value, &by).map(drop))
        });
        put.await?.map_err(|error| error.to_problem())
    }

    /// Returns the leaf of the submission, with the names of the fields and the digest of their values.
    pub(crate) fn leaf(&self, now_ms: u64, by: &Principal, surface: &str, of: Value) -> NewEvent {
        let names: Vec<&String> = self.values.keys().collect();
        let text = JsonText::from(&Value::Object(self.values.clone()));
        let mut details = json!({ "fields": names,
            "values_sha256": Sha256Digest::of(text.as_str().as_bytes()).to_string() });
        if let (Some(details), Value::Object(of)) = (details.as_object_mut(), of) {
            details.extend(of);
        }
        let leaf = NewEvent::new(EventKind::SurfaceSubmitted, now_ms).details(details);
        leaf.actor(by.actor().into_owned()).subject(surface.to_owned())
    }
}

/// Returns the problem of a document or submission that is rejected.
pub(crate) fn invalid(error: palyra_a2ui::A2uiError) -> Problem {
    Problem::new(ErrorCode::InvalidInput, format!("invalid form: {error}"))
        .details(json!({ "pointer": error.pointer }))
}

/// Assigns secret references to a form's secrets: only the skill that made the form can be granted them.
fn name_secrets(
    skill_id: Option<&str>,
    secrets: BTreeMap<String, SecretValue>,
) -> Result<Vec<(String, SecretRef, SecretValue)>, Problem> {
    let named = secrets.into_iter().map(|(field, value)| {
        let Some(skill_id) = skill_id else {
            return Err(Problem::new(ErrorCode::InvalidInput, "a form without a skill cannot take secrets"));
        };
        let reference = format!("skill:{skill_id}/{field}").parse();
        let reference = reference.map_err(|_| {
            Problem::new(ErrorCode::InvalidInput, format!("`{field}` is not the name of a secret"))
        })?;
        Ok((field, reference, value))
    });
    named.collect()
}

fn json_of(value: FieldValue) -> Value {
    match value {
        FieldValue::Bool(value) => value.into(),
        FieldValue::Number(number) => Value::Number(number),
        FieldValue::Text(text) => text.into(),
        FieldValue::Choices(choices) => choices.into(),
    }
}

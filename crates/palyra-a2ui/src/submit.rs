//! Submitted forms, checked against the form that was displayed.

use std::collections::BTreeMap;

use palyra_common::SecretValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounded;
use crate::component::ComponentBody;
use crate::document::{A2uiDocument, check_size};
use crate::error::{A2uiError, read, step};
use crate::form::{Field, FieldType, FieldValue, check_value};
use crate::limits::MAX_FIELDS;
use crate::text::{self, Name};

/// The values of a form as a person submitted them.
///
/// Only [`A2uiDocument::check_submit`] makes them usable: a client can send anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct A2uiFormSubmitEvent {
    /// The form.
    #[serde(rename = "componentId", deserialize_with = "text::string::<_, Name>")]
    pub(crate) component_id: String,
    /// Values by the names of their fields; null stands for no value.
    #[serde(deserialize_with = "bounded::map::<_, _, MAX_FIELDS>")]
    pub(crate) values: BTreeMap<String, Option<FieldValue>>,
}

/// Submitted values that were checked against the rules of their form.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FormValues {
    /// The values by field name. Fields without a value are absent.
    pub values: BTreeMap<String, FieldValue>,
    /// The values of `secret` fields, which are stored in the vault.
    pub secrets: BTreeMap<String, SecretValue>,
}

impl A2uiFormSubmitEvent {
    /// Parses an event. Its values are not checked against a form yet.
    pub fn parse(text: &str) -> Result<Self, A2uiError> {
        check_size(text)?;
        read(text)
    }
}

impl A2uiDocument {
    /// Checks submitted values against the form of this document.
    ///
    /// # Errors
    /// The pointer refers to the event, and the reason never contains a value.
    pub fn check_submit(&self, event: &A2uiFormSubmitEvent) -> Result<FormValues, A2uiError> {
        let id = &event.component_id;
        let Some(ComponentBody::Form(form)) = self.component(id).map(|component| &component.body) else {
            return Err(A2uiError::new("/componentId", format!("unknown form id `{id}`")));
        };
        let unknown = event.values.keys().find(|name| form.fields.iter().all(|field| field.name != **name));
        if let Some(name) = unknown {
            return Err(A2uiError::new(format!("/values{}", step(name)), "unknown field"));
        }
        let mut checked = FormValues::default();
        for field in &form.fields {
            let value = event.values.get(&field.name).and_then(Option::as_ref);
            checked
                .take(field, value)
                .map_err(|error| error.under(format!("/values{}", step(&field.name))))?;
        }
        Ok(checked)
    }
}

impl FormValues {
    fn take(&mut self, field: &Field, value: Option<&FieldValue>) -> Result<(), A2uiError> {
        let empty = match value {
            None => true,
            Some(FieldValue::Text(text)) => text.is_empty(),
            Some(FieldValue::Choices(choices)) => choices.is_empty(),
            Some(FieldValue::Bool(checked)) => !checked && field.required,
            Some(FieldValue::Number(_)) => false,
        };
        let Some(value) = value.filter(|_| !empty) else {
            return if field.required { Err(A2uiError::new("", "the field is required")) } else { Ok(()) };
        };
        check_value(field, value)?;
        match (field.kind, value) {
            (FieldType::Secret, FieldValue::Text(secret)) => {
                self.secrets.insert(field.name.clone(), SecretValue::new(secret.as_bytes()));
            }
            _ => {
                self.values.insert(field.name.clone(), value.clone());
            }
        }
        Ok(())
    }
}

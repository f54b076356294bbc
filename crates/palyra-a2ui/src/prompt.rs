//! Prompts for a terminal: the fields of a form as questions, and the conversion of answers to values.

use serde_json::{Number, Value};

use crate::error::A2uiError;
use crate::form::{Bound, Field, FieldType, FieldValue, Form, check_value};

/// A question about one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The name of the field.
    pub field: String,
    /// The text to display, for example `Nights (1 to 30)`.
    pub text: String,
    /// The kind of input to read.
    pub kind: PromptKind,
    /// The value of an empty answer, as a person would enter it; `None` if there is no default.
    pub default: Option<String>,
    /// Whether to repeat the question after an empty answer without a default.
    pub required: bool,
}

/// The kind of input that a question needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptKind {
    /// A single line of text.
    Line,
    /// Several lines of text.
    Lines,
    /// Yes or no.
    YesOrNo,
    /// One of these options.
    One(Vec<String>),
    /// Any of these options, separated by commas.
    Any(Vec<String>),
    /// A single line that is not echoed.
    Hidden,
}

impl Form {
    /// Returns the questions of the form, in the order of its fields.
    #[must_use]
    pub fn prompts(&self) -> Vec<Prompt> {
        self.fields.iter().map(prompt).collect()
    }

    /// Converts the answer to the question about a field. `None` for an empty answer without a default.
    ///
    /// Errors contain the violated rule, so that the question can be repeated.
    pub fn answer(&self, field: &str, text: &str) -> Result<Option<FieldValue>, A2uiError> {
        let Some(field) = self.fields.iter().find(|known| known.name == field) else {
            return Err(A2uiError::new("", "unknown field"));
        };
        let value = if text.trim().is_empty() { field.default.clone() } else { Some(read(field, text)?) };
        match &value {
            Some(value) => check_value(field, value)?,
            None if field.required => return Err(A2uiError::new("", "the field is required")),
            None => {}
        }
        if field.required && value == Some(FieldValue::Bool(false)) {
            return Err(A2uiError::new("", "the field is required"));
        }
        Ok(value)
    }
}

fn prompt(field: &Field) -> Prompt {
    let kind = match field.kind {
        FieldType::Textarea => PromptKind::Lines,
        FieldType::Checkbox => PromptKind::YesOrNo,
        FieldType::Select => PromptKind::One(field.options.clone()),
        FieldType::Multiselect => PromptKind::Any(field.options.clone()),
        FieldType::Secret => PromptKind::Hidden,
        _ => PromptKind::Line,
    };
    let facts: Vec<String> = [form_of(field.kind).map(str::to_owned), bounds(field), field.hint.clone()]
        .into_iter()
        .flatten()
        .collect();
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
    Prompt {
        field: field.name.clone(),
        text: format!("{}{facts}", field.label),
        kind,
        default: field.default.as_ref().map(written),
        required: field.required,
    }
}

/// Returns the expected notation of a type, unless it is obvious.
fn form_of(kind: FieldType) -> Option<&'static str> {
    match kind {
        FieldType::Date => Some("YYYY-MM-DD"),
        FieldType::Datetime => Some("YYYY-MM-DDThh:mm:ssZ"),
        _ => None,
    }
}

/// Returns the bounds of a field as text, for example `1 to 30`.
pub(crate) fn bounds(field: &Field) -> Option<String> {
    let bound = |bound: &Bound| match bound {
        Bound::Number(number) => number.to_string(),
        Bound::Moment(moment) => moment.clone(),
    };
    match (field.min.as_ref().map(bound), field.max.as_ref().map(bound)) {
        (Some(min), Some(max)) => Some(format!("{min} to {max}")),
        (Some(min), None) => Some(format!("from {min}")),
        (None, Some(max)) => Some(format!("up to {max}")),
        (None, None) => None,
    }
}

fn written(value: &FieldValue) -> String {
    match value {
        FieldValue::Bool(true) => "yes".to_owned(),
        FieldValue::Bool(false) => "no".to_owned(),
        FieldValue::Number(number) => number.to_string(),
        FieldValue::Text(text) => text.clone(),
        FieldValue::Choices(choices) => choices.join(", "),
    }
}

fn read(field: &Field, text: &str) -> Result<FieldValue, A2uiError> {
    let trimmed = text.trim();
    Ok(match field.kind {
        FieldType::Number | FieldType::Slider => FieldValue::Number(number(trimmed)?),
        FieldType::Checkbox => FieldValue::Bool(yes_or_no(trimmed)?),
        FieldType::Multiselect => {
            let parts = trimmed.split(',').map(str::trim).filter(|part| !part.is_empty());
            FieldValue::Choices(parts.map(|part| option(field, part)).collect())
        }
        FieldType::Select => FieldValue::Text(option(field, trimmed)),
        FieldType::Textarea | FieldType::Secret | FieldType::Text => FieldValue::Text(text.to_owned()),
        FieldType::Email | FieldType::Date | FieldType::Datetime => FieldValue::Text(trimmed.to_owned()),
    })
}

/// Returns an option by its text or by its number in the list, from 1.
fn option(field: &Field, text: &str) -> String {
    if field.options.iter().any(|option| option == text) {
        return text.to_owned();
    }
    let same = field.options.iter().find(|option| option.to_lowercase() == text.to_lowercase());
    let position = || field.options.get(text.parse::<usize>().ok()?.checked_sub(1)?);
    same.or_else(position).cloned().unwrap_or_else(|| text.to_owned())
}

fn number(text: &str) -> Result<Number, A2uiError> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Number(number)) => Ok(number),
        _ => Err(A2uiError::new("", "expected a number")),
    }
}

fn yes_or_no(text: &str) -> Result<bool, A2uiError> {
    match text.to_lowercase().as_str() {
        "y" | "yes" | "true" => Ok(true),
        "n" | "no" | "false" => Ok(false),
        _ => Err(A2uiError::new("", "expected yes or no")),
    }
}

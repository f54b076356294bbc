//! Documents that tools return, in the terminal: rendered to its width, with their forms as prompts.

use crate::error::CliError;
use crate::output::{Printer, Remark};
use crate::terminal::Terminal;
use palyra_a2ui::{
    A2uiDocument, ComponentBody, FieldType, FieldValue, Form, Prompt, PromptKind, render_text,
};
use palyra_api::ClientError;
use palyra_api::sessions::FormSubmit;
use palyra_common::redact::escape_untrusted;
use serde_json::{Map, Value};

/// Default width if the terminal does not report one.
const COLUMNS: usize = 80;
/// Input that stops a form.
const STOP: &str = "/stop";

/// Result of filling in a form.
pub(crate) enum Filled {
    /// The values to submit.
    Submit(FormSubmit),
    /// The user declined to submit.
    No,
    /// The user stopped the conversation or command that showed the form.
    Stop,
}

/// Renders a document in the width of the terminal.
pub(crate) fn draw(document: &Value) -> String {
    match A2uiDocument::parse(&document.to_string()) {
        Ok(document) => render_text(&document, width()) + "\n",
        Err(error) => format!("[a document that cannot be shown {error}]\n"),
    }
}

/// Escapes untrusted text for a terminal, preserving line breaks.
pub(crate) fn escaped(text: &str) -> String {
    text.split('\n').map(escape_untrusted).collect::<Vec<_>>().join("\n")
}

/// A document with a form.
pub(crate) struct ShownForm {
    document: A2uiDocument,
    component_id: String,
}

impl ShownForm {
    /// Returns the first form of a document, if it has one.
    pub(crate) fn of(document: &Value) -> Result<Option<Self>, CliError> {
        let document = A2uiDocument::parse(&document.to_string())
            .map_err(|error| ClientError::Protocol(format!("invalid form: {error}")))?;
        let is_form = |body: &ComponentBody| matches!(body, ComponentBody::Form(_));
        let component = document.components().iter().find(|component| is_form(&component.body));
        let component_id = component.map(|component| component.id.clone());
        Ok(component_id.map(|component_id| Self { document, component_id }))
    }

    /// Returns the tool that receives the values.
    pub(crate) fn tool(&self) -> Option<&str> {
        self.form().and_then(|form| form.tool.as_deref())
    }

    fn form(&self) -> Option<&Form> {
        match self.document.component(&self.component_id).map(|component| &component.body) {
            Some(ComponentBody::Form(form)) => Some(form),
            _ => None,
        }
    }

    /// Returns the submission of these values for a revision.
    pub(crate) fn submit(&self, rev: u64, values: Value) -> FormSubmit {
        FormSubmit { rev, component_id: self.component_id.clone(), values }
    }

    /// Asks for the values and a confirmation. A complete form only asks for the confirmation.
    pub(crate) async fn fill_in(
        &self,
        person: Terminal,
        printer: &Printer,
        rev: u64,
    ) -> Result<Filled, CliError> {
        let Some(form) = self.form() else { return Ok(Filled::No) };
        let mut values = defaults(form);
        let has_secret = form.fields.iter().any(|field| field.kind == FieldType::Secret);
        let mut edit = has_secret || is_incomplete(form, &values);
        loop {
            if edit && !fill(person, printer, form, &mut values).await? {
                return Ok(Filled::Stop);
            }
            let label = form.submit_label.as_deref().unwrap_or("Submit");
            let question = format!("{}? [y = yes, e = edit, N = no] ", escaped(label));
            let Some(typed) = person.line_between(question).await? else { return Ok(Filled::No) };
            match typed.trim() {
                STOP => return Ok(Filled::Stop),
                "e" | "E" => edit = true,
                "y" | "Y" | "yes" => {
                    return Ok(Filled::Submit(self.submit(rev, values.into())));
                }
                _ => return Ok(Filled::No),
            }
        }
    }
}

/// Returns the default values of the fields.
fn defaults(form: &Form) -> Map<String, Value> {
    let named =
        form.fields.iter().filter_map(|field| Some((field.name.clone(), json(field.default.as_ref()?))));
    named.collect()
}

/// Returns whether a required field has no value.
fn is_incomplete(form: &Form, values: &Map<String, Value>) -> bool {
    form.fields.iter().any(|field| field.required && !values.contains_key(&field.name))
}

/// Asks for each field; an empty line keeps the current value. Returns false if the user stops.
async fn fill(
    person: Terminal,
    printer: &Printer,
    form: &Form,
    values: &mut Map<String, Value>,
) -> Result<bool, CliError> {
    for prompt in form.prompts() {
        loop {
            let Some(typed) = ask(person, &prompt, values.get(&prompt.field)).await? else {
                return Ok(false);
            };
            if typed.trim() == STOP {
                return Ok(false);
            }
            if typed.is_empty() && values.contains_key(&prompt.field) {
                break;
            }
            match form.answer(&prompt.field, &typed) {
                Ok(value) => {
                    values.extend(value.map(|value| (prompt.field.clone(), json(&value))));
                    break;
                }
                // An invalid value is asked for again.
                Err(error) => printer.remark(&[Remark::Warning(error.reason)]),
            }
        }
    }
    Ok(true)
}

async fn ask(person: Terminal, prompt: &Prompt, before: Option<&Value>) -> Result<Option<String>, CliError> {
    let mut question = escaped(&prompt.text);
    match &prompt.kind {
        PromptKind::Hidden => {
            return match person.secret_between(question).await {
                Ok(secret) => Ok(Some(String::from_utf8_lossy(secret.expose()).into_owned())),
                // An empty answer leaves an optional field empty.
                Err(CliError::Cancelled) if !prompt.required => Ok(Some(String::new())),
                Err(error) => Err(error),
            };
        }
        PromptKind::One(options) | PromptKind::Any(options) => {
            question.push_str(&format!(" {{{}}}", escaped(&options.join(", "))));
        }
        PromptKind::Line | PromptKind::Lines | PromptKind::YesOrNo => {}
    }
    if let Some(before) = before {
        let before = before.as_str().map_or_else(|| before.to_string(), str::to_owned);
        question.push_str(&format!(" [{}]", escaped(&before)));
    }
    person.line_between(question + ": ").await.map(|line| line.map(|line| line.trim_end().to_owned()))
}

fn json(value: &FieldValue) -> Value {
    match value {
        FieldValue::Bool(value) => (*value).into(),
        FieldValue::Number(number) => Value::Number(number.clone()),
        FieldValue::Text(text) => text.as_str().into(),
        FieldValue::Choices(choices) => choices.clone().into(),
    }
}

fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(COLUMNS)
}

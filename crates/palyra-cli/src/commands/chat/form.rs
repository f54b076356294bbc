//! A form as prompts, one for each field.

use super::show::escaped;
use crate::error::CliError;
use crate::terminal::Terminal;
use palyra_a2ui::{Field, FieldType, FieldValue, Form};
use serde_json::{Map, Number, Value};

/// What a form begins with.
pub(super) fn defaults(form: &Form) -> Map<String, Value> {
    let named =
        form.fields.iter().filter_map(|field| Some((field.name.clone(), json(field.default.as_ref()?))));
    named.collect()
}

/// Whether a field that is required has no value.
pub(super) fn is_incomplete(form: &Form, values: &Map<String, Value>) -> bool {
    form.fields.iter().any(|field| field.required && !values.contains_key(&field.name))
}

/// Whether only a person can say what a field holds, whatever it begins with.
pub(super) fn wants_a_person(field: &Field) -> bool {
    matches!(field.kind, FieldType::Secret | FieldType::Select)
}

/// Asks for each field; an empty line keeps what is there. False if the run is to stop.
pub(super) async fn fill(
    person: Terminal,
    form: &Form,
    values: &mut Map<String, Value>,
) -> Result<bool, CliError> {
    for field in &form.fields {
        loop {
            let Some(typed) = ask(person, field, values.get(&field.name)).await? else { return Ok(false) };
            if typed.trim() == "/stop" {
                return Ok(false);
            }
            if typed.is_empty() {
                if field.required && !values.contains_key(&field.name) {
                    continue;
                }
                break;
            }
            match read(field, &typed) {
                Some(value) => {
                    values.insert(field.name.clone(), value);
                    break;
                }
                // What does not fit is asked for again; the daemon checks the rest.
                None => continue,
            }
        }
    }
    Ok(true)
}

async fn ask(person: Terminal, field: &Field, before: Option<&Value>) -> Result<Option<String>, CliError> {
    let mut question = escaped(&field.label);
    if let Some(hint) = &field.hint {
        question.push_str(&format!(" ({})", escaped(hint)));
    }
    if !field.options.is_empty() {
        question.push_str(&format!(" {{{}}}", escaped(&field.options.join(", "))));
    }
    if field.kind == FieldType::Secret {
        let secret = person.secret_between(question).await?;
        return Ok(Some(String::from_utf8_lossy(secret.expose()).into_owned()));
    }
    if let Some(before) = before {
        let before = before.as_str().map_or_else(|| before.to_string(), str::to_owned);
        question.push_str(&format!(" [{}]", escaped(&before)));
    }
    person.line_between(question + ": ").await.map(|line| line.map(|line| line.trim_end().to_owned()))
}

fn read(field: &Field, typed: &str) -> Option<Value> {
    let typed = typed.trim();
    match field.kind {
        FieldType::Number | FieldType::Slider => typed.parse::<Number>().ok().map(Value::Number),
        FieldType::Checkbox => match typed.to_ascii_lowercase().as_str() {
            "y" | "yes" | "true" => Some(true.into()),
            "n" | "no" | "false" => Some(false.into()),
            _ => None,
        },
        FieldType::Multiselect => {
            let chosen: Vec<&str> =
                typed.split(',').map(str::trim).filter(|choice| !choice.is_empty()).collect();
            chosen
                .iter()
                .all(|choice| field.options.iter().any(|option| option == choice))
                .then(|| chosen.into())
        }
        // By its number in the list, or by its text.
        FieldType::Select => {
            let by_number =
                typed.parse::<usize>().ok().and_then(|number| field.options.get(number.checked_sub(1)?));
            let by_text = || field.options.iter().find(|option| *option == typed);
            by_number.or_else(by_text).map(|option| option.as_str().into())
        }
        _ => Some(typed.into()),
    }
}

fn json(value: &FieldValue) -> Value {
    match value {
        FieldValue::Bool(value) => (*value).into(),
        FieldValue::Number(number) => Value::Number(number.clone()),
        FieldValue::Text(text) => text.as_str().into(),
        FieldValue::Choices(choices) => choices.clone().into(),
    }
}

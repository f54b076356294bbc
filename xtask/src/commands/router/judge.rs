//! Compares arguments with the accepted ones, by the rules of the benchmark package.

use serde_json::{Map, Value};

/// Returns the errors in the required arguments.
pub(super) fn wrong_arguments(schema: &Value, filled: &Map<String, Value>, accepted: &Value) -> Vec<String> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    required
        .filter_map(|name| {
            let accepted = accepted.get(name)?;
            let value = filled.get(name);
            let right = value.is_some_and(|value| is_accepted(value, accepted));
            let shown = value.map_or_else(|| "nothing".to_owned(), Value::to_string);
            (!right).then(|| format!("{name}: {shown} instead of {accepted}"))
        })
        .collect()
}

fn is_accepted(value: &Value, accepted: &Value) -> bool {
    accepted.as_array().is_some_and(|accepted| accepted.iter().any(|accepted| equal(value, accepted)))
}

fn equal(value: &Value, accepted: &Value) -> bool {
    match (value, accepted) {
        (Value::Number(value), Value::Number(accepted)) => value.as_f64() == accepted.as_f64(),
        (Value::String(value), Value::String(accepted)) => plain(value) == plain(accepted),
        (Value::Array(values), Value::Array(accepted)) => {
            values.len() == accepted.len() && values.iter().zip(accepted).all(|(a, b)| equal(a, b))
        }
        // Each member of an object has a list of accepted values.
        (Value::Object(members), Value::Object(accepted)) => {
            members.keys().all(|name| accepted.contains_key(name))
                && accepted.iter().all(|(name, accepted)| match members.get(name) {
                    Some(member) => is_accepted(member, accepted),
                    None => is_accepted(&Value::String(String::new()), accepted),
                })
        }
        _ => value == accepted,
    }
}

/// Normalizes a text as the package does: without case, blanks and some marks.
fn plain(text: &str) -> String {
    let marks = [' ', ',', '.', '/', '-', '_', '*', '^'];
    text.chars().filter(|c| !marks.contains(c)).collect::<String>().to_lowercase().replace('\'', "\"")
}

//! The settings that a field can have, and the values that it accepts.

use super::{Bound, Field, FieldType, FieldValue, is_date, is_datetime, moment, most_characters};
use crate::chart::number;
use crate::error::A2uiError;
use crate::text::{Line, Rule};

/// Allowed distance of a number from a multiple of its step, as a fraction of the step: decimal fractions are not
/// exact.
const STEP_TOLERANCE: f64 = 1e-6;

/// Checks that the settings of a field fit its type and each other.
pub(super) fn check_field(field: &Field) -> Result<(), A2uiError> {
    use FieldType as Type;
    let kind = field.kind;
    let numeric = matches!(kind, Type::Number | Type::Slider);
    let timed = matches!(kind, Type::Date | Type::Datetime);
    let chosen = matches!(kind, Type::Select | Type::Multiselect);
    let measured =
        matches!(kind, Type::Text | Type::Textarea | Type::Email | Type::Secret | Type::Multiselect);
    let refused = [
        ("min", field.min.is_some() && !numeric && !timed),
        ("max", field.max.is_some() && !numeric && !timed),
        ("step", field.step.is_some() && !numeric),
        ("min_length", field.min_length.is_some() && !measured),
        ("max_length", field.max_length.is_some() && !measured),
        ("options", !field.options.is_empty() && !chosen),
        ("default", field.default.is_some() && kind == Type::Secret),
    ];
    if let Some((name, _)) = refused.into_iter().find(|(_, refused)| *refused) {
        return Err(A2uiError::new(format!("/{name}"), format!("a field of this type has no `{name}`")));
    }
    check_bounds(field)?;
    if chosen {
        check_options(field)?;
    }
    let default = field.default.as_ref().map(|value| check_value(field, value)).transpose();
    default.map(|_| ()).map_err(|error| error.under("/default"))
}

fn check_bounds(field: &Field) -> Result<(), A2uiError> {
    for (name, bound) in [("/min", &field.min), ("/max", &field.max)] {
        let fits = match (field.kind, bound) {
            (_, None) => field.kind != FieldType::Slider,
            (FieldType::Number | FieldType::Slider, Some(bound)) => matches!(bound, Bound::Number(_)),
            (FieldType::Date, Some(Bound::Moment(text))) => is_date(text),
            (FieldType::Datetime, Some(Bound::Moment(text))) => is_datetime(text),
            _ => false,
        };
        if !fits {
            return Err(A2uiError::new(name, "expected a bound of the field's type"));
        }
    }
    if let (Some(min), Some(max)) = (&field.min, &field.max)
        && !in_order(min, max)
    {
        return Err(A2uiError::new("/max", "`max` is below `min`"));
    }
    if number(field.step.as_ref()).is_some_and(|step| step <= 0.0) {
        return Err(A2uiError::new("/step", "expected a number above 0"));
    }
    match (field.min_length, field.max_length) {
        (Some(min), Some(max)) if max < min => {
            Err(A2uiError::new("/max_length", "`max_length` is below `min_length`"))
        }
        _ => Ok(()),
    }
}

fn check_options(field: &Field) -> Result<(), A2uiError> {
    if field.options.is_empty() {
        return Err(A2uiError::new("/options", "expected at least one option"));
    }
    let earlier =
        |(index, option): (usize, &String)| field.options.iter().take(index).any(|one| one == option);
    match field.options.iter().enumerate().position(earlier) {
        Some(index) => Err(A2uiError::new(format!("/options/{index}"), "duplicate option")),
        None => Ok(()),
    }
}

/// Checks a value against its field; the reason never repeats the value.
pub(crate) fn check_value(field: &Field, value: &FieldValue) -> Result<(), A2uiError> {
    use FieldType as Type;
    match (field.kind, value) {
        (Type::Checkbox, FieldValue::Bool(_)) => Ok(()),
        (Type::Number | Type::Slider, FieldValue::Number(value)) => {
            check_number(field, value.as_f64().unwrap_or(f64::NAN))
        }
        (Type::Select, FieldValue::Text(text)) => check_option(field, text, ""),
        (Type::Multiselect, FieldValue::Choices(choices)) => check_choices(field, choices),
        (Type::Date, FieldValue::Text(text)) if is_date(text) => check_moment(field, text),
        (Type::Datetime, FieldValue::Text(text)) if is_datetime(text) => check_moment(field, text),
        (Type::Textarea | Type::Secret, FieldValue::Text(text)) => check_length(field, text.chars().count()),
        (Type::Text, FieldValue::Text(text)) => {
            check_line(text)?;
            check_length(field, text.chars().count())
        }
        (Type::Email, FieldValue::Text(text)) if is_email(text) => check_length(field, text.chars().count()),
        (kind, _) => Err(A2uiError::new("", expected(kind))),
    }
}

fn check_line(text: &str) -> Result<(), A2uiError> {
    if text.contains('\n') { Err(A2uiError::new("", "expected one line")) } else { Ok(()) }
}

fn check_number(field: &Field, value: f64) -> Result<(), A2uiError> {
    let bound = |bound: &Option<Bound>| match bound {
        Some(Bound::Number(bound)) => number(Some(bound)),
        _ => None,
    };
    let (min, max) = (bound(&field.min), bound(&field.max));
    if min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max) {
        return Err(A2uiError::new("", "the number is outside of `min` and `max`"));
    }
    let Some(step) = number(field.step.as_ref()) else { return Ok(()) };
    let steps = (value - min.unwrap_or(0.0)) / step;
    if (steps - steps.round()).abs() > STEP_TOLERANCE {
        Err(A2uiError::new("", "the number is not a multiple of `step`"))
    } else {
        Ok(())
    }
}

fn check_option(field: &Field, text: &str, at: &str) -> Result<(), A2uiError> {
    if field.options.iter().any(|option| option == text) {
        Ok(())
    } else {
        Err(A2uiError::new(at, "expected one of the options"))
    }
}

fn check_choices(field: &Field, choices: &[String]) -> Result<(), A2uiError> {
    for (index, choice) in choices.iter().enumerate() {
        check_option(field, choice, &format!("/{index}"))?;
        if choices.iter().take(index).any(|earlier| earlier == choice) {
            return Err(A2uiError::new(format!("/{index}"), "duplicate choice"));
        }
    }
    check_length(field, choices.len())
}

fn check_moment(field: &Field, text: &str) -> Result<(), A2uiError> {
    let value = Bound::Moment(text.to_owned());
    let low = field.min.as_ref().is_some_and(|min| !in_order(min, &value));
    let high = field.max.as_ref().is_some_and(|max| !in_order(&value, max));
    if low || high { Err(A2uiError::new("", "the date is outside of `min` and `max`")) } else { Ok(()) }
}

fn check_length(field: &Field, length: usize) -> Result<(), A2uiError> {
    if field.min_length.is_some_and(|least| length < least as usize) || length > most_characters(field) {
        return Err(A2uiError::new("", "the length of the value is outside the limits of the field"));
    }
    Ok(())
}

/// Returns whether a bound is at most another of the same kind.
fn in_order(low: &Bound, high: &Bound) -> bool {
    match (low, high) {
        (Bound::Number(low), Bound::Number(high)) => number(Some(low)) <= number(Some(high)),
        (Bound::Moment(low), Bound::Moment(high)) => match (moment(low), moment(high)) {
            (Some(low), Some(high)) => low <= high,
            // Days are written with the year first, so they compare as text.
            _ => low <= high,
        },
        _ => false,
    }
}

/// Returns whether a text is an e-mail address in the form that HTML accepts, without its length limits for domain
/// labels.
#[must_use]
pub fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let local_ok = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    let label_ok = |label: &str| {
        let plain = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        plain && !label.is_empty() && !label.starts_with('-') && !label.ends_with('-')
    };
    let parts = !local.is_empty() && local.bytes().all(local_ok) && domain.split('.').all(label_ok);
    parts && Line::check(text).is_ok()
}

fn expected(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Text | FieldType::Textarea | FieldType::Secret => "expected a string",
        FieldType::Email => "expected an e-mail address",
        FieldType::Number | FieldType::Slider => "expected a number",
        FieldType::Select => "expected one of the options",
        FieldType::Multiselect => "expected an array of options",
        FieldType::Checkbox => "expected true or false",
        FieldType::Date => "expected a date like `2026-01-31`",
        FieldType::Datetime => "expected a date-time like `2026-01-31T08:00:00Z`",
    }
}

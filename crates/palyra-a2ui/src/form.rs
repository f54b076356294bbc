//! Forms: their fields, and the rules for the values of fields.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::bounded;
use crate::error::A2uiError;
use crate::limits::{MAX_FIELDS, MAX_OPTIONS, MAX_TEXT_BYTES};
use crate::text::{self, Line, Name, Rule};

mod rules;
mod value;

pub(crate) use rules::check_value;
pub use rules::is_email;
pub use value::FieldValue;

/// The options of a field.
pub type Options = Vec<String>;

/// Fields for a person to fill in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// What the form is for.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "text::optional::<_, Line>"
    )]
    pub title: Option<String>,
    /// The label of the button; `Submit` where there is none.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "text::optional::<_, Line>"
    )]
    pub submit_label: Option<String>,
    /// The tool that is called with the values where no run waits for them.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "text::optional::<_, Name>"
    )]
    pub tool: Option<String>,
    /// The fields; at least one, with different names.
    #[serde(deserialize_with = "bounded::list::<_, _, MAX_FIELDS>")]
    #[schemars(length(min = 1, max = MAX_FIELDS))]
    pub fields: Vec<Field>,
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The name of its value in what is submitted.
    #[serde(deserialize_with = "text::string::<_, Name>")]
    pub name: String,
    /// What it takes.
    #[serde(rename = "type")]
    pub kind: FieldType,
    /// What a person sees beside it.
    #[serde(deserialize_with = "text::string::<_, Line>")]
    pub label: String,
    /// What else a person should know.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "text::optional::<_, Line>"
    )]
    pub hint: Option<String>,
    /// Whether a form without it is refused; for a checkbox, whether it must be checked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The value it begins with; never for `secret`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<FieldValue>,
    /// Smallest value of a number, slider, date or date-time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Bound>,
    /// Largest value of a number, slider, date or date-time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Bound>,
    /// Distance between values of a number or slider, counted from `min` or 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Number>,
    /// Least characters of a text, or least options of a multiselect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u32>,
    /// Most characters of a text, or most options of a multiselect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// What a select or multiselect offers.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "text::strings::<_, Line, MAX_OPTIONS>"
    )]
    #[schemars(length(max = MAX_OPTIONS))]
    pub options: Options,
}

/// What a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldType {
    /// One line.
    Text,
    /// Lines.
    Textarea,
    /// An e-mail address.
    Email,
    /// A number.
    Number,
    /// One of the options.
    Select,
    /// Some of the options.
    Multiselect,
    /// Decision.
    Checkbox,
    /// A day, as `2026-01-31`.
    Date,
    /// A moment, as RFC 3339.
    Datetime,
    /// A number between `min` and `max`.
    Slider,
    /// A secret: it goes to the vault, and the tool gets a reference.
    Secret,
}

/// The smallest or largest value of a field.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Bound {
    /// Of a number or slider.
    Number(Number),
    /// Of a date or date-time.
    Moment(String),
}

impl Form {
    pub(crate) fn check(&self) -> Result<(), A2uiError> {
        if self.fields.is_empty() {
            return Err(A2uiError::new("/fields", "a form requires at least one field"));
        }
        let mut names = BTreeSet::new();
        for (index, field) in self.fields.iter().enumerate() {
            let at = format!("/fields/{index}");
            if !names.insert(field.name.as_str()) {
                let reason = format!("duplicate field name `{}`", field.name);
                return Err(A2uiError::new(at + "/name", reason));
            }
            rules::check_field(field).map_err(|error| error.under(at))?;
        }
        Ok(())
    }
}

/// Returns whether a text is a date, such as `2026-01-31`.
#[must_use]
pub fn is_date(text: &str) -> bool {
    text.len() == "2026-01-31".len() && text.as_bytes().get(4) == Some(&b'-') && text.parse::<Date>().is_ok()
}

/// Returns whether a text is an RFC 3339 date-time with an offset.
#[must_use]
pub fn is_datetime(text: &str) -> bool {
    moment(text).is_some()
}

/// Parses a date-time for comparison.
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    // RFC 3339 starts with a date of ten characters; the parser would accept shorter forms.
    let extended = text.get(..10).is_some_and(is_date) && text.as_bytes().get(10) == Some(&b'T');
    if extended { text.parse().ok() } else { None }
}

impl<'de> Deserialize<'de> for Bound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrMoment;
        impl Visitor<'_> for NumberOrMoment {
            type Value = Bound;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a date or a date-time")
            }

            fn visit_i64<E>(self, value: i64) -> Result<Bound, E> {
                Ok(Bound::Number(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Bound, E> {
                Ok(Bound::Number(value.into()))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Bound, E> {
                let number = Number::from_f64(value);
                number.map(Bound::Number).ok_or_else(|| E::custom("the number is not finite"))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Bound, E> {
                Line::check(text).map_err(E::custom)?;
                Ok(Bound::Moment(text.to_owned()))
            }
        }
        deserializer.deserialize_any(NumberOrMoment)
    }
}

/// Returns the maximum number of characters in a value of a field.
pub(crate) fn most_characters(field: &Field) -> usize {
    field.max_length.map_or(MAX_TEXT_BYTES, |most| most as usize)
}

//! A serde deserializer over the spanned TOML tree whose errors are values with a path, not sentences.

use std::fmt::Display;
use std::ops::Range;

use serde::de::{self, DeserializeSeed, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{ManifestProblem, clip};
use super::locate::Step;

/// Why a tree does not fit the model.
#[derive(Debug)]
pub(super) struct ReadError(Box<Details>);

#[derive(Debug)]
struct Details {
    problem: ManifestProblem,
    span: Option<Range<usize>>,
    /// The path to the value, innermost step first.
    steps: Vec<Step>,
}

/// A place in the tree, ready to be read into a type.
pub(super) struct Reader<'t> {
    value: &'t DeValue<'t>,
    span: Range<usize>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(spanned: &'t Spanned<DeValue<'t>>) -> Self {
        Self { value: spanned.get_ref(), span: spanned.span() }
    }
}

impl ReadError {
    fn new(problem: ManifestProblem) -> Self {
        Self(Box::new(Details { problem, span: None, steps: Vec::new() }))
    }

    fn at(mut self, span: Range<usize>) -> Self {
        self.0.span.get_or_insert(span);
        self
    }

    fn inside(mut self, step: Step) -> Self {
        self.0.steps.push(step);
        self
    }

    /// Returns the path of the value that was being read.
    pub(super) fn steps(&self) -> Vec<Step> {
        self.0.steps.iter().rev().cloned().collect()
    }

    pub(super) fn problem(&self) -> &ManifestProblem {
        &self.0.problem
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.0.span.clone().unwrap_or(0..0)
    }

    pub(super) fn into_problem(self) -> ManifestProblem {
        self.0.problem
    }
}

impl<'de> de::Deserializer<'de> for Reader<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let span = self.span.clone();
        let read = match self.value {
            DeValue::String(text) => visitor.visit_str(text),
            DeValue::Boolean(value) => visitor.visit_bool(*value),
            DeValue::Integer(number) => {
                let (text, radix) = (number.as_str(), number.radix());
                match (i64::from_str_radix(text, radix), u64::from_str_radix(text, radix)) {
                    (Ok(value), _) => visitor.visit_i64(value),
                    (_, Ok(value)) => visitor.visit_u64(value),
                    _ => Err(ReadError::new(ManifestProblem::text(text, "a number of at most 64 bits"))),
                }
            }
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(value) if value.is_finite() => visitor.visit_f64(value),
                _ => Err(ReadError::new(ManifestProblem::text(number.as_str(), "a finite number"))),
            },
            DeValue::Datetime(value) => Err(ReadError::new(
                ManifestProblem::value(format!("the date `{value}`"), "a value that JSON supports")
                    .with_fix(format!("write it as text: \"{value}\"")),
            )),
            DeValue::Array(items) => visitor.visit_seq(Items { items: items.iter().enumerate() }),
            DeValue::Table(table) => visitor.visit_map(Entries { entries: table.iter(), value: None }),
        };
        read.map_err(|error| error.at(span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let span = self.span.clone();
        match self.value {
            DeValue::String(text) => visitor.visit_enum(text.as_ref().into_deserializer()),
            _ => return self.deserialize_any(visitor),
        }
        .map_err(|error: ReadError| error.at(span))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'t, I: Iterator<Item = (usize, &'t Spanned<DeValue<'t>>)>> {
    items: I,
}

impl<'de, I: Iterator<Item = (usize, &'de Spanned<DeValue<'de>>)>> de::SeqAccess<'de> for Items<'de, I> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some((index, item)) = self.items.next() else { return Ok(None) };
        let read = seed.deserialize(Reader::new(item)).map(Some);
        read.map_err(|error| error.at(item.span()).inside(Step::Index(index)))
    }
}

struct Entries<'t> {
    entries: <&'t DeTable<'t> as IntoIterator>::IntoIter,
    value: Option<(&'t str, &'t Spanned<DeValue<'t>>)>,
}

impl<'de> de::MapAccess<'de> for Entries<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some((key.get_ref(), value));
        let text: &str = key.get_ref();
        seed.deserialize(text.into_deserializer()).map(Some).map_err(|error: ReadError| error.at(key.span()))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ReadError> {
        let (key, value) = self.value.take().ok_or_else(|| de::Error::custom("a value without a key"))?;
        // A check after the value was read (`deserialize_with`) reports no position, so it gets that of the value.
        let read = seed.deserialize(Reader::new(value));
        read.map_err(|error| error.at(value.span()).inside(Step::Key(key.to_owned())))
    }
}

impl std::error::Error for ReadError {}

impl Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.problem.fmt(f)
    }
}

impl de::Error for ReadError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(ManifestProblem::value(message.to_string(), "another value"))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(ManifestProblem::value(describe(found), describe_expected(expected)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(ManifestProblem::value(describe(found), expected.to_string()))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let words: Vec<String> = expected.iter().map(|word| (*word).to_owned()).collect();
        Self::new(ManifestProblem::text(variant, super::error::one_of(&words)))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let known = expected.iter().map(|word| (*word).to_owned()).collect();
        Self::new(ManifestProblem::UnknownKey { key: clip(field), known })
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(ManifestProblem::MissingKey { key: field.to_owned() })
    }
}

/// Returns what was expected, without the names of Rust types.
fn describe_expected(expected: &dyn Expected) -> String {
    match expected.to_string() {
        integer if matches!(integer.as_str(), "u16" | "u32" | "u64" | "usize") => "a whole number".to_owned(),
        other => other,
    }
}

fn describe(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Str(text) => format!("the text `{}`", clip(text)),
        Unexpected::Signed(number) => format!("the number `{number}`"),
        Unexpected::Unsigned(number) => format!("the number `{number}`"),
        Unexpected::Float(number) => format!("the number `{number}`"),
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Seq => "an array".to_owned(),
        Unexpected::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}

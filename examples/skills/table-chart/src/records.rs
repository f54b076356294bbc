//! A table of plain values, read from CSV or JSON.

use crate::csv;
use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::serde_json::{self, Value};
use serde::de::{Deserializer, MapAccess, Visitor};
use std::fmt;

/// Names of columns, and rows with a value for each.
pub(crate) struct Records {
    pub(crate) names: Vec<String>,
    pub(crate) rows: Vec<Vec<Value>>,
}

/// The members of an object, in the order they were written.
struct Members(Vec<(String, Value)>);

impl Records {
    /// Reads a text that begins like JSON as JSON, and any other as CSV.
    pub(crate) fn parse(text: &str) -> Result<Self, ToolError> {
        let records = match text.trim_start().chars().next() {
            Some('[') => Self::of_list(text)?,
            Some('{') => Self::of_object(text)?,
            Some(_) => Self::of_csv(text)?,
            None => return Err(ToolError::new("no_data", "the data is empty")),
        };
        match records.names.is_empty() {
            true => Err(ToolError::new("no_data", "the data has no columns")),
            false => Ok(records),
        }
    }

    fn of_csv(text: &str) -> Result<Self, ToolError> {
        let mut records = csv::records(text)?.into_iter();
        let names = records.next().unwrap_or_default();
        let rows = records.map(|record| record.into_iter().map(of_field).collect()).collect();
        Self { names, rows }.squared()
    }

    /// A list of objects, or of lists of which the first has the names.
    fn of_list(text: &str) -> Result<Self, ToolError> {
        if let Ok(objects) = serde_json::from_str::<Vec<Members>>(text) {
            return Ok(Self::of_objects(objects));
        }
        let lists: Vec<Vec<Value>> = serde_json::from_str(text).map_err(|error| {
            let message = format!("expected a list of objects, or a list of lists: {error}");
            ToolError::new("invalid_json", message)
        })?;
        let mut lists = lists.into_iter();
        let names = lists.next().unwrap_or_default().into_iter().map(|name| text_of(&name)).collect();
        Self { names, rows: lists.collect() }.squared()
    }

    fn of_objects(objects: Vec<Members>) -> Self {
        let mut names: Vec<String> = Vec::new();
        for (name, _) in objects.iter().flat_map(|Members(members)| members) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let row = |Members(members): Members| -> Vec<Value> {
            let value =
                |name| members.iter().find(|(member, _)| member == name).map(|(_, value)| value.clone());
            names.iter().map(|name| value(name).unwrap_or(Value::Null)).collect()
        };
        Self { rows: objects.into_iter().map(row).collect(), names }
    }

    /// An object is a table of names and values.
    fn of_object(text: &str) -> Result<Self, ToolError> {
        let Members(members) = serde_json::from_str(text)
            .map_err(|error| ToolError::new("invalid_json", format!("the data is not JSON: {error}")))?;
        let rows = members.into_iter().map(|(name, value)| vec![Value::String(name), value]).collect();
        Ok(Self { names: vec!["name".to_owned(), "value".to_owned()], rows })
    }

    /// Fills up short rows; one that is too long has no column to be in.
    fn squared(mut self) -> Result<Self, ToolError> {
        let width = self.names.len();
        for (index, row) in self.rows.iter_mut().enumerate() {
            if row.len() > width {
                let message = format!("row {} has {} values for {width} columns", index + 1, row.len());
                return Err(ToolError::new("uneven_rows", message));
            }
            row.resize(width, Value::Null);
        }
        Ok(self)
    }
}

/// A field of CSV: a number or truth value if it is written as one, nothing if it is empty.
fn of_field(field: String) -> Value {
    match field.trim() {
        "" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        // JSON's grammar leaves `007` and `1,5` alone.
        text => text.parse().map_or(Value::String(field), Value::Number),
    }
}

/// A value as text; lists and objects as JSON.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

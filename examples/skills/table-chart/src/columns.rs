//! Columns with the type that all of their values have.

use crate::document::{MAX_COLUMNS, MAX_ROWS, cell, component, label, object};
use crate::records::{Records, text_of};
use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::serde_json::{Map, Value, json};

/// A column and its values.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) values: Vec<Value>,
}

/// What all values of a column are, where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Boolean,
    Date,
    Text,
}

/// Finds the type of each column, and makes the values of mixed ones texts.
pub(crate) fn columns(records: Records) -> Result<Vec<Column>, ToolError> {
    let Records { names, rows } = records;
    for (what, count, most) in [("rows", rows.len(), MAX_ROWS), ("columns", names.len(), MAX_COLUMNS)] {
        if count > most {
            let message = format!("the data has {count} {what}; at most {most} can be shown");
            return Err(ToolError::new("too_large", message));
        }
    }
    let column = |(index, name): (usize, &String)| {
        let values: Vec<Value> = rows.iter().map(|row| row.get(index).cloned().unwrap_or_default()).collect();
        let name = label(name)?;
        let name = if name.is_empty() { format!("Column {}", index + 1) } else { name };
        Column::new(name, values)
    };
    names.iter().enumerate().map(column).collect()
}

impl Column {
    fn new(name: String, values: Vec<Value>) -> Result<Self, ToolError> {
        let present = || values.iter().filter(|value| !value.is_null());
        let kind = match () {
            () if present().next().is_none() => Kind::Text,
            () if present().all(Value::is_number) => Kind::Number,
            () if present().all(Value::is_boolean) => Kind::Boolean,
            () if present().all(|value| value.as_str().is_some_and(is_date)) => Kind::Date,
            () => Kind::Text,
        };
        let as_text = |value: Value| match value {
            Value::Null => Ok(Value::Null),
            value => cell(&text_of(&value)).map(Value::String),
        };
        let values = match kind {
            Kind::Text => values.into_iter().map(as_text).collect::<Result<_, _>>()?,
            Kind::Number | Kind::Boolean | Kind::Date => values,
        };
        Ok(Self { name, kind, values })
    }
}

/// The table of a document; keys of columns are numbers, so that a name can be any text.
pub(crate) fn table(columns: &[Column], rows: usize, title: Option<&str>) -> Value {
    let key = |index: usize| format!("c{}", index + 1);
    let heads: Vec<Value> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| json!({ "key": key(index), "label": column.name, "type": column.kind.name() }))
        .collect();
    let row = |row: usize| -> Value {
        let cells =
            columns.iter().enumerate().map(|(index, column)| (key(index), column.values[row].clone()));
        cells.filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>().into()
    };
    let rows: Vec<Value> = (0..rows).map(row).collect();
    let mut props = object([("columns", heads.into()), ("rows", rows.into()), ("page_size", 25.into())]);
    if let Some(title) = title {
        props["caption"] = title.into();
    }
    component("table", "table", props)
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Text => "text",
        }
    }
}

/// Whether a text is a day of the calendar, as `2026-01-31`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let &[year, month, day] = &parts[..] else { return false };
    let number = |part: &str, length: usize| -> Option<u32> {
        let digits = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse().ok().filter(|_| digits)
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => return false,
    };
    (1..=days).contains(&day)
}

//! Rows and columns.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::bounded;
use crate::error::{A2uiError, step};
use crate::form::{is_date, is_datetime};
use crate::limits::{MAX_COLUMNS, MAX_ROWS};
use crate::text::{self, Line, Lines, Name, Rule};

/// Rows and columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The columns, from left to right; at least one, with different keys.
    #[serde(deserialize_with = "bounded::list::<_, _, MAX_COLUMNS>")]
    #[schemars(length(min = 1, max = MAX_COLUMNS))]
    pub columns: Vec<Column>,
    /// The rows. A cell that is missing is empty.
    #[serde(deserialize_with = "bounded::list::<_, _, MAX_ROWS>")]
    #[schemars(length(max = MAX_ROWS))]
    pub rows: Vec<Row>,
    /// What the table shows.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "text::optional::<_, Line>"
    )]
    pub caption: Option<String>,
    /// The order a reader sees first; the rows are sent in the order they are in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<Sort>,
    /// Rows to show at once where a reader can page; 1 to 1,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    pub page_size: Option<u32>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// The name of its cells in each row.
    #[serde(deserialize_with = "text::string::<_, Name>")]
    pub key: String,
    /// What a reader sees above it.
    #[serde(deserialize_with = "text::string::<_, Line>")]
    pub label: String,
    /// What its cells hold.
    #[serde(default, rename = "type", skip_serializing_if = "is_default")]
    pub kind: ColumnType,
    /// On which side its cells are; numbers are on the right unless it says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub align: Option<Align>,
}

/// What the cells of a column hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColumnType {
    /// Strings.
    #[default]
    Text,
    /// Numbers.
    Number,
    /// `true` and `false`.
    Boolean,
    /// Days, as `2026-01-31`.
    Date,
    /// Moments, as RFC 3339.
    Datetime,
}

/// A side of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// Left in scripts that are written from left to right.
    Start,
    /// In the middle.
    Center,
    /// Right in scripts that are written from left to right.
    End,
}

/// An order of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sort {
    /// The key of a column.
    #[serde(deserialize_with = "text::string::<_, Name>")]
    pub key: String,
    /// Which way.
    #[serde(default, skip_serializing_if = "is_default")]
    pub direction: SortDirection,
}

/// Which way rows are ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortDirection {
    /// Smallest first.
    #[default]
    Ascending,
    /// Largest first.
    Descending,
}

/// The cells of a row by the keys of their columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Row(pub BTreeMap<String, Cell>);

/// One value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Cell {
    /// Nothing.
    #[default]
    Null,
    /// Decision.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text.
    Text(String),
}

impl Table {
    pub(crate) fn check(&self) -> Result<(), A2uiError> {
        if self.columns.is_empty() {
            return Err(A2uiError::new("/columns", "a table requires at least one column"));
        }
        let mut keys = BTreeSet::new();
        for (index, column) in self.columns.iter().enumerate() {
            if !keys.insert(column.key.as_str()) {
                let reason = format!("duplicate column key `{}`", column.key);
                return Err(A2uiError::new(format!("/columns/{index}/key"), reason));
            }
        }
        for (index, row) in self.rows.iter().enumerate() {
            self.check_row(row).map_err(|error| error.under(format!("/rows/{index}")))?;
        }
        match &self.sort {
            Some(sort) if !keys.contains(sort.key.as_str()) => {
                return Err(A2uiError::new("/sort/key", format!("unknown column key `{}`", sort.key)));
            }
            _ => {}
        }
        match self.page_size {
            Some(size) if !(1..=MAX_ROWS).contains(&(size as usize)) => {
                Err(A2uiError::new("/page_size", format!("expected 1 to {MAX_ROWS}")))
            }
            _ => Ok(()),
        }
    }

    fn check_row(&self, row: &Row) -> Result<(), A2uiError> {
        for (key, cell) in &row.0 {
            let column = self.columns.iter().find(|column| column.key == *key);
            let column =
                column.ok_or_else(|| A2uiError::new(step(key), format!("unknown column key `{key}`")))?;
            if !column.kind.takes(cell) {
                return Err(A2uiError::new(step(key), column.kind.expected()));
            }
        }
        Ok(())
    }
}

impl ColumnType {
    fn takes(self, cell: &Cell) -> bool {
        match (self, cell) {
            (_, Cell::Null)
            | (Self::Text, Cell::Text(_))
            | (Self::Number, Cell::Number(_))
            | (Self::Boolean, Cell::Bool(_)) => true,
            (Self::Date, Cell::Text(text)) => is_date(text),
            (Self::Datetime, Cell::Text(text)) => is_datetime(text),
            _ => false,
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Text => "expected a string or null",
            Self::Number => "expected a number or null",
            Self::Boolean => "expected true, false or null",
            Self::Date => "expected a date like `2026-01-31` or null",
            Self::Datetime => "expected a date-time like `2026-01-31T08:00:00Z` or null",
        }
    }
}

impl Cell {
    pub(crate) fn is_null(&self) -> bool {
        *self == Self::Null
    }
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        bounded::map::<D, Cell, MAX_COLUMNS>(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Scalar;
        impl Visitor<'_> for Scalar {
            type Value = Cell;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, a number, true, false or null")
            }

            fn visit_unit<E>(self) -> Result<Cell, E> {
                Ok(Cell::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Cell, E> {
                Ok(Cell::Bool(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Cell, E> {
                Ok(Cell::Number(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Cell, E> {
                Ok(Cell::Number(value.into()))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Cell, E> {
                let number = Number::from_f64(value);
                number.map(Cell::Number).ok_or_else(|| E::custom("the number is not finite"))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Cell, E> {
                Lines::check(text).map_err(E::custom)?;
                Ok(Cell::Text(text.to_owned()))
            }
        }
        deserializer.deserialize_any(Scalar)
    }
}

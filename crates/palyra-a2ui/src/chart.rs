//! Numbers as a picture, and the same numbers as a table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::bounded;
use crate::error::A2uiError;
use crate::form::{is_date, is_datetime};
use crate::limits::{MAX_POINTS, MAX_SERIES};
use crate::table::{Cell, Column, ColumnType, Row, Table};
use crate::text::{self, Line};

/// Numbers as a picture: every series has one value for each value of the horizontal axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// How the numbers are drawn. A pie has one series without negative values.
    pub kind: ChartKind,
    /// The horizontal axis; for a pie the names of its parts.
    pub x: Axis,
    /// The numbers; at least one series.
    #[serde(deserialize_with = "bounded::list::<_, _, MAX_SERIES>")]
    #[schemars(length(min = 1, max = MAX_SERIES))]
    pub series: Vec<Series>,
    /// What the chart shows.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "text::optional::<_, Line>"
    )]
    pub title: Option<String>,
    /// The unit of the numbers, as `ms` or `EUR`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "text::optional::<_, Line>"
    )]
    pub units: Option<String>,
}

/// How a chart is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChartKind {
    /// A bar for each value.
    Bar,
    /// Values joined by a line.
    Line,
    /// The same with the space below filled.
    Area,
    /// Parts of a whole.
    Pie,
    /// A dot for each value.
    Scatter,
}

/// The horizontal axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Its values.
    #[serde(default, rename = "type", skip_serializing_if = "crate::table::is_default")]
    pub kind: AxisType,
    /// One value for each point: strings, numbers for `number`, dates or date-times for `time`.
    #[serde(deserialize_with = "bounded::list::<_, _, MAX_POINTS>")]
    #[schemars(length(min = 1, max = MAX_POINTS))]
    pub values: Vec<Cell>,
    /// What the axis shows.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "text::optional::<_, Line>"
    )]
    pub label: Option<String>,
}

/// What the values of an axis are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AxisType {
    /// Names in the order they are given.
    #[default]
    Category,
    /// Numbers.
    Number,
    /// Dates or date-times.
    Time,
}

/// One line, or the bars of one colour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// What it shows.
    #[serde(deserialize_with = "text::string::<_, Line>")]
    pub name: String,
    /// As many numbers as the axis has values; null where there is none.
    #[serde(deserialize_with = "bounded::list::<_, _, MAX_POINTS>")]
    #[schemars(length(min = 1, max = MAX_POINTS))]
    pub values: Vec<Option<Number>>,
}

impl Chart {
    pub(crate) fn check(&self) -> Result<(), A2uiError> {
        self.x.check().map_err(|error| error.under("/x"))?;
        if self.series.is_empty() {
            return Err(A2uiError::new("/series", "a chart requires at least one series"));
        }
        let points = self.x.values.len();
        for (index, series) in self.series.iter().enumerate() {
            let count = series.values.len();
            if count != points {
                let reason = format!("{count} values do not match {points} values of the axis");
                return Err(A2uiError::new(format!("/series/{index}/values"), reason));
            }
        }
        if self.kind == ChartKind::Pie { self.check_pie() } else { Ok(()) }
    }

    fn check_pie(&self) -> Result<(), A2uiError> {
        if self.series.len() > 1 {
            return Err(A2uiError::new("/series/1", "a pie chart has exactly one series"));
        }
        let mut values = self.series.iter().flat_map(|series| &series.values);
        match values.position(|value| number(value.as_ref()).is_some_and(|number| number < 0.0)) {
            Some(index) => {
                let pointer = format!("/series/0/values/{index}");
                Err(A2uiError::new(pointer, "values of a pie chart cannot be negative"))
            }
            None => Ok(()),
        }
    }

    /// Returns the same numbers as a table, for readers who cannot see the chart.
    #[must_use]
    pub fn table_twin(&self) -> Table {
        let kind = match self.x.kind {
            AxisType::Number => ColumnType::Number,
            AxisType::Category | AxisType::Time => ColumnType::Text,
        };
        let column = |key: String, label: String, kind| Column { key, label, kind, align: None };
        let x = column("x".to_owned(), self.x.label.clone().unwrap_or_default(), kind);
        let series = self.series.iter().enumerate().map(|(index, series)| {
            let units = self.units.as_ref().map(|units| format!(" ({units})")).unwrap_or_default();
            column(format!("s{index}"), format!("{}{units}", series.name), ColumnType::Number)
        });
        let rows = self.x.values.iter().enumerate().map(|(point, x)| {
            let cells = self.series.iter().enumerate().map(|(index, series)| {
                let value = series.values.get(point).cloned().flatten();
                (format!("s{index}"), value.map_or(Cell::Null, Cell::Number))
            });
            Row(std::iter::once(("x".to_owned(), x.clone())).chain(cells).collect())
        });
        Table {
            columns: std::iter::once(x).chain(series).collect(),
            rows: rows.collect(),
            caption: self.title.clone(),
            sort: None,
            page_size: None,
        }
    }
}

impl Axis {
    fn check(&self) -> Result<(), A2uiError> {
        if self.values.is_empty() {
            return Err(A2uiError::new("/values", "a chart requires at least one point"));
        }
        let (takes, expected): (fn(&Cell) -> bool, _) = match self.kind {
            AxisType::Category => (|cell| matches!(cell, Cell::Text(_)), "expected a string"),
            AxisType::Number => (|cell| matches!(cell, Cell::Number(_)), "expected a number"),
            AxisType::Time => (
                |cell| matches!(cell, Cell::Text(text) if is_date(text) || is_datetime(text)),
                "expected a date or a date-time",
            ),
        };
        match self.values.iter().position(|cell| !takes(cell)) {
            Some(index) => Err(A2uiError::new(format!("/values/{index}"), expected)),
            None => Ok(()),
        }
    }
}

/// Returns a value as a finite number.
pub(crate) fn number(value: Option<&Number>) -> Option<f64> {
    value.and_then(Number::as_f64)
}

//! Which columns a chart draws, and how.

use crate::columns::{Column, Kind};
use crate::document::{MAX_SERIES, component, object};
use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::serde_json::Value;

/// How a chart is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum ChartKind {
    #[default]
    Auto,
    None,
    Bar,
    Line,
    Area,
    Pie,
    Scatter,
}

/// What the caller says about the chart.
pub(crate) struct Wanted<'w> {
    pub(crate) kind: ChartKind,
    pub(crate) x: Option<&'w str>,
    pub(crate) y: &'w [String],
}

/// The chart of the columns that were named, or of those that suggest themselves; none without numbers.
pub(crate) fn chart(columns: &[Column], wanted: &Wanted<'_>) -> Result<Option<Value>, ToolError> {
    let axis = match wanted.x {
        Some(name) => Some(named(columns, name)?),
        None => axis(columns, wanted.y),
    };
    let series = series(columns, axis, wanted.y)?;
    let rows = columns.first().map_or(0, |column| column.values.len());
    let drawn = !series.is_empty() && rows > 0;
    match (wanted.kind, drawn) {
        (ChartKind::None, _) | (ChartKind::Auto, false) => Ok(None),
        (_, false) => {
            Err(ToolError::new("no_numbers", "a chart needs a column of numbers and at least one row"))
        }
        (kind, true) => draw(kind, axis, &series, rows).map(Some),
    }
}

/// The days, or else the first texts.
fn axis<'c>(columns: &'c [Column], y: &[String]) -> Option<&'c Column> {
    let free = || columns.iter().filter(|column| !y.contains(&column.name));
    let of = |kind: Kind| free().find(|column| column.kind == kind);
    of(Kind::Date).or_else(|| of(Kind::Text))
}

fn series<'c>(
    columns: &'c [Column],
    axis: Option<&Column>,
    y: &[String],
) -> Result<Vec<&'c Column>, ToolError> {
    let is_axis = |column: &Column| axis.is_some_and(|axis| std::ptr::eq(axis, column));
    let series: Vec<&Column> = match y {
        [] => columns.iter().filter(|column| column.kind == Kind::Number && !is_axis(column)).collect(),
        names => names.iter().map(|name| named(columns, name)).collect::<Result<_, _>>()?,
    };
    if let Some(column) = series.iter().find(|column| column.kind != Kind::Number) {
        return Err(ToolError::new(
            "no_numbers",
            format!("the column `{}` has no numbers to draw", column.name),
        ));
    }
    if series.len() > MAX_SERIES {
        let message =
            format!("{} columns of numbers; name at most {MAX_SERIES} in `y_columns`", series.len());
        return Err(ToolError::new("too_large", message));
    }
    Ok(series)
}

fn named<'c>(columns: &'c [Column], name: &str) -> Result<&'c Column, ToolError> {
    let exact = columns.iter().find(|column| column.name == name);
    let found = exact.or_else(|| columns.iter().find(|column| column.name.eq_ignore_ascii_case(name)));
    found.ok_or_else(|| {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        ToolError::new(
            "no_column",
            format!("no column is called `{name}`; the columns are: {}", names.join(", ")),
        )
    })
}

fn draw(kind: ChartKind, axis: Option<&Column>, series: &[&Column], rows: usize) -> Result<Value, ToolError> {
    let axis_kind = axis.map_or(Kind::Text, |column| column.kind);
    let kind = match (kind, axis_kind) {
        (ChartKind::Auto, Kind::Date) => "line",
        (ChartKind::Auto, Kind::Number) => "scatter",
        (ChartKind::Auto | ChartKind::None | ChartKind::Bar, _) => "bar",
        (ChartKind::Line, _) => "line",
        (ChartKind::Area, _) => "area",
        (ChartKind::Scatter, _) => "scatter",
        (ChartKind::Pie, _) => {
            check_pie(series)?;
            "pie"
        }
    };
    let (type_name, at): (_, Box<dyn Fn(usize) -> Value>) = match (axis, axis_kind) {
        (None, _) => ("category", Box::new(|row| (row + 1).to_string().into())),
        (Some(column), Kind::Number) => ("number", Box::new(|row| column.values[row].clone())),
        (Some(column), Kind::Date) => ("time", Box::new(|row| column.values[row].clone())),
        (Some(column), _) => {
            ("category", Box::new(|row| crate::records::text_of(&column.values[row]).into()))
        }
    };
    // A point without a place on the axis cannot be drawn; the table has its row.
    let shown: Vec<usize> = (0..rows).filter(|row| !at(*row).is_null()).collect();
    let of =
        |column: &Column| -> Vec<Value> { shown.iter().map(|row| column.values[*row].clone()).collect() };
    let line =
        |column: &&Column| object([("name", column.name.as_str().into()), ("values", of(column).into())]);
    let lines: Vec<Value> = series.iter().map(line).collect();
    let places: Vec<Value> = shown.iter().map(|row| at(*row)).collect();
    let mut x = object([("type", type_name.into()), ("values", places.into())]);
    if let Some(column) = axis {
        x["label"] = column.name.as_str().into();
    }
    let title = series.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
    let title: String = title.chars().take(120).collect();
    let props = [("kind", kind.into()), ("title", title.into()), ("x", x), ("series", lines.into())];
    Ok(component("chart", "chart", object(props)))
}

fn check_pie(series: &[&Column]) -> Result<(), ToolError> {
    let negative =
        |column: &&Column| column.values.iter().any(|value| value.as_f64() < Some(0.0) && value.is_number());
    match (series.len(), series.iter().any(negative)) {
        (1, false) => Ok(()),
        (1, true) => {
            Err(ToolError::new("negative_part", "a part of a pie cannot be negative; choose another chart"))
        }
        _ => Err(ToolError::new("one_series", "a pie shows one column of numbers; name it in `y_columns`")),
    }
}

//! `palyra.table_chart.show`: data as a document.

use crate::chart::{ChartKind, Wanted, chart};
use crate::columns::{columns, table};
use crate::document::{Document, component, label};
use crate::records::Records;
use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::serde_json::json;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowInput {
    /// The data: CSV whose first line names the columns, or JSON: a list of objects, a list of lists, or an object of
    /// names and numbers.
    data: String,
    /// What the table shows.
    title: Option<String>,
    /// How numbers are drawn.
    #[serde(default)]
    chart: ChartKind,
    /// The column of the horizontal axis; by default the first with dates, or else with texts.
    x_column: Option<String>,
    /// The columns that are drawn; by default all with numbers.
    #[serde(default)]
    y_columns: Vec<String>,
}

#[tool(
    id = "palyra.table_chart.show",
    description = "Shows CSV or JSON data as a table and draws a bar, line, area, pie or scatter chart of its numbers"
)]
pub(crate) fn show(input: ShowInput) -> Result<Document, ToolError> {
    let records = Records::parse(&input.data)?;
    let rows = records.rows.len();
    let columns = columns(records)?;
    let title = input.title.as_deref().map(label).transpose()?.filter(|title| !title.is_empty());
    let x = input.x_column.as_deref().filter(|name| !name.is_empty());
    let wanted = Wanted { kind: input.chart, x, y: &input.y_columns };
    let chart = chart(&columns, &wanted)?;
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let summary = format!("{}, {}", count(rows, "row"), count(columns.len(), "column"));
    let text = component("summary", "text", json!({ "value": summary, "tone": "muted" }));
    let parts = [text, table(&columns, rows, title.as_deref())].into_iter().chain(chart);
    Ok(Document::new("data", parts.collect()))
}

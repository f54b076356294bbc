//! A document as GitHub-flavoured markdown.

use crate::component::ComponentBody;
use crate::document::A2uiDocument;
use crate::form::Form;
use crate::list::{Item, List};
use crate::render::{cell, field_line, list_row, tone};
use crate::table::{ColumnType, Table};

/// Returns a document as markdown that a model or a client without a user interface can read.
#[must_use]
pub fn to_markdown(document: &A2uiDocument) -> String {
    let parts = document.components().iter().map(|component| match &component.body {
        ComponentBody::Text(text) => escape(&format!("{}{}", tone(text.tone), text.value)),
        ComponentBody::Markdown(markdown) => markdown.value.clone(),
        ComponentBody::List(list) => list_lines(list),
        ComponentBody::Table(table) => grid(table),
        ComponentBody::Form(form) => form_lines(form),
        ComponentBody::Chart(chart) => grid(&chart.table_twin()),
        ComponentBody::Unknown(unknown) => {
            format!("*component `{}` of the unknown type `{}`*", component.id, unknown.kind)
        }
    });
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn list_lines(list: &List) -> String {
    let lines = list.items.iter().enumerate().map(|(index, item)| {
        let marker = if list.ordered { format!("{}.", index + 1) } else { "-".to_owned() };
        let text = match item {
            Item::Text(text) => text.clone(),
            Item::Row(row) => list_row(row),
        };
        format!("{marker} {}", escape(&text).replace('\n', " "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn grid(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let one_line = |text: &str| escape(text).replace(['\n', '\r'], " ");
    let caption = table.caption.iter().map(|caption| format!("**{}**\n", one_line(caption)));
    let head = line(table.columns.iter().map(|column| one_line(&column.label)).collect());
    let rule = table.columns.iter().map(|column| match column.kind {
        ColumnType::Number => "---:".to_owned(),
        _ => "---".to_owned(),
    });
    let rows = table.rows.iter().map(|row| {
        line(
            table
                .columns
                .iter()
                .map(|column| row.0.get(&column.key).map(|value| one_line(&cell(value))).unwrap_or_default())
                .collect(),
        )
    });
    caption.chain([head, line(rule.collect())]).chain(rows).collect::<Vec<_>>().join("\n")
}

fn form_lines(form: &Form) -> String {
    let title = form.title.iter().map(|title| format!("**{}**\n", escape(title)));
    let fields = form.fields.iter().map(|field| format!("- {}", escape(field_line(field).trim_start())));
    title.chain(fields).collect::<Vec<_>>().join("\n")
}

/// Escapes Markdown, so that text of a document is not formatted.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

//! A document as an HTML page for MCP Apps, without scripts and external resources.

use crate::component::{Component, ComponentBody};
use crate::document::A2uiDocument;
use crate::form::Form;
use crate::list::Item;
use crate::render::{cell, field_line, list_row, tone};
use crate::table::Table;

const HEAD: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Palyra</title>\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
<style>body{font:14px system-ui;margin:1rem}table{border-collapse:collapse}td,th{border:1px solid #8888;padding:.2rem .5rem}\
pre{white-space:pre-wrap;font:inherit}</style></head><body>";

pub(super) fn page(document: &A2uiDocument) -> String {
    let parts: String = document.components().iter().map(part).collect();
    format!("{HEAD}{parts}</body></html>")
}

fn part(component: &Component) -> String {
    match &component.body {
        ComponentBody::Text(text) => pre(&format!("{}{}", tone(text.tone), text.value)),
        ComponentBody::Markdown(markdown) => pre(&crate::markdown::to_text(&markdown.value)),
        ComponentBody::List(list) => {
            let items = list.items.iter().map(|item| match item {
                Item::Text(text) => format!("<li>{}</li>", escape(text)),
                Item::Row(row) => format!("<li>{}</li>", escape(&list_row(row))),
            });
            let tag = if list.ordered { "ol" } else { "ul" };
            format!("<{tag}>{}</{tag}>", items.collect::<String>())
        }
        ComponentBody::Table(table) => grid(table),
        ComponentBody::Chart(chart) => grid(&chart.table_twin()),
        ComponentBody::Form(form) => fields(form),
        ComponentBody::Unknown(unknown) => {
            pre(&format!("[component of the unknown type `{}`]", unknown.kind))
        }
    }
}

fn grid(table: &Table) -> String {
    let caption: String =
        table.caption.iter().map(|text| format!("<caption>{}</caption>", escape(text))).collect();
    let head: String =
        table.columns.iter().map(|column| format!("<th>{}</th>", escape(&column.label))).collect();
    let rows = table.rows.iter().map(|row| {
        let cells = table.columns.iter().map(|column| row.0.get(&column.key).map(cell).unwrap_or_default());
        let cells: String = cells.map(|text| format!("<td>{}</td>", escape(&text))).collect();
        format!("<tr>{cells}</tr>")
    });
    format!("<table>{caption}<tr>{head}</tr>{}</table>", rows.collect::<String>())
}

/// Lists the fields of a form: a page without script cannot submit, and its text names the tool that takes the values.
fn fields(form: &Form) -> String {
    let title: String = form.title.iter().map(|title| format!("<p><b>{}</b></p>", escape(title))).collect();
    let items =
        form.fields.iter().map(|field| format!("<li>{}</li>", escape(field_line(field).trim_start())));
    format!("{title}<ul>{}</ul>", items.collect::<String>())
}

fn pre(text: &str) -> String {
    format!("<pre>{}</pre>", escape(text))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

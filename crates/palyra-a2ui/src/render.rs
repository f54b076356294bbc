//! A document as text, for terminals and for models.

mod chart;
mod table;

use unicode_width::UnicodeWidthStr;

use crate::component::{Component, ComponentBody, Tone};
use crate::document::A2uiDocument;
use crate::form::{Field, FieldType, FieldValue, Form};
use crate::list::{Item, List, ListRow};
use crate::prompt::bounds;
use crate::table::Cell;
use crate::text::is_refused;

/// Minimum width in columns; a smaller width is treated as this one.
const MIN_WIDTH: usize = 20;

/// Renders a document as lines of at most `width` terminal columns, without control characters except line breaks.
#[must_use]
pub fn render_text(document: &A2uiDocument, width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    let parts: Vec<String> = document
        .components()
        .iter()
        .map(|part| component(part, width))
        .filter(|part| !part.is_empty())
        .collect();
    let text = parts.join("\n\n");
    // Documents are checked when they are parsed, but a drawing library could add control characters.
    text.chars().map(|c| if c != '\n' && is_refused(c) { '\u{fffd}' } else { c }).collect()
}

fn component(component: &Component, width: usize) -> String {
    match &component.body {
        ComponentBody::Text(text) => wrap(&(tone(text.tone).to_owned() + &text.value), width, ""),
        ComponentBody::Markdown(markdown) => wrap(&crate::markdown::to_text(&markdown.value), width, ""),
        ComponentBody::List(list) => render_list(list, width),
        ComponentBody::Table(table) => table::render(table, width),
        ComponentBody::Form(form) => render_form(form, width),
        ComponentBody::Chart(chart) => chart::render(chart, width),
        ComponentBody::Unknown(unknown) => {
            wrap(&format!("[component `{}` of unknown type `{}`]", component.id, unknown.kind), width, "")
        }
    }
}

/// Returns the prefix that represents a tone without color.
pub(crate) fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Normal | Tone::Muted => "",
        Tone::Success => "✓ ",
        Tone::Warning => "! ",
        Tone::Critical => "✗ ",
    }
}

fn render_list(list: &List, width: usize) -> String {
    let digits = list.items.len().to_string().len();
    let lines = list.items.iter().enumerate().map(|(index, item)| {
        let marker = if list.ordered { format!("{:>digits$}. ", index + 1) } else { "• ".to_owned() };
        let text = match item {
            Item::Text(text) => text.clone(),
            Item::Row(row) => list_row(row),
        };
        wrap(&(marker.clone() + &text), width, &" ".repeat(marker.width()))
    });
    lines.collect::<Vec<_>>().join("\n")
}

pub(crate) fn list_row(row: &ListRow) -> String {
    let value = if row.value.is_null() { String::new() } else { format!(": {}", cell(&row.value)) };
    let detail = row.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
    format!("{}{}{value}{detail}", tone(row.tone), row.label)
}

fn render_form(form: &Form, width: usize) -> String {
    let title = form.title.as_ref().map(|title| wrap(title, width, ""));
    let fields = form.fields.iter().map(|field| wrap(&field_line(field), width, "    "));
    let submit = format!("[{}]", form.submit_label.as_deref().unwrap_or("Submit"));
    title.into_iter().chain(fields).chain([wrap(&submit, width, "")]).collect::<Vec<_>>().join("\n")
}

pub(crate) fn field_line(field: &Field) -> String {
    let mut facts = Vec::new();
    if field.required {
        facts.push("required".to_owned());
    }
    if field.kind == FieldType::Secret {
        facts.push("secret".to_owned());
    }
    if !field.options.is_empty() {
        facts.push(format!("one of {}", field.options.join(" | ")));
    }
    facts.extend(bounds(field));
    let value = field.default.as_ref().map_or_else(|| "____".to_owned(), field_value);
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
    let hint = field.hint.as_ref().map(|hint| format!(" – {hint}")).unwrap_or_default();
    format!("  {}: {value}{facts}{hint}", field.label)
}

fn field_value(value: &FieldValue) -> String {
    match value {
        FieldValue::Bool(value) => yes_or_no(*value).to_owned(),
        FieldValue::Number(number) => number.to_string(),
        FieldValue::Text(text) => text.clone(),
        FieldValue::Choices(choices) => choices.join(", "),
    }
}

/// Returns a cell as text.
pub(crate) fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Bool(value) => yes_or_no(*value).to_owned(),
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => text.clone(),
    }
}

fn yes_or_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

/// Breaks lines at the width; every line after the first begins with `indent`.
fn wrap(text: &str, width: usize, indent: &str) -> String {
    let text = text.replace('\t', "    ");
    textwrap::fill(&text, textwrap::Options::new(width).subsequent_indent(indent))
}

/// Cuts a line at the width and marks the cut.
fn clip(text: &str, width: usize) -> String {
    let text = text.replace(['\n', '\t'], " ");
    if text.width() <= width {
        return text;
    }
    let mut out = String::new();
    for c in text.chars() {
        out.push(c);
        if out.width() >= width {
            out.pop();
            break;
        }
    }
    out + "…"
}

/// Cuts or pads a line to the width.
fn pad(text: &str, width: usize, right: bool) -> String {
    let text = clip(text, width);
    let space = " ".repeat(width.saturating_sub(text.width()));
    if right { space + &text } else { text + &space }
}

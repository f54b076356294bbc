//! A document as messages.

use serde_json::{Map, Value, json};

use super::{GoogleA2uiVersion, SUBMIT_ACTION};
use crate::component::{Component, ComponentBody, Text};
use crate::document::A2uiDocument;
use crate::form::{Bound, Field, FieldType, FieldValue, Form};
use crate::list::{Item, List};
use crate::render::{cell, list_row, tone};
use crate::table::Table;

pub(super) fn messages(document: &A2uiDocument, version: GoogleA2uiVersion) -> Vec<Value> {
    let surface = document.surface();
    let mut out = Components::default();
    let children: Vec<String> = document
        .components()
        .iter()
        .enumerate()
        .map(|(index, component)| out.component(index, component))
        .collect();
    out.push("root", json!({ "component": "Column", "children": children }));
    let version_name = version.name();
    let mut messages = vec![
        json!({ "version": version_name, "createSurface": { "surfaceId": surface, "catalogId": version.catalog_id() } }),
        json!({ "version": version_name, "updateComponents": { "surfaceId": surface, "components": out.list } }),
    ];
    if !out.forms.is_empty() {
        let value = json!({ "forms": out.forms });
        messages.push(json!({
            "version": version_name,
            "updateDataModel": { "surfaceId": surface, "path": "/", "value": value },
        }));
    }
    messages
}

/// Components in one flat list, and the values their forms begin with.
#[derive(Default)]
struct Components {
    list: Vec<Value>,
    forms: Map<String, Value>,
}

impl Components {
    fn push(&mut self, id: &str, mut component: Value) -> String {
        component["id"] = id.into();
        self.list.push(component);
        id.to_owned()
    }

    fn text(&mut self, id: &str, text: &str) -> String {
        self.push(id, json!({ "component": "Text", "text": text }))
    }

    fn caption(&mut self, id: &str, text: &str) -> String {
        self.push(id, json!({ "component": "Text", "text": text, "variant": "caption" }))
    }

    fn component(&mut self, index: usize, component: &Component) -> String {
        // Identifiers there are stricter than ids here, so that each gets one by its place.
        let id = format!("c{index}");
        match &component.body {
            ComponentBody::Text(Text { value, tone: of }) => self.text(&id, &format!("{}{value}", tone(*of))),
            ComponentBody::Markdown(markdown) => self.text(&id, &markdown.value),
            ComponentBody::List(list) => self.list(&id, list),
            ComponentBody::Table(table) => self.table(&id, table),
            ComponentBody::Form(form) => self.form(&id, &component.id, form),
            ComponentBody::Chart(chart) => self.table(&id, &chart.table_twin()),
            ComponentBody::Unknown(unknown) => {
                self.text(&id, &format!("[component `{}` of unknown type `{}`]", component.id, unknown.kind))
            }
        }
    }

    fn list(&mut self, id: &str, list: &List) -> String {
        let children: Vec<String> = list
            .items
            .iter()
            .enumerate()
            .map(|(index, item)| {
                let marker = if list.ordered { format!("{}. ", index + 1) } else { "• ".to_owned() };
                let text = match item {
                    Item::Text(text) => text.clone(),
                    Item::Row(row) => list_row(row),
                };
                self.text(&format!("{id}_{index}"), &(marker + &text))
            })
            .collect();
        self.push(id, json!({ "component": "List", "children": children }))
    }

    fn table(&mut self, id: &str, table: &Table) -> String {
        let mut children: Vec<String> =
            table.caption.iter().map(|caption| self.caption(&format!("{id}_caption"), caption)).collect();
        let labels = table.columns.iter().map(|column| column.label.clone()).collect();
        children.push(self.row(&format!("{id}_head"), labels));
        for (index, row) in table.rows.iter().enumerate() {
            let cells =
                table.columns.iter().map(|column| row.0.get(&column.key).map(cell).unwrap_or_default());
            let cells = cells.collect();
            children.push(self.row(&format!("{id}_{index}"), cells));
        }
        self.push(id, json!({ "component": "Column", "children": children }))
    }

    fn row(&mut self, id: &str, cells: Vec<String>) -> String {
        let children: Vec<String> = cells
            .into_iter()
            .enumerate()
            .map(|(at, text)| {
                self.push(&format!("{id}_{at}"), json!({ "component": "Text", "text": text, "weight": 1 }))
            })
            .collect();
        self.push(id, json!({ "component": "Row", "children": children }))
    }

    fn form(&mut self, id: &str, component_id: &str, form: &Form) -> String {
        let mut children: Vec<String> =
            form.title.iter().map(|title| self.caption(&format!("{id}_title"), title)).collect();
        let mut values = Map::new();
        let mut context = Map::from_iter([("componentId".to_owned(), Value::from(component_id))]);
        for (index, field) in form.fields.iter().enumerate() {
            // The model has its own names, because a pointer cannot have every name a field can.
            let (name, path) = (format!("f{index}"), format!("/forms/{id}/f{index}"));
            children.push(self.push(&format!("{id}_{name}"), input(field, &path)));
            values.insert(name, initial(field));
            context.insert(field.name.clone(), json!({ "path": path }));
        }
        self.forms.insert(id.to_owned(), Value::Object(values));
        let label = self.text(&format!("{id}_label"), form.submit_label.as_deref().unwrap_or("Submit"));
        let action = json!({ "event": { "name": SUBMIT_ACTION, "context": context } });
        let button = json!({ "component": "Button", "child": label, "variant": "primary", "action": action });
        children.push(self.push(&format!("{id}_submit"), button));
        self.push(id, json!({ "component": "Column", "children": children }))
    }
}

/// Returns the input of a field; its value is in the data model.
fn input(field: &Field, path: &str) -> Value {
    let (label, value) = (&field.label, json!({ "path": path }));
    let text = |variant: &str| json!({ "component": "TextField", "label": label, "value": value, "variant": variant });
    let choice = |variant: &str| {
        let options: Vec<Value> =
            field.options.iter().map(|option| json!({ "label": option, "value": option })).collect();
        json!({ "component": "ChoicePicker", "label": label, "value": value, "variant": variant, "options": options })
    };
    let moment = |time: bool| json!({ "component": "DateTimeInput", "label": label, "value": value, "enableDate": true, "enableTime": time });
    match field.kind {
        FieldType::Text | FieldType::Email => text("shortText"),
        FieldType::Textarea => text("longText"),
        FieldType::Number => text("number"),
        FieldType::Secret => text("obscured"),
        FieldType::Select => choice("mutuallyExclusive"),
        FieldType::Multiselect => choice("multipleSelection"),
        FieldType::Checkbox => json!({ "component": "CheckBox", "label": label, "value": value }),
        FieldType::Date => moment(false),
        FieldType::Datetime => moment(true),
        FieldType::Slider => {
            let (min, max) = (bound(field.min.as_ref(), 0), bound(field.max.as_ref(), 100));
            json!({ "component": "Slider", "label": label, "value": value, "min": min, "max": max })
        }
    }
}

fn bound(bound: Option<&Bound>, otherwise: i64) -> Value {
    match bound {
        Some(Bound::Number(number)) => Value::Number(number.clone()),
        _ => otherwise.into(),
    }
}

/// Returns the initial value of a field, in the type that its input binds to.
fn initial(field: &Field) -> Value {
    match (&field.default, field.kind) {
        (Some(FieldValue::Text(text)), FieldType::Select) => json!([text]),
        (Some(FieldValue::Number(number)), FieldType::Number) => number.to_string().into(),
        (Some(FieldValue::Bool(value)), _) => Value::Bool(*value),
        (Some(FieldValue::Number(number)), _) => Value::Number(number.clone()),
        (Some(FieldValue::Text(text)), _) => text.clone().into(),
        (Some(FieldValue::Choices(choices)), _) => json!(choices),
        (None, FieldType::Select | FieldType::Multiselect) => json!([]),
        (None, FieldType::Checkbox) => Value::Bool(false),
        (None, FieldType::Slider) => bound(field.min.as_ref(), 0),
        (None, _) => "".into(),
    }
}

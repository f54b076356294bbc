//! Converts messages to the JSON of a document, which is then parsed like any other.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::error::A2uiError;
use crate::limits::MAX_COMPONENTS;

/// Maximum nesting of components.
const MAX_DEPTH: usize = 32;

pub(super) fn document(messages: &[Value]) -> Result<Value, A2uiError> {
    let mut surface = Surface::default();
    for (index, message) in messages.iter().enumerate() {
        surface.take(message).map_err(|error| error.under(format!("/{index}")))?;
    }
    let mut out = Parts::default();
    out.visit(&surface, "root", 0)?;
    Ok(json!({ "v": 1, "surface": surface.id.unwrap_or_default(), "components": out.finish() }))
}

/// The combined contents of the messages, which refer to one surface.
#[derive(Default)]
struct Surface<'m> {
    id: Option<&'m str>,
    components: BTreeMap<&'m str, &'m Map<String, Value>>,
    model: Value,
}

impl<'m> Surface<'m> {
    fn take(&mut self, message: &'m Value) -> Result<(), A2uiError> {
        let version = message.get("version").and_then(Value::as_str).unwrap_or_default();
        if !matches!(version, "v0.9" | "v0.9.1" | "v1.0") {
            return Err(A2uiError::new("/version", "expected v0.9, v0.9.1 or v1.0"));
        }
        if let Some(create) = message.get("createSurface") {
            self.name(create).map_err(|error| error.under("/createSurface"))?;
            self.add(create.get("components"));
            self.model = create.get("dataModel").cloned().unwrap_or_default();
        } else if let Some(update) = message.get("updateComponents") {
            self.name(update).map_err(|error| error.under("/updateComponents"))?;
            self.add(update.get("components"));
        } else if let Some(update) = message.get("updateDataModel") {
            self.name(update).map_err(|error| error.under("/updateDataModel"))?;
            self.update_model(update).map_err(|error| error.under("/updateDataModel"))?;
        } else {
            return Err(A2uiError::new("", "expected createSurface, updateComponents or updateDataModel"));
        }
        Ok(())
    }

    fn name(&mut self, message: &'m Value) -> Result<(), A2uiError> {
        let id = message.get("surfaceId").and_then(Value::as_str);
        match (id, self.id) {
            (None, _) => Err(A2uiError::new("/surfaceId", "expected a string")),
            (Some(id), Some(known)) if id != known => {
                Err(A2uiError::new("/surfaceId", "a surface was already created"))
            }
            (id, _) => {
                self.id = id;
                Ok(())
            }
        }
    }

    fn add(&mut self, components: Option<&'m Value>) {
        let components = components.and_then(Value::as_array).into_iter().flatten();
        let named = components.filter_map(|component| {
            let component = component.as_object()?;
            Some((component.get("id")?.as_str()?, component))
        });
        self.components.extend(named);
    }

    fn update_model(&mut self, update: &Value) -> Result<(), A2uiError> {
        let value = update.get("value").cloned().unwrap_or_default();
        match update.get("path").and_then(Value::as_str).unwrap_or("/") {
            "/" | "" => self.model = value,
            path => match self.model.pointer_mut(path) {
                Some(place) => *place = value,
                None => return Err(A2uiError::new("/path", "the data model has no value at this path")),
            },
        }
        Ok(())
    }

    /// Returns the value of a property, which may refer to the data model.
    fn resolve(&self, component: &Map<String, Value>, name: &str) -> Value {
        let value = component.get(name).cloned().unwrap_or_default();
        match value.get("path").and_then(Value::as_str) {
            Some(path) => self.model.pointer(path).cloned().unwrap_or_default(),
            None => value,
        }
    }

    fn text(&self, component: &Map<String, Value>, name: &str) -> String {
        match self.resolve(component, name) {
            Value::String(text) => text,
            Value::Null | Value::Object(_) => String::new(),
            value => value.to_string(),
        }
    }
}

/// The components of the document so far. Inputs are collected in one form.
#[derive(Default)]
struct Parts {
    components: Vec<Value>,
    fields: Vec<Value>,
    /// The index of the component before which the form is inserted.
    form_at: usize,
    submit_label: Option<String>,
}

impl Parts {
    fn visit(&mut self, surface: &Surface<'_>, id: &str, depth: usize) -> Result<(), A2uiError> {
        let Some(component) = surface.components.get(id) else {
            return Err(A2uiError::new("", format!("unknown component id `{id}`")));
        };
        if depth > MAX_DEPTH || self.components.len() + self.fields.len() > MAX_COMPONENTS {
            return Err(A2uiError::new("", "the components are nested too deeply, cyclic, or too many"));
        }
        let kind = component.get("component").and_then(Value::as_str).unwrap_or_default();
        match kind {
            "Column" | "Row" | "List" | "Card" | "Tabs" => {
                for child in children(component) {
                    self.visit(surface, child, depth + 1)?;
                }
            }
            "Text" => self.text(surface, component, id),
            "Divider" => {}
            "Button" => {
                let label =
                    component.get("child").and_then(Value::as_str).and_then(|id| surface.components.get(id));
                self.submit_label =
                    label.map(|label| surface.text(label, "text")).filter(|label| !label.is_empty());
            }
            _ => match field(surface, component, kind, self.fields.len()) {
                Some(field) => {
                    if self.fields.is_empty() {
                        self.form_at = self.components.len();
                    }
                    self.fields.push(field);
                }
                None => self.push(id, kind, Value::Object((*component).clone())),
            },
        }
        Ok(())
    }

    fn text(&mut self, surface: &Surface<'_>, component: &Map<String, Value>, id: &str) {
        let text = surface.text(component, "text");
        let level = component.get("variant").and_then(Value::as_str).and_then(|variant| {
            variant
                .strip_prefix('h')
                .and_then(|level| level.parse::<usize>().ok())
                .filter(|level| (1..=6).contains(level))
        });
        match level {
            Some(level) => {
                self.push(id, "markdown", json!({ "value": format!("{} {text}", "#".repeat(level)) }))
            }
            None => self.push(id, "text", json!({ "value": text })),
        }
    }

    fn push(&mut self, id: &str, kind: &str, props: Value) {
        self.components.push(json!({ "id": id, "type": kind, "props": props }));
    }

    fn finish(mut self) -> Vec<Value> {
        if !self.fields.is_empty() {
            let mut props = json!({ "fields": self.fields });
            if let Some(label) = self.submit_label {
                props["submit_label"] = label.into();
            }
            self.components.insert(self.form_at, json!({ "id": "form", "type": "form", "props": props }));
        }
        self.components
    }
}

fn children(component: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let several = component.get("children").and_then(Value::as_array).into_iter().flatten();
    let tabs = component.get("tabs").and_then(Value::as_array).into_iter().flatten();
    let one = component.get("child").into_iter();
    several.chain(tabs.filter_map(|tab| tab.get("child"))).chain(one).filter_map(Value::as_str)
}

/// Returns the field for an input. Its name is the last segment of its path in the data model, or derived from its
/// index.
fn field(surface: &Surface<'_>, component: &Map<String, Value>, kind: &str, index: usize) -> Option<Value> {
    let variant = component.get("variant").and_then(Value::as_str).unwrap_or_default();
    let flag = |name: &str| component.get(name).and_then(Value::as_bool).unwrap_or(false);
    let field_type = match (kind, variant) {
        ("TextField", "longText") => "textarea",
        ("TextField", "number") => "number",
        ("TextField", "obscured") => "secret",
        ("TextField", _) => "text",
        ("CheckBox", _) => "checkbox",
        ("ChoicePicker", "multipleSelection") => "multiselect",
        ("ChoicePicker", _) => "select",
        ("Slider", _) => "slider",
        ("DateTimeInput", _) if flag("enableTime") => "datetime",
        ("DateTimeInput", _) => "date",
        _ => return None,
    };
    let path = component.get("value").and_then(|value| value.get("path")).and_then(Value::as_str);
    let name = path.and_then(|path| path.rsplit('/').next()).filter(|name| !name.is_empty());
    let name = name.map_or_else(|| format!("f{index}"), str::to_owned);
    let mut label = surface.text(component, "label");
    if label.is_empty() {
        label.clone_from(&name);
    }
    let mut field = json!({ "name": name, "type": field_type, "label": label });
    if let Some(options) = component.get("options").and_then(Value::as_array) {
        field["options"] = options.iter().filter_map(|option| option.get("value")).cloned().collect();
    }
    for bound in ["min", "max"] {
        if let Some(value) = component.get(bound).filter(|value| value.is_number() || value.is_string()) {
            field[bound] = value.clone();
        }
    }
    if let Some(default) = default(field_type, surface.resolve(component, "value")) {
        field["default"] = default;
    }
    Some(field)
}

/// Returns the default value of a field, converted to the type of the field.
fn default(field_type: &str, value: Value) -> Option<Value> {
    match (field_type, value) {
        ("secret", _) | (_, Value::Null) => None,
        ("select", Value::Array(choices)) => choices.into_iter().next(),
        (_, Value::Array(choices)) if choices.is_empty() => None,
        ("number", Value::String(text)) => serde_json::from_str(&text).ok().filter(Value::is_number),
        (_, Value::String(text)) if text.is_empty() => None,
        (_, value) => Some(value),
    }
}

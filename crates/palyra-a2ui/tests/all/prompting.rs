//! Forms as terminal prompts.

use std::collections::BTreeMap;

use palyra_a2ui::{A2uiFormSubmitEvent, ComponentBody, FieldValue, Form, PromptKind};
use serde_json::json;

use crate::documents::parse;

#[test]
fn answers_become_a_submitted_form() {
    let document = parse(
        "form",
        &json!({"fields": [
            {"name": "nights", "type": "number", "label": "Nights", "min": 1, "max": 30, "default": 2},
            {"name": "room", "type": "select", "label": "Room", "options": ["single", "double"], "required": true},
            {"name": "extras", "type": "multiselect", "label": "Extras", "options": ["breakfast", "parking"]},
            {"name": "terms", "type": "checkbox", "label": "Terms", "required": true},
            {"name": "key", "type": "secret", "label": "Key"}]}),
    );
    let ComponentBody::Form(form) = &document.components()[0].body else { panic!() };
    let prompts = form.prompts();
    assert_eq!((prompts[0].text.as_str(), prompts[0].default.as_deref()), ("Nights (1 to 30)", Some("2")));
    assert_eq!(prompts[4].kind, PromptKind::Hidden);
    for (field, text) in
        [("nights", "31"), ("nights", "many"), ("room", ""), ("room", "suite"), ("terms", "no"), ("x", "")]
    {
        assert!(form.answer(field, text).is_err(), "{field} {text}");
    }
    let answers =
        [("nights", ""), ("room", "2"), ("extras", "Parking, 1"), ("terms", "y"), ("key", " hunter2")];
    let values = answers.map(|(field, text)| (field.to_owned(), answer(form, field, text)));
    assert_eq!(values[1].1, Some(FieldValue::Text("double".to_owned())));
    let event = json!({ "componentId": "a", "values": BTreeMap::from(values) });
    let event = A2uiFormSubmitEvent::parse(&event.to_string()).unwrap();
    let checked = document.check_submit(&event).unwrap();
    assert_eq!(checked.secrets["key"].expose(), b" hunter2");
    assert_eq!(checked.values.len(), 4);
}

fn answer(form: &Form, field: &str, text: &str) -> Option<FieldValue> {
    form.answer(field, text).unwrap()
}

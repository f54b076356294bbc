//! Checks submitted values against their form.

use palyra_a2ui::{A2uiFormSubmitEvent, FormValues};
use serde_json::{Value, json};

use crate::documents::parse;

fn submit(values: &Value) -> Result<FormValues, String> {
    let document = parse(
        "form",
        &json!({"fields": [
            {"name": "mail", "type": "email", "label": "Mail", "required": true},
            {"name": "n", "type": "number", "label": "N", "min": 1, "max": 3, "step": 0.5},
            {"name": "pick", "type": "select", "label": "Pick", "options": ["a", "b"]},
            {"name": "note", "type": "text", "label": "Note", "max_length": 3},
            {"name": "day", "type": "date", "label": "Day", "max": "2026-12-31"},
            {"name": "key", "type": "secret", "label": "Key"}]}),
    );
    let event = json!({"componentId": "a", "values": values}).to_string();
    let event = A2uiFormSubmitEvent::parse(&event).unwrap();
    assert!(!format!("{event:?}").contains("hunter2"));
    document.check_submit(&event).map_err(|error| error.pointer)
}

#[test]
fn valid_values_are_split_from_secrets() {
    let values = submit(&json!({"mail": "a@b.example", "n": 2.5, "key": "hunter2", "note": null})).unwrap();
    assert_eq!(values.values.keys().collect::<Vec<_>>(), ["mail", "n"]);
    assert_eq!(values.secrets["key"].expose(), b"hunter2");
}

#[test]
fn values_that_break_a_rule_are_refused() {
    let mail = "a@b.example";
    for (values, pointer) in [
        (json!({}), "/values/mail"),
        (json!({"mail": "nobody"}), "/values/mail"),
        (json!({"mail": mail, "other": 1}), "/values/other"),
        (json!({"mail": mail, "n": 4}), "/values/n"),
        (json!({"mail": mail, "n": 1.2}), "/values/n"),
        (json!({"mail": mail, "n": "2"}), "/values/n"),
        (json!({"mail": mail, "pick": "c"}), "/values/pick"),
        (json!({"mail": mail, "note": "four"}), "/values/note"),
        (json!({"mail": mail, "day": "2027-01-01"}), "/values/day"),
        (json!({"mail": mail, "day": "2026-02-30"}), "/values/day"),
    ] {
        assert_eq!(submit(&values), Err(pointer.to_owned()), "{values}");
    }
}

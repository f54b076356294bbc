//! Arguments extracted from sentences.

use jiff::Zoned;
use palyra_router::prefill;
use proptest::prelude::*;
use serde_json::{Value, json};

fn now() -> Zoned {
    "2026-11-18T10:00+01:00[+01:00]".parse().unwrap()
}

#[track_caller]
fn check(properties: &Value, required: &[&str], text: &str, expected: &Value) {
    let schema = json!({"type": "object", "required": required, "properties": properties});
    let filled = prefill(&schema, text, &now());
    assert_eq!(Value::Object(filled.arguments), *expected, "{text}");
    let missing: Vec<&str> = required.iter().copied().filter(|name| expected.get(name).is_none()).collect();
    assert_eq!(filled.missing, missing, "{text}");
}

#[test]
fn quoted_text_addresses_and_paths_are_found() {
    let text = json!({"text": {"type": "string", "description": "The text."}});
    let sentence = "how many words are in 'to be or not to be'";
    check(&text, &["text"], sentence, &json!({"text": "to be or not to be"}));
    check(&text, &["text"], "count \"it's fine\"", &json!({"text": "it's fine"}));
    let mail = json!({"to": {"type": "string", "format": "email"}, "attachment_path": {"type": "string"},
        "url": {"type": "string", "format": "uri"}});
    check(
        &mail,
        &["to", "attachment_path", "url"],
        "send ./out/report.pdf and https://a.example/x?y=1. to eve@mail.example",
        &json!({"to": "eve@mail.example", "attachment_path": "./out/report.pdf", "url": "https://a.example/x?y=1"}),
    );
}

#[test]
fn words_of_a_quotation_do_not_choose_its_argument() {
    let chart = json!({"data": {"type": "string", "description": "The data as CSV."},
        "title": {"type": "string", "description": "What the table shows."},
        "x_column": {"type": "string", "description": "The column of the horizontal axis."}});
    check(&chart, &["data"], "show 'a,b x,1' as a chart", &json!({"data": "a,b x,1"}));
    let sentence = "show 'title,x 1,2' as a chart with the title 'data'";
    check(&chart, &["data"], sentence, &json!({"data": "title,x 1,2", "title": "data"}));
    let json = json!({"data": {"type": "string", "description": "The data: CSV or JSON."}});
    let sentence = r#"draw {"tea": 3} as a pie"#;
    check(&json, &["data"], sentence, &json!({"data": "{\"tea\":3}"}));
}

#[test]
fn numbers_follow_their_names_and_units() {
    let box_ = json!({"height": {"type": "number", "description": "Height in meters."},
        "weight": {"type": "number", "description": "Weight in kg"}});
    let filled = json!({"height": 1.8, "weight": 85});
    check(&box_, &["height", "weight"], "weight of 85 kilograms and height of 180 cm", &filled);
    let sides = json!({"a": {"type": "integer"}, "b": {"type": "integer"}});
    check(&sides, &["a", "b"], "the sum of twenty-five and -1,200", &json!({"a": 25, "b": -1200}));
    let bounded = json!({"n": {"type": "integer", "minimum": 1, "maximum": 9}});
    check(&bounded, &["n"], "give me 12", &json!({}));
    let rows = json!({"numbers": {"type": "array", "items": {"type": "number"}}});
    check(&rows, &["numbers"], "mean of 1, 2.5 and 4", &json!({"numbers": [1, 2.5, 4]}));
    check(&rows, &["numbers"], "mean of [1, 2]", &json!({"numbers": [1, 2]}));
    let names = json!({"names": {"type": "array", "items": {"type": "string"}}});
    check(
        &names,
        &["names"],
        "sort these: ['Sam', 'Alice', 'Jack']",
        &json!({"names": ["Sam", "Alice", "Jack"]}),
    );
}

#[test]
fn dates_follow_today_and_the_time_zone() {
    let event = json!({"date": {"type": "string", "format": "date"}});
    check(&event, &["date"], "book it for next Monday", &json!({"date": "2026-11-23"}));
    let at = json!({"at": {"type": "string", "format": "date-time"}});
    check(&at, &["at"], "remind me tomorrow at 9:30", &json!({"at": "2026-11-19T09:30:00+01:00"}));
    check(&at, &["at"], "remind me at 9am", &json!({"at": "2026-11-19T09:00:00+01:00"}));
    check(&at, &["at"], "remind me tomorrow", &json!({}));
}

#[test]
fn choices_and_booleans_come_from_words() {
    let options = json!({"unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        "include_hourly": {"type": "boolean"}, "city": {"type": "string", "description": "The city."}});
    check(
        &options,
        &["city"],
        "What is the weather in New York in Fahrenheit, without hourly data?",
        &json!({"unit": "fahrenheit", "include_hourly": false, "city": "New York"}),
    );
}

#[test]
fn money_has_an_amount_and_a_currency() {
    let exchange = json!({"amount": {"type": "number"}, "from_currency": {"type": "string"},
        "to_currency": {"type": "string"}});
    let filled = json!({"amount": 150, "from_currency": "EUR", "to_currency": "CAD"});
    check(
        &exchange,
        &["amount", "from_currency", "to_currency"],
        "Convert 150 Euros to Canadian dollars",
        &filled,
    );
}

#[test]
fn examples_of_a_description_and_defaults_are_used() {
    let hotel = json!({"room_type": {"type": "string", "description": "Such as suite or twin."},
        "nights": {"type": "integer", "description": "How many. Default is 1."}});
    check(
        &hotel,
        &["room_type", "nights"],
        "I would like a twin please",
        &json!({"room_type": "twin", "nights": 1}),
    );
}

#[test]
fn members_of_objects_are_filled() {
    let range = json!({"trip": {"type": "object", "required": ["from", "to"], "properties": {
        "from": {"type": "string"}, "to": {"type": "string"}}}});
    let sentence = "trains from London to Edinburgh";
    check(&range, &["trip"], sentence, &json!({"trip": {"from": "London", "to": "Edinburgh"}}));
}

proptest! {
    #[test]
    fn any_text_and_schema_is_answered(text in "\\PC{0,200}", name in "\\PC{0,20}", kind in "(string|number|integer|array|boolean|object)") {
        let schema = json!({"type": "object", "required": [name], "properties": {(name.as_str()): {"type": kind, "description": text}}});
        let filled = prefill(&schema, &text, &now());
        prop_assert!(filled.arguments.len() + filled.missing.len() <= 1);
    }
}

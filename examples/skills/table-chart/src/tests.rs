//! The tool against a host in memory that grants nothing.

use crate::PLUGIN;
use palyra_plugins_sdk::serde_json::{Value, json};
use palyra_plugins_sdk::testing::{Harness, RunError};

fn show(input: Value) -> Result<Value, RunError> {
    Harness::new(&PLUGIN).call("palyra.table_chart.show", &input)
}

fn props(document: &Value, id: &str) -> Value {
    let components = document["components"].as_array().unwrap();
    components
        .iter()
        .find(|component| component["id"] == id)
        .map_or(Value::Null, |found| found["props"].clone())
}

#[test]
fn csv_has_types_and_a_chart_of_its_numbers() {
    let data = "city;people;capital\n\"Oslo; north\";709037;true\nBergen;291940;false\n";
    let document = show(json!({ "data": data, "title": "Cities" })).unwrap();
    let table = props(&document, "table");
    let kinds: Vec<&str> =
        table["columns"].as_array().unwrap().iter().map(|c| c["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "number", "boolean"]);
    assert_eq!(table["rows"][0], json!({ "c1": "Oslo; north", "c2": 709037, "c3": true }));
    assert_eq!(
        (table["caption"].as_str(), props(&document, "summary")["value"].as_str()),
        (Some("Cities"), Some("2 rows, 3 columns"))
    );
    let chart = props(&document, "chart");
    assert_eq!(
        (chart["kind"].as_str(), &chart["x"]["values"]),
        (Some("bar"), &json!(["Oslo; north", "Bergen"]))
    );
    assert_eq!(chart["series"], json!([{ "name": "people", "values": [709037, 291940] }]));
}

#[test]
fn json_keeps_the_order_of_its_columns_and_dates_are_a_line() {
    let data = r#"[{"day":"2026-01-31","b":1.5,"a":2},{"day":"2026-02-01","b":null,"a":3,"more":[1]}]"#;
    let document = show(json!({ "data": data })).unwrap();
    let labels: Vec<Value> =
        props(&document, "table")["columns"].as_array().unwrap().iter().map(|c| c["label"].clone()).collect();
    assert_eq!(labels, ["day", "b", "a", "more"]);
    let chart = props(&document, "chart");
    assert_eq!((chart["kind"].as_str(), chart["x"]["type"].as_str()), (Some("line"), Some("time")));
    assert_eq!(chart["series"][0], json!({ "name": "b", "values": [1.5, null] }));
    let pie = show(json!({ "data": r#"{"tea": 3, "coffee": 5}"#, "chart": "pie" })).unwrap();
    assert_eq!(props(&pie, "chart")["x"]["values"], json!(["tea", "coffee"]));
    let numbers = show(json!({ "data": "[[\"t\",\"v\"],[1,2],[2,4]]", "x_column": "T" })).unwrap();
    assert_eq!(props(&numbers, "chart")["kind"], "scatter");
    let words = show(json!({ "data": "a,b\nx,007" })).unwrap();
    assert_eq!(
        (props(&words, "chart"), &props(&words, "table")["rows"][0]["c2"]),
        (Value::Null, &json!("007"))
    );
}

#[test]
fn what_cannot_be_shown_is_named() {
    for (input, code) in [
        (json!({ "data": " \n" }), "no_data"),
        (json!({ "data": "a,b\n1,2,3" }), "uneven_rows"),
        (json!({ "data": "a\n\"1" }), "invalid_csv"),
        (json!({ "data": "[{]" }), "invalid_json"),
        (json!({ "data": "{\"a\"" }), "invalid_json"),
        (json!({ "data": "a,b\nx,1", "y_columns": ["c"] }), "no_column"),
        (json!({ "data": "a,b\nx,1", "y_columns": ["a"] }), "no_numbers"),
        (json!({ "data": "a\nx", "chart": "bar" }), "no_numbers"),
        (json!({ "data": "a,b\nx,-1", "chart": "pie" }), "negative_part"),
        (json!({ "data": "a,b,c\nx,1,2", "chart": "pie" }), "one_series"),
        (json!({ "data": "n\n".to_owned() + &"1\n".repeat(1_001) }), "too_large"),
        (json!({ "data": "a\n".to_owned() + &"x".repeat(5_000) }), "too_large"),
    ] {
        match show(input.clone()).unwrap_err() {
            RunError::ToolFailed(error) => assert_eq!(error.code, code, "{input}"),
            other => panic!("{other}"),
        }
    }
    let hostile = show(json!({ "data": "a\u{202e}b\nx\u{1b}[31m" })).unwrap();
    assert_eq!(props(&hostile, "table")["rows"][0]["c1"], "x\u{fffd}[31m");
}

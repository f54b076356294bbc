//! The three steps against a host in memory that grants nothing.

use crate::PLUGIN;
use palyra_plugins_sdk::serde_json::{Map, Value, json};
use palyra_plugins_sdk::testing::{Harness, RunError};

fn call(tool: &str, input: &Value) -> Result<Value, RunError> {
    Harness::new(&PLUGIN).call(&format!("palyra.packing_list.{tool}"), input)
}

/// What a person who changes nothing submits.
fn defaults(form: &Value) -> Map<String, Value> {
    let fields = form["fields"].as_array().unwrap().iter();
    fields
        .filter_map(|field| Some((field["name"].as_str()?.to_owned(), field.get("default")?.clone())))
        .collect()
}

#[test]
fn each_form_leads_to_the_next_step() {
    let first = call("start", &json!({ "destination": "Oslo" })).unwrap();
    let form = &first["components"][0]["props"];
    assert_eq!(form["tool"], "palyra.packing_list.details");
    let mut values = defaults(form);
    values.insert("nights".into(), json!(9));
    let second = call("details", &Value::Object(values)).unwrap();
    let form = &second["components"][0]["props"];
    assert_eq!(
        (form["tool"].as_str(), form["fields"][0]["options"][0].as_str()),
        (Some("palyra.packing_list.make"), Some("city"))
    );
    let mut values = defaults(form);
    values.insert("activities".into(), json!(["hiking"]));
    values.insert("laundry".into(), json!(true));
    let list = call("make", &Value::Object(values)).unwrap();
    assert_eq!(list["components"][0]["props"]["value"], "Packing list for Oslo: 9 nights, mild weather");
    assert_eq!(list["components"][1]["props"]["rows"][0], json!({ "item": "underwear", "count": 5 }));
    let others = list["components"][2]["props"]["items"].as_array().unwrap();
    assert!(others.contains(&json!("rain jacket")) && others.contains(&json!("ticket")));
    assert_eq!([&first["surface"], &second["surface"]], [&list["surface"]; 2]);
}

#[test]
fn second_form_follows_from_the_first() {
    let details = |nights: u32, climate: &str| {
        let input =
            json!({ "destination": "Rome", "nights": nights, "climate": climate, "transport": "plane" });
        call("details", &input).unwrap()["components"][0]["props"]["fields"].clone()
    };
    assert_eq!(details(3, "hot")[0]["options"][0], "beach");
    assert_eq!(
        (details(3, "hot")[1]["name"].as_str(), details(7, "hot")[1]["name"].as_str()),
        (Some("climate"), Some("laundry"))
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let trip = json!({ "destination": "Rome", "nights": 2, "climate": "hot", "transport": "car", "activities": ["skiing"] });
    for (tool, input, code) in
        [("make", trip, "unknown_activity"), ("start", json!({ "destination": "a\nb" }), "bad_destination")]
    {
        match call(tool, &input).unwrap_err() {
            RunError::ToolFailed(error) => assert_eq!(error.code, code),
            other => panic!("{other}"),
        }
    }
}

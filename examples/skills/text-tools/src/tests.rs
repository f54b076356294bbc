//! The tools against a host in memory that grants nothing.

use crate::PLUGIN;
use palyra_plugins_sdk::serde_json::{Value, json};
use palyra_plugins_sdk::testing::Harness;

#[track_caller]
fn changed(tool: &str, input: &Value) -> String {
    let output = Harness::new(&PLUGIN).call(&format!("palyra.text_tools.{tool}"), input).unwrap();
    output["text"].as_str().unwrap().to_owned()
}

#[test]
fn slug_has_plain_letters_and_whole_words() {
    let slug = |text: &str| changed("slugify", &json!({ "text": text }));
    assert_eq!(slug("  Crème brûlée & Äpfel: it's 2026! "), "creme-brulee-apfel-its-2026");
    assert_eq!(slug("Straße nach Łódź"), "strasse-nach-lodz");
    assert_eq!(slug("東京 2026"), "東京-2026");
    assert_eq!(slug("--- !"), "");
    let short = |length: u32| changed("slugify", &json!({ "text": "one two three", "max_length": length }));
    assert_eq!([short(8), short(7), short(2)], ["one-two", "one-two", "on"]);
}

#[test]
fn case_changes_text_and_names() {
    let to = |case: &str, text: &str| changed("change_case", &json!({ "text": text, "to": case }));
    assert_eq!(to("upper", "straße"), "STRASSE");
    assert_eq!(to("title", "it's a DOG’s life"), "It's A Dog’s Life");
    assert_eq!(to("sentence", "HELLO there. how ARE you? 3 fine"), "Hello there. How are you? 3 fine");
    assert_eq!(to("camel", "parse HTTP reply"), "parseHttpReply");
    assert_eq!(to("snake", "parseHTTPReply v2Beta"), "parse_http_reply_v2_beta");
    assert_eq!(to("kebab", "Some  text_here"), "some-text-here");
}

#[test]
fn lines_are_sorted_and_kept_once() {
    let sorted = |text: &str, more: Value| {
        let mut input = json!({ "text": text });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        changed("sort_lines", &input)
    };
    assert_eq!(sorted("b\na\nB\n", json!({})), "B\na\nb\n");
    assert_eq!(sorted("b\na\nB", json!({ "ignore_case": true, "unique": true })), "a\nb");
    assert_eq!(sorted("10 x\n9 y\nz", json!({ "numeric": true, "descending": true })), "10 x\n9 y\nz");
}

#[test]
fn text_is_wrapped_by_paragraph() {
    let wrapped = changed(
        "wrap_text",
        &json!({ "text": "one two\nthree four\n\n\nincomprehensible yes", "width": 10 }),
    );
    assert_eq!(wrapped, "one two\nthree four\n\nincomprehensible\nyes");
}

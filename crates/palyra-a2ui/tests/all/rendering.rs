//! Documents rendered as text.

use palyra_a2ui::render_text;
use serde_json::json;

use crate::documents::parse;

#[test]
fn tables_fit_the_width_and_numbers_are_on_the_right() {
    let rows = json!([{"name": "a long name that does not fit", "n": 7}, {"name": "b", "n": 1234}]);
    let columns = json!([{"key": "name", "label": "Name"}, {"key": "n", "label": "N", "type": "number"}]);
    let text = render_text(&parse("table", &json!({"columns": columns, "rows": rows})), 24);
    assert!(text.lines().all(|line| line.chars().count() <= 24), "{text}");
    assert!(text.contains('…') && text.contains("   7"), "{text}");
}

#[test]
fn charts_and_unknown_components_are_drawn() {
    let chart = |kind: &str| {
        json!({"kind": kind, "x": {"values": ["a", "b"]}, "title": "T",
            "series": [{"name": "s", "values": [-1, 3]}]})
    };
    let bars = render_text(&parse("chart", &chart("bar")), 40);
    assert!(bars.starts_with("T\na -1 █"), "{bars}");
    assert!(render_text(&parse("chart", &chart("line")), 40).contains("● s"));
    assert!(render_text(&parse("later", &json!({})), 80).contains("unknown type `later`"));
}

#[test]
fn forms_show_the_values_they_begin_with() {
    let fields = json!([
        {"name": "text", "type": "textarea", "label": "text", "required": true, "default": "to be", "hint": "The text."},
        {"name": "chart", "type": "select", "label": "chart", "options": ["bar", "pie"], "default": "bar"},
        {"name": "nights", "type": "number", "label": "nights", "min": 1, "max": 30, "default": 2},
        {"name": "due", "type": "date", "label": "due", "hint": "The day."}]);
    let text = render_text(&parse("form", &json!({"submit_label": "Run", "fields": fields})), 80);
    let expected = "  text: to be (required) – The text.\n  chart: bar (one of bar | pie)\n  nights: 2 (1 to 30)\n  due: ____ – The day.\n[Run]";
    assert_eq!(text, expected);
}

#[test]
fn markdown_reads_as_text() {
    let text =
        render_text(&parse("markdown", &json!({"value": "# T\n\n- [a](https://b.example)\n- *c*"})), 80);
    assert_eq!(text, "# T\n\n• a (https://b.example)\n• c");
}

//! Printed manifests parse back to the same value, and no text makes the parser panic.

use palyra_skills::manifest::{ToolEntrypoint, parse_manifest_toml};
use palyra_skills::signing::strict_json::{StrictJsonError, parse_canonical, parse_value};
use proptest::prelude::*;

use crate::corpus::honest_manifests;

fn honest() -> impl Strategy<Value = String> {
    let texts: Vec<String> = honest_manifests().into_iter().map(|(_, text)| text).collect();
    prop::sample::select(texts)
}

proptest! {
    #[test]
    fn print_then_parse_changes_nothing(text in honest(), summary in "[a-zA-Z0-9 \"'\\\\#=é]{1,40}[a-z]", counter in 1_u64..1 << 53) {
        let mut manifest = parse_manifest_toml(&text).unwrap();
        manifest.summary = Some(summary);
        manifest.release_counter = counter;
        let printed = toml::to_string(&manifest).unwrap();
        prop_assert_eq!(parse_manifest_toml(&printed).map_err(|e| e.render()).unwrap(), manifest);
    }

    #[test]
    fn a_changed_byte_is_read_or_refused_with_a_place(text in honest(), at in any::<prop::sample::Index>(), with in "\\PC|\\n|\"|\\[|\\{|\\.") {
        let at = at.index(text.len());
        prop_assume!(text.is_char_boundary(at) && text.is_char_boundary(at + 1));
        let changed = format!("{}{with}{}", &text[..at], &text[at + 1..]);
        if let Err(error) = parse_manifest_toml(&changed) {
            prop_assert!(error.line() <= changed.lines().count() + 1);
            prop_assert!(error.span().end <= changed.len() + 1);
            prop_assert!(error.render().lines().count() >= 5, "{}", error.render());
        }
    }
}

/// The bytes that records and digests contain do not depend on the features of other crates in the build.
#[test]
fn schemas_and_examples_have_one_spelling() {
    let sorted = r#"{"id":"a.b","name":"n","description":"d","input_schema":{"properties":{"x":{"maximum":2,"type":"integer"},"y":{}},"type":"object"},"output_schema":{"a":1,"b":2},"module":"modules/a.wasm","examples":[{"x":1,"y":{"a":1,"b":2}}]}"#;
    let unsorted = r#"{"id":"a.b","name":"n","description":"d","input_schema":{"type":"object","properties":{"y":{},"x":{"type":"integer","maximum":2}}},"output_schema":{"b":2,"a":1},"module":"modules/a.wasm","examples":[{"y":{"b":2,"a":1},"x":1}]}"#;
    let tool: ToolEntrypoint = serde_json::from_str(unsorted).unwrap();
    assert_eq!(serde_json::to_string(&tool).unwrap(), sorted);
    assert_eq!(
        tool.input_schema.to_string(),
        r#"{"properties":{"x":{"maximum":2,"type":"integer"},"y":{}},"type":"object"}"#
    );
    assert_eq!(parse_canonical::<ToolEntrypoint>(sorted.as_bytes()).unwrap(), tool);
    let refused = parse_canonical::<ToolEntrypoint>(unsorted.as_bytes());
    assert!(matches!(refused, Err(StrictJsonError::NotCanonical { offset: 58 })), "{refused:?}");
    assert_eq!(
        parse_value(br#"{"b":{"d":1,"c":2},"a":3}"#).unwrap().to_string(),
        r#"{"a":3,"b":{"c":2,"d":1}}"#
    );
}

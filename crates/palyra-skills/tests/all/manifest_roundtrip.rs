//! What is printed reads back the same, and no text makes the parser panic.

use palyra_skills::manifest::{parse_manifest_toml, print_manifest_toml};
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
        let printed = print_manifest_toml(&manifest).unwrap();
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

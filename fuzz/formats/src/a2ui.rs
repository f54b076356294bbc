//! Documents and patches: read or refused with a place in them, and what is read has one spelling and can be shown.

use palyra_a2ui::{
    A2uiDocument, A2uiPatch, GoogleA2uiVersion, from_google, render_text, to_google, to_markdown,
};

/// Takes the bytes as a document.
pub fn check_a2ui_document(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = from_google(text);
    let Ok(document) = A2uiDocument::parse(text) else { return };
    let again = A2uiDocument::parse(document.to_json().as_str()).expect("a document can be read again");
    assert_eq!(again, document, "a document has two readings");
    for width in [0, 40, 200] {
        assert!(!render_text(&document, width).contains('\u{1b}'), "a terminal gets a control character");
    }
    assert!(!to_markdown(&document).contains('\u{1b}'));
    assert!(to_google(&document, GoogleA2uiVersion::V1_0).len() >= 2);
}

/// Takes the bytes as a patch, and applies it to a small document.
pub fn check_a2ui_patch(data: &[u8]) {
    const DOCUMENT: &str =
        r#"{"v":1,"surface":"s","components":[{"id":"a","type":"text","props":{"value":"x"}}]}"#;
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(patch) = A2uiPatch::parse(text) else { return };
    let document = A2uiDocument::parse(DOCUMENT).expect("a valid document");
    if let Ok(changed) = patch.apply(&document, 1) {
        A2uiDocument::parse(changed.to_json().as_str()).expect("a patched document is valid");
    }
}

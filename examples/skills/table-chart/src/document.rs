//! A document for people; `docs/a2ui.md` has its format and limits.

use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::serde_json::Value;

/// A document that the host checks and clients draw.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document {
    v: u32,
    surface: String,
    components: Vec<Value>,
}

/// Most rows of a table, and points of a chart.
pub(crate) const MAX_ROWS: usize = 1_000;
/// Most columns of a table.
pub(crate) const MAX_COLUMNS: usize = 32;
/// Most series of a chart.
pub(crate) const MAX_SERIES: usize = 16;
const MAX_CELL_BYTES: usize = 4 << 10;
const MAX_LABEL_BYTES: usize = 512;

impl Document {
    pub(crate) fn new(surface: &str, components: Vec<Value>) -> Self {
        Self { v: 1, surface: surface.to_owned(), components }
    }
}

/// A component of a document. Its properties are moved: `json!` would copy all rows of a table.
pub(crate) fn component(id: &str, kind: &str, props: Value) -> Value {
    object([("id", id.into()), ("type", kind.into()), ("props", props)])
}

/// An object of these members.
pub(crate) fn object<const COUNT: usize>(members: [(&str, Value); COUNT]) -> Value {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A label as documents take it: one line, without characters that act on a terminal.
pub(crate) fn label(text: &str) -> Result<String, ToolError> {
    bounded("a column name or title", text.split_whitespace().collect::<Vec<_>>().join(" "), MAX_LABEL_BYTES)
}

/// The text of a cell as documents take it.
pub(crate) fn cell(text: &str) -> Result<String, ToolError> {
    bounded("a cell", text.replace("\r\n", "\n"), MAX_CELL_BYTES)
}

fn bounded(what: &str, text: String, most: usize) -> Result<String, ToolError> {
    if text.len() > most {
        let message = format!("{what} has {} bytes; at most {most} can be shown", text.len());
        return Err(ToolError::new("too_large", message));
    }
    Ok(text.chars().map(|c| if is_shown(c) { c } else { '\u{fffd}' }).collect())
}

/// Control characters and those that reorder or hide text cannot be part of a document.
fn is_shown(c: char) -> bool {
    matches!(c, '\n' | '\t')
        || !(c.is_control()
            || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'))
}

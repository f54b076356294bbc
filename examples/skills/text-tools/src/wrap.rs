//! `palyra.text_tools.wrap_text`: lines of a certain width.

use crate::Changed;
use palyra_plugins_sdk::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrapInput {
    /// The text; an empty line begins a new paragraph.
    text: String,
    /// Maximum number of characters of a line.
    #[serde(default = "seventy_two")]
    #[schemars(range(min = 10, max = 400))]
    width: u32,
}

fn seventy_two() -> u32 {
    72
}

#[tool(
    id = "palyra.text_tools.wrap_text",
    description = "Wraps paragraphs to lines of a maximum width; a word that is longer stays whole on a line of its own"
)]
pub(crate) fn wrap_text(input: WrapInput) -> Changed {
    let width = input.width as usize;
    let mut paragraphs = vec![Vec::new()];
    for line in input.text.lines() {
        match (line.trim().is_empty(), paragraphs.last_mut()) {
            (false, Some(words)) => words.extend(line.split_whitespace()),
            _ => paragraphs.push(Vec::new()),
        }
    }
    let wrapped: Vec<String> =
        paragraphs.iter().filter(|words| !words.is_empty()).map(|words| wrap(words, width)).collect();
    Changed { text: wrapped.join("\n\n") }
}

fn wrap(words: &[&str], width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in words {
        let length = word.chars().count();
        match column {
            0 => {}
            _ if column + 1 + length > width => {
                out.push('\n');
                column = 0;
            }
            _ => {
                out.push(' ');
                column += 1;
            }
        }
        out.push_str(word);
        column += length;
    }
    out
}

//! Four tools that change a text and touch nothing else.

mod case;
mod lines;
mod slug;
#[cfg(test)]
mod tests;
mod wrap;

use palyra_plugins_sdk::prelude::*;

palyra_plugins_sdk::plugin! {
    tools: [slug::slugify, case::change_case, lines::sort_lines, wrap::wrap_text]
}

/// What every tool returns.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Changed {
    /// The changed text.
    text: String,
}

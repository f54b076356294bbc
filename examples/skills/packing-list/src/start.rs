//! `palyra.packing_list.start`: the first form.

use crate::document::{Document, component};
use crate::trip::{Climate, MAX_DESTINATION, Transport, checked_destination};
use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::serde_json::json;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StartInput {
    /// Where the trip goes, if that is known already.
    destination: Option<String>,
}

#[tool(
    id = "palyra.packing_list.start",
    description = "Plans a packing list, what to pack for a trip or holiday: asks about the trip in a form of two steps, then shows the list"
)]
pub(crate) fn start(input: StartInput) -> Result<Document, ToolError> {
    let mut destination = json!({ "name": "destination", "type": "text", "label": "Destination", "required": true,
        "min_length": 1, "max_length": MAX_DESTINATION });
    // A form that is left empty says as little as none.
    if let Some(known) = input.destination.filter(|known| !known.trim().is_empty()) {
        destination["default"] = checked_destination(&known)?.into();
    }
    let form = json!({
        "title": "Packing list, step 1 of 2: the trip",
        "submit_label": "Next",
        "tool": "palyra.packing_list.details",
        "fields": [
            destination,
            { "name": "nights", "type": "number", "label": "Nights", "required": true, "min": 1, "max": 60, "step": 1,
              "default": 3 },
            { "name": "climate", "type": "select", "label": "Weather", "required": true, "options": Climate::NAMES,
              "default": "mild" },
            { "name": "transport", "type": "select", "label": "Travel by", "required": true,
              "options": Transport::NAMES, "default": "train" },
        ],
    });
    Ok(Document::new(vec![component("trip", "form", form)]))
}

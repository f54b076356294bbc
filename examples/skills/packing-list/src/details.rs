//! `palyra.packing_list.details`: the second form, which follows from the answers to the first.

use crate::document::{Document, component};
use crate::trip::{Climate, Transport, checked_destination};
use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::serde_json::{Value, json};

/// Trips of more nights can do laundry on the way.
const LONG_NIGHTS: u32 = 6;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DetailsInput {
    /// Where the trip goes.
    destination: String,
    /// How many nights it takes.
    #[schemars(range(min = 1, max = 60))]
    nights: u32,
    /// What the weather is like.
    climate: Climate,
    /// How the traveller gets there.
    transport: Transport,
}

#[tool(
    id = "palyra.packing_list.details",
    description = "Shows the second form for a trip: what will be done at the destination"
)]
pub(crate) fn details(input: DetailsInput) -> Result<Document, ToolError> {
    let destination = checked_destination(&input.destination)?;
    let activities: Vec<&str> = input.climate.activities().iter().map(|(name, _)| *name).collect();
    let mut fields =
        vec![json!({ "name": "activities", "type": "multiselect", "label": "What will you do there?",
        "options": activities })];
    if input.nights > LONG_NIGHTS {
        fields.push(json!({ "name": "laundry", "type": "checkbox", "label": "I can do laundry on the way",
            "default": false }));
    }
    // A form is all that the next call knows, so the answers of the first step are fields with one choice.
    fields.extend([
        only("climate", "Weather", input.climate.name()),
        only("transport", "Travel by", input.transport.name()),
        only("destination", "Destination", destination),
        json!({ "name": "nights", "type": "number", "label": "Nights", "required": true, "min": input.nights,
            "max": input.nights, "default": input.nights }),
    ]);
    let form = json!({
        "title": format!("Packing list, step 2 of 2: {destination}"),
        "submit_label": "Make the list",
        "tool": "palyra.packing_list.make",
        "fields": fields,
    });
    Ok(Document::new(vec![component("details", "form", form)]))
}

fn only(name: &str, label: &str, value: &str) -> Value {
    json!({ "name": name, "type": "select", "label": label, "required": true, "options": [value], "default": value })
}

//! `palyra.packing_list.make`: the list.

use crate::document::{Document, component};
use crate::trip::{Climate, Transport, checked_destination};
use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::serde_json::{Value, json};

/// Nights between two times of laundry.
const LAUNDRY_NIGHTS: u32 = 4;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MakeInput {
    /// Where the trip goes.
    destination: String,
    /// How many nights it takes.
    #[schemars(range(min = 1, max = 60))]
    nights: u32,
    /// What the weather is like.
    climate: Climate,
    /// How the traveller gets there.
    transport: Transport,
    /// What will be done there, such as `hiking`, `beach` or `work`.
    #[serde(default)]
    activities: Vec<String>,
    /// Whether clothes can be washed on the way.
    #[serde(default)]
    laundry: bool,
}

#[tool(
    id = "palyra.packing_list.make",
    description = "Computes what a trip needs from its nights, weather, transport and activities"
)]
pub(crate) fn make(input: MakeInput) -> Result<Document, ToolError> {
    let destination = checked_destination(&input.destination)?;
    let (rows, others) = (clothes(&input), others(&input)?);
    let nights = if input.nights == 1 { "night" } else { "nights" };
    let heading = format!(
        "Packing list for {destination}: {} {nights}, {} weather",
        input.nights,
        input.climate.name()
    );
    let columns = json!([
        { "key": "item", "label": "Clothes" },
        { "key": "count", "label": "Pieces", "type": "number" },
    ]);
    Ok(Document::new(vec![
        component("heading", "text", json!({ "value": heading })),
        component("clothes", "table", json!({ "columns": columns, "rows": rows })),
        component("others", "list", json!({ "items": others })),
    ]))
}

fn clothes(input: &MakeInput) -> Vec<Value> {
    let days = input.nights + 1;
    let changes = if input.laundry { days.min(LAUNDRY_NIGHTS + 1) } else { days };
    let (tops, warm): (_, &[(&str, u32)]) = match input.climate {
        Climate::Hot => ("t-shirts", &[("shorts", 2), ("light sweater", 1)]),
        Climate::Mild => ("shirts", &[("trousers", 2), ("sweater", 1), ("light jacket", 1)]),
        Climate::Cold => ("long-sleeved shirts", &[("trousers", 2), ("warm sweater", 2), ("winter coat", 1)]),
    };
    let each_day = [("underwear", changes), ("pairs of socks", changes), (tops, changes)];
    let longer = input.nights > 7 && !input.laundry;
    let some = warm.iter().map(|(item, count)| (*item, count + u32::from(longer && *count > 1)));
    each_day.into_iter().chain(some).map(|(item, count)| json!({ "item": item, "count": count })).collect()
}

fn others(input: &MakeInput) -> Result<Vec<&'static str>, ToolError> {
    let mut others = vec!["identity card or passport", "phone charger", "toiletries", "medicine"];
    others.extend(input.transport.needs());
    if input.climate == Climate::Hot {
        others.push("sunscreen");
    }
    let known = input.climate.activities();
    for activity in &input.activities {
        let Some((_, needs)) = known.iter().find(|(name, _)| name == activity) else {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let message =
                format!("in {} weather the activities are: {}", input.climate.name(), names.join(", "));
            return Err(ToolError::new("unknown_activity", message));
        };
        others.extend(needs.iter().filter(|need| !others.contains(need)).collect::<Vec<_>>());
    }
    Ok(others)
}

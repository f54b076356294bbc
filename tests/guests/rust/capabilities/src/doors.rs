//! Tier A, and secrets in the clear.

use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::{
    CapabilityKind, host_capability_channel_count, host_capability_channel_handle, host_capability_find,
    host_capability_http_count, host_capability_http_handle, host_capability_name,
    host_capability_secret_count, host_capability_secret_handle, host_capability_storage_count,
    host_capability_storage_handle, secrets,
};

/// The names behind the handles of one kind, and whether each handle is a positive number.
#[derive(Serialize, JsonSchema)]
struct Doors {
    count: i32,
    names: Vec<Option<String>>,
    all_positive: bool,
    /// What the index after the last one gives.
    after_last: i32,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct AllDoors {
    http: Doors,
    secret: Doors,
    storage: Doors,
    channel: Doors,
}

#[tool(id = "capabilities.handles", description = "Count and name everything that is granted")]
pub(crate) fn handles() -> AllDoors {
    AllDoors {
        http: doors(host_capability_http_count(), host_capability_http_handle),
        secret: doors(host_capability_secret_count(), host_capability_secret_handle),
        storage: doors(host_capability_storage_count(), host_capability_storage_handle),
        channel: doors(host_capability_channel_count(), host_capability_channel_handle),
    }
}

fn doors(count: i32, handle_at: fn(i32) -> i32) -> Doors {
    let handles: Vec<i32> = (0..count).map(handle_at).collect();
    Doors {
        count,
        all_positive: handles.iter().all(|handle| *handle > 0),
        names: handles.into_iter().map(host_capability_name).collect(),
        after_last: handle_at(count),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Http,
    Secret,
    Storage,
    Channel,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Find {
    kind: Kind,
    name: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    found: bool,
    name: Option<String>,
}

#[tool(id = "capabilities.find", description = "Find a grant by name")]
pub(crate) fn find(input: Find) -> Found {
    let kind = match input.kind {
        Kind::Http => CapabilityKind::Http,
        Kind::Secret => CapabilityKind::Secret,
        Kind::Storage => CapabilityKind::Storage,
        Kind::Channel => CapabilityKind::Channel,
    };
    let handle = host_capability_find(kind, &input.name);
    Found { found: handle > 0, name: host_capability_name(handle) }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Reveal {
    name: String,
}

#[tool(id = "capabilities.secret_reveal", description = "Read a secret and return it")]
pub(crate) fn reveal(input: Reveal) -> Result<String, ToolError> {
    secrets::reveal_string(&input.name)
}

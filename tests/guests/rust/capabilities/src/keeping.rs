//! Storage.

use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::storage;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Key {
    prefix: String,
    key: String,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Put {
    prefix: String,
    key: String,
    value: String,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct List {
    prefix: String,
    /// Only keys that start with this.
    #[serde(default)]
    start: String,
}

#[tool(id = "capabilities.storage_get", description = "Read a value as text")]
pub(crate) fn storage_get(input: Key) -> Result<Option<String>, ToolError> {
    storage::open(&input.prefix).get_string(&input.key)
}

#[tool(id = "capabilities.storage_put", description = "Set a value")]
pub(crate) fn storage_put(input: Put) -> Result<(), HostError> {
    storage::open(&input.prefix).put(&input.key, input.value)
}

#[tool(id = "capabilities.storage_delete", description = "Remove a value; says whether it was there")]
pub(crate) fn storage_delete(input: Key) -> Result<bool, HostError> {
    storage::open(&input.prefix).delete(&input.key)
}

#[tool(id = "capabilities.storage_list", description = "List keys over all pages")]
pub(crate) fn storage_list(input: List) -> Result<Vec<String>, HostError> {
    storage::open(&input.prefix).keys(&input.start).collect()
}

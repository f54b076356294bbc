//! `palyra.echo_http.remember`: a counter that survives restarts.

use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::storage;

const PREFIX: &str = "counters/";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RememberInput {
    /// Which counter, `[a-z0-9_-]+`.
    counter: String,
    /// How much to add.
    #[serde(default = "one")]
    add: i64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RememberOutput {
    /// The value before; nothing for a new counter.
    before: Option<i64>,
    after: i64,
}

#[tool(id = "palyra.echo_http.remember", description = "Adds to a named counter and returns its value")]
pub(crate) fn remember(input: RememberInput) -> Result<RememberOutput, ToolError> {
    check_name(&input.counter)?;
    let counters = storage::open(PREFIX);
    let before: Option<i64> = counters.get_json(&input.counter)?;
    let after = before.unwrap_or(0).checked_add(input.add);
    let after = after.ok_or_else(|| ToolError::new("overflow", "the counter does not go that far"))?;
    counters.put_json(&input.counter, &after)?;
    Ok(RememberOutput { before, after })
}

fn check_name(name: &str) -> Result<(), ToolError> {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-');
    if (1..=64).contains(&name.len()) && name.bytes().all(plain) {
        return Ok(());
    }
    Err(ToolError::new("bad_counter", "a counter is 1 to 64 of `[a-z0-9_-]`"))
}

fn one() -> i64 {
    1
}

//! A naive implementation: an engine, a compilation and a linker for every call.

use crate::bare::{BareComponent, Metered};
use anyhow::Result;
use wasmtime::{Config, Engine};

/// Makes one call without any reuse; a metered one can be interrupted, like every call of Palyra.
pub async fn call_from_nothing(wasm: &[u8], input: &str, metered: Metered) -> Result<String> {
    BareComponent::new(&engine(metered)?, wasm, metered)?.call(input).await
}

fn engine(metered: Metered) -> Result<Engine> {
    let mut config = Config::new();
    if metered == Metered::Yes {
        config.consume_fuel(true).epoch_interruption(true);
    }
    Engine::new(&config).map_err(|error| anyhow::anyhow!("{error:#}"))
}

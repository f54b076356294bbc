//! What is often written first: an engine, a compilation and a linker for every call.

use crate::bare::{BareComponent, Metered};
use anyhow::Result;
use wasmtime::Engine;

/// One call from nothing, with the engine's defaults.
pub async fn call_from_nothing(wasm: &[u8], input: &str) -> Result<String> {
    BareComponent::new(&Engine::default(), wasm, Metered::No)?.call(input).await
}

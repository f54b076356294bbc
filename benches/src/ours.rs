//! Palyra's side: a runtime with default settings; every result is checked.

use crate::guests::Guests;
use anyhow::{Result, bail};
use palyra_common::JsonText;
use palyra_plugins_runtime::{Invocation, LoadedModule, RuntimeConfig, WasmRuntime};
use std::sync::Arc;

/// One runtime and the guests of all rows.
pub struct Ours {
    pub runtime: Arc<WasmRuntime>,
    pub guests: Guests,
}

/// A compiled guest with the call to repeat.
#[derive(Clone)]
pub struct Prepared {
    pub runtime: Arc<WasmRuntime>,
    pub module: Arc<LoadedModule>,
    pub invocation: Invocation,
}

impl Ours {
    pub fn new() -> Result<Self> {
        Ok(Self { runtime: Arc::new(WasmRuntime::new(RuntimeConfig::default())?), guests: Guests::read()? })
    }

    pub async fn echo_component(&self, input: &str) -> Result<Prepared> {
        self.prepare(&self.guests.echo_component, input).await
    }

    pub async fn echo_core(&self, input: &str) -> Result<Prepared> {
        self.prepare(&self.guests.echo_core, input).await
    }

    pub async fn javascript(&self) -> Result<Prepared> {
        self.prepare(&self.guests.javascript, &self.guests.input_javascript).await
    }

    /// Compiles a guest; its calls are tool calls without grants and with the limits of the contract.
    pub async fn prepare(&self, guest: &[u8], input: &str) -> Result<Prepared> {
        let module = self.runtime.load(guest).await?;
        let invocation = Invocation::tool("bench.call", JsonText::parse(input)?);
        Ok(Prepared { runtime: Arc::clone(&self.runtime), module, invocation })
    }
}

impl Prepared {
    /// Makes a whole call, from the invocation to the dropped report.
    pub async fn call(&self) -> Result<()> {
        match self.runtime.invoke(&self.module, self.invocation.clone()).await.result {
            Ok(_) => Ok(()),
            Err(error) => bail!("our call failed: {error}"),
        }
    }

    /// Makes a call and returns its output.
    pub async fn output(&self) -> Result<String> {
        let report = self.runtime.invoke(&self.module, self.invocation.clone()).await;
        let output = report.result?;
        Ok(output.json().map(|text| text.as_str().to_owned()).unwrap_or_default())
    }
}

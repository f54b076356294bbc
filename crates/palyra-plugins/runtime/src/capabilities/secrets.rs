//! `secrets`: secret values, under grants with `reveal` only.

use super::bindings::palyra::plugin::secrets::Host;
use super::bindings::palyra::plugin::types::HostError;
use super::types::to_guest;
use crate::run_state::RunState;

impl Host for RunState {
    async fn reveal(&mut self, handle: i32) -> wasmtime::Result<Result<Vec<u8>, HostError>> {
        to_guest(self.run.secret_reveal(handle))
    }
}

//! `channels`: messages to a named channel.

use super::bindings::palyra::plugin::channels::Host;
use super::bindings::palyra::plugin::types::HostError;
use super::types::to_guest;
use crate::run_state::RunState;

impl Host for RunState {
    async fn publish(
        &mut self,
        handle: i32,
        content_type: String,
        body: Vec<u8>,
    ) -> wasmtime::Result<Result<(), HostError>> {
        to_guest(self.run.channel_publish(handle, &content_type, body).await)
    }
}

//! `storage`: keys and values of this skill.

use super::bindings::palyra::plugin::storage::{Host, Page};
use super::bindings::palyra::plugin::types::HostError;
use super::types::to_guest;
use crate::run_state::RunState;

impl Host for RunState {
    async fn get(
        &mut self,
        handle: i32,
        key: String,
    ) -> wasmtime::Result<Result<Option<Vec<u8>>, HostError>> {
        to_guest(self.run.storage_get(handle, &key).await)
    }

    async fn put(
        &mut self,
        handle: i32,
        key: String,
        value: Vec<u8>,
    ) -> wasmtime::Result<Result<(), HostError>> {
        to_guest(self.run.storage_put(handle, &key, value).await)
    }

    async fn delete(&mut self, handle: i32, key: String) -> wasmtime::Result<Result<bool, HostError>> {
        to_guest(self.run.storage_delete(handle, &key).await)
    }

    async fn list(
        &mut self,
        handle: i32,
        prefix: String,
        cursor: Option<String>,
        limit: u32,
    ) -> wasmtime::Result<Result<Page, HostError>> {
        let page = self.run.storage_list(handle, &prefix, cursor.as_deref(), limit).await;
        to_guest(page.map(|page| Page { keys: page.keys, next: page.next }))
    }
}

//! `host-capabilities`: Tier A, the granted capabilities.

use super::bindings::palyra::plugin::host_capabilities::Host;
use super::bindings::palyra::plugin::types::CapabilityKind as WitKind;
use crate::run_state::RunState;
use palyra_common::CapabilityKind;

impl Host for RunState {
    async fn http_count(&mut self) -> wasmtime::Result<i32> {
        Ok(self.run.handles.count(CapabilityKind::Http))
    }

    async fn http_handle(&mut self, index: i32) -> wasmtime::Result<i32> {
        Ok(self.run.handles.at(CapabilityKind::Http, index))
    }

    async fn secret_count(&mut self) -> wasmtime::Result<i32> {
        Ok(self.run.handles.count(CapabilityKind::Secret))
    }

    async fn secret_handle(&mut self, index: i32) -> wasmtime::Result<i32> {
        Ok(self.run.handles.at(CapabilityKind::Secret, index))
    }

    async fn storage_count(&mut self) -> wasmtime::Result<i32> {
        Ok(self.run.handles.count(CapabilityKind::Storage))
    }

    async fn storage_handle(&mut self, index: i32) -> wasmtime::Result<i32> {
        Ok(self.run.handles.at(CapabilityKind::Storage, index))
    }

    async fn channel_count(&mut self) -> wasmtime::Result<i32> {
        Ok(self.run.handles.count(CapabilityKind::Channel))
    }

    async fn channel_handle(&mut self, index: i32) -> wasmtime::Result<i32> {
        Ok(self.run.handles.at(CapabilityKind::Channel, index))
    }

    async fn find(&mut self, kind: WitKind, name: String) -> wasmtime::Result<i32> {
        Ok(self.run.find(kind.into(), &name))
    }

    async fn name(&mut self, handle: i32) -> wasmtime::Result<Option<String>> {
        Ok(self.run.handle_name(handle))
    }
}

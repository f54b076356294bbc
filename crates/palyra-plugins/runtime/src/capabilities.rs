//! The interfaces that a guest may import. They are linked once per engine and checked against the grants at each use.

mod channels;
pub(crate) mod core_abi;
mod handles;
mod host_capabilities;
mod http;
mod log;
mod run;
mod secrets;
mod storage;
mod types;

pub use handles::CapabilityHandles;
pub(crate) use types::or_stop;

use crate::run_state::RunState;
use wasmtime::component::{HasSelf, Linker};

pub(crate) mod bindings {
    //! Generated from the WIT of the guest library.
    #![allow(missing_docs, unreachable_pub, clippy::all, reason = "generated code")]

    wasmtime::component::bindgen!({
        path: "../sdk/wit",
        world: "host-imports",
        imports: { default: async | trappable },
        exports: { default: async },
    });
}

use bindings::palyra::plugin;

/// Links every `palyra:plugin` interface; without a grant, the functions return a denial.
///
/// `run` is linked by hand because it needs the store's fuel.
#[doc(hidden)]
pub fn register_capability_bindings(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    plugin::types::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    plugin::host_capabilities::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    plugin::http::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    plugin::secrets::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    plugin::storage::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    plugin::channels::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    plugin::log::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    run::add_to_linker(linker)
}

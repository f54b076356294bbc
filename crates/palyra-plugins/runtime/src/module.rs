//! A module that is ready to run: compiled and linked, with its exports resolved.

pub(crate) mod core_exports;

use crate::compiled::Code;
use crate::engine::EngineClass;
use crate::report::ModuleOrigin;
use crate::run_state::RunState;
use crate::shape::ModuleShape;
use palyra_common::WasmPluginRunError;
use palyra_plugins_sdk::abi::{core_module, exports, interfaces};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use wasmtime::component::{Component, ComponentExportIndex};

/// The kind of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleKind {
    /// A WebAssembly component.
    Component,
    /// A WebAssembly core module, which uses the core ABI.
    Core,
}

/// A module that was hashed, compiled and linked once, and can be run any number of times.
pub struct LoadedModule {
    pub(crate) sha256: [u8; 32],
    /// The digest in hexadecimal, shared with each tape.
    pub(crate) sha256_hex: Arc<str>,
    pub(crate) uses_wasi: bool,
    /// Size of the code in memory, in bytes.
    pub(crate) code_bytes: u64,
    pub(crate) shape: ModuleShape,
    pub(crate) class: EngineClass,
    pub(crate) linked: Linked,
    /// The source of the code: a compilation or the disk cache.
    pub origin: ModuleOrigin,
    /// Time for compiling or loading the code.
    pub load_time: Duration,
}

pub(crate) enum Linked {
    Component {
        pre: wasmtime::component::InstancePre<RunState>,
        exports: ComponentExports,
    },
    /// Whether the default export is callable is determined once instead of at every call.
    Core {
        pre: wasmtime::InstancePre<RunState>,
        default_export: bool,
    },
}

/// The callable functions of a component.
#[derive(Default)]
pub(crate) struct ComponentExports {
    pub(crate) invoke: Option<ComponentExportIndex>,
    pub(crate) describe: Option<ComponentExportIndex>,
    pub(crate) on_event: Option<ComponentExportIndex>,
}

impl LoadedModule {
    /// Returns the SHA-256 of the module's bytes.
    pub fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// Returns the declarations of the module.
    pub fn shape(&self) -> &ModuleShape {
        &self.shape
    }

    /// Returns the class of engines whose pool the module runs in.
    pub fn class(&self) -> EngineClass {
        self.class
    }

    /// Returns whether the module exports `describe`.
    pub fn has_describe(&self) -> bool {
        matches!(&self.linked, Linked::Component { exports, .. } if exports.describe.is_some())
    }
}

/// The linkers of one engine.
pub(crate) struct Linkers {
    component: wasmtime::component::Linker<RunState>,
    core: wasmtime::Linker<RunState>,
}

impl Linkers {
    pub(crate) fn new(engine: &wasmtime::Engine) -> wasmtime::Result<Self> {
        let mut component = wasmtime::component::Linker::new(engine);
        crate::capabilities::register_capability_bindings(&mut component)?;
        crate::wasi::add_to_linker(&mut component)?;
        let mut core = wasmtime::Linker::new(engine);
        crate::capabilities::core_abi::add_to_linker(&mut core)?;
        Ok(Self { component, core })
    }

    /// Links code. An import that the host does not provide is named in the error.
    pub(crate) fn link(&self, code: Code, shape: &ModuleShape) -> Result<Linked, WasmPluginRunError> {
        match code {
            Code::Component(component) => {
                let exports = find_exports(&component);
                let linked = self.component.instantiate_pre(&component);
                linked.map(|pre| Linked::Component { pre, exports }).map_err(|error| unlinked(&error, shape))
            }
            Code::Core(module) => {
                let linked = self.core.instantiate_pre(&module);
                let default_export = core_exports::check(&module, core_module::DEFAULT_EXPORT).is_ok();
                linked
                    .map(|pre| Linked::Core { pre, default_export })
                    .map_err(|error| unlinked(&error, shape))
            }
        }
    }
}

fn find_exports(component: &Component) -> ComponentExports {
    let find = |interface: &str, function: &str| {
        let instance = component.get_export_index(None, interface)?;
        component.get_export_index(Some(&instance), function)
    };
    ComponentExports {
        invoke: find(interfaces::TOOLS, exports::INVOKE),
        describe: find(interfaces::DESCRIBE, exports::DESCRIBE),
        on_event: find(interfaces::HOOKS, exports::ON_EVENT),
    }
}

fn unlinked(error: &wasmtime::Error, shape: &ModuleShape) -> WasmPluginRunError {
    let preview1 = shape.imports.iter().any(|import| import.starts_with("wasi_snapshot_preview1."));
    let remedy = match shape.kind {
        ModuleKind::Core if preview1 => {
            Some("encode it as a component with the preview1 adapter: `guestkit component IN OUT`".into())
        }
        ModuleKind::Core => Some(format!(
            "a core module imports from {} only",
            palyra_plugins_sdk::abi::core_module::IMPORTS.map(|name| format!("`{name}`")).join(", ")
        )),
        ModuleKind::Component => {
            Some("a component imports `palyra:plugin/*@1.0.0` and WASI 0.2 without sockets".into())
        }
    };
    let reason =
        format!("it cannot be linked: {}", palyra_common::redact::escape_untrusted(&format!("{error:#}")));
    WasmPluginRunError::InvalidInput { subject: "module", pointer: None, reason, remedy }
}

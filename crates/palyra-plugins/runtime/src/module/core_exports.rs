//! The exports that a core module needs to be called.

use palyra_common::WasmPluginRunError;
use palyra_plugins_sdk::abi::core_module;

/// Checks that a function can be called as a tool or hook, and that the memory is exported.
pub(crate) fn check(module: &wasmtime::Module, name: &str) -> Result<(), WasmPluginRunError> {
    let functions = || {
        module.exports().filter(|export| export.ty().func().is_some()).map(|export| export.name().to_owned())
    };
    match module.get_export(name) {
        None => {
            return Err(WasmPluginRunError::NotFound {
                what: "export",
                name: name.to_owned(),
                known: functions().take(8).collect(),
            });
        }
        Some(wasmtime::ExternType::Func(found)) => {
            let right = found.params().len() == 0
                && found.results().len() == 1
                && found.results().all(|result| matches!(result, wasmtime::ValType::I32));
            if !right {
                let reason = format!("its export `{name}` is not a function () -> i32");
                return Err(WasmPluginRunError::invalid_module(reason));
            }
        }
        Some(_) => {
            return Err(WasmPluginRunError::invalid_module(format!("its export `{name}` is not a function")));
        }
    }
    match module.get_export(core_module::MEMORY_EXPORT) {
        Some(wasmtime::ExternType::Memory(_)) => Ok(()),
        _ => Err(WasmPluginRunError::invalid_module("it exports no memory called `memory`")),
    }
}

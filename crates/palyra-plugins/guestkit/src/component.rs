//! Encoding a core module with WIT bindings into a component.

use wasi_preview1_component_adapter_provider as preview1;
use wit_component::ComponentEncoder;

use crate::error::GuestkitError;
use crate::inspect::{GuestShape, WasmKind, inspect_wasm};

/// Turns `core` into a component with exports.
///
/// The adapter provides imports of WASI preview 1; a module without them gets no adapter.
pub fn encode_component(core: &[u8]) -> Result<Vec<u8>, GuestkitError> {
    let shape = inspect_wasm(core)?;
    if shape.kind == WasmKind::Component {
        return Err(GuestkitError::AlreadyComponent);
    }
    // The encoder accepts such a module and drops every export it has.
    if !shape.custom_sections.iter().any(|name| name.starts_with("component-type")) {
        return Err(GuestkitError::NoComponentType);
    }
    let component = encode(core, &shape).map_err(GuestkitError::Encode)?;
    require_exports(&component)?;
    Ok(component)
}

/// Returns the shape of a component with exports, or of a core module.
pub(crate) fn require_exports(wasm: &[u8]) -> Result<GuestShape, GuestkitError> {
    let shape = inspect_wasm(wasm)?;
    if shape.kind == WasmKind::Component && shape.exports.is_empty() {
        return Err(GuestkitError::NoExports);
    }
    Ok(shape)
}

fn encode(core: &[u8], shape: &GuestShape) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    let is_command = shape.exports.iter().any(|name| name == "_start");
    let adapter = if is_command {
        preview1::WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER
    } else {
        preview1::WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER
    };
    Ok(ComponentEncoder::default()
        .validate(true)
        .module(core)?
        .adapter(preview1::WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, adapter)?
        .encode()?)
}

#[cfg(test)]
mod tests {
    use wit_component::{StringEncoding, embed_component_metadata};

    use super::*;

    /// Builds a core module for a world of one text, with the metadata that bindings would add.
    fn core_module(wit: &str, wat: &str) -> Vec<u8> {
        let mut resolve = wit_parser::Resolve::default();
        let package = resolve.push_str("test.wit", wit).unwrap();
        let world = resolve.select_world(&[package], None).unwrap();
        let mut core = wat::parse_str(wat).unwrap();
        embed_component_metadata(&mut core, &resolve, world, StringEncoding::UTF8).unwrap();
        core
    }

    #[test]
    fn a_module_with_metadata_becomes_a_component_with_exports() {
        let core = core_module(
            "package t:t; world w { export add: func(a: u32, b: u32) -> u32; }",
            r#"(module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))"#,
        );
        let shape = inspect_wasm(&encode_component(&core).unwrap()).unwrap();
        assert_eq!(shape.kind, WasmKind::Component);
        assert_eq!(shape.exports, ["add"]);
        assert!(shape.imports.is_empty(), "{:?}", shape.imports);
    }

    #[test]
    fn a_module_without_metadata_is_refused() {
        let core = wat::parse_str(r#"(module (func (export "add")))"#).unwrap();
        assert!(matches!(encode_component(&core), Err(GuestkitError::NoComponentType)));
    }

    #[test]
    fn a_world_without_exports_is_refused() {
        let core = core_module("package t:t; world w { import log: func(); }", "(module)");
        assert!(matches!(encode_component(&core), Err(GuestkitError::NoExports)));
    }

    #[test]
    fn a_missing_export_is_the_encoders_refusal() {
        let core = core_module("package t:t; world w { export add: func(); }", "(module)");
        assert!(matches!(encode_component(&core), Err(GuestkitError::Encode(_))));
    }

    #[test]
    fn components_and_other_bytes_are_refused() {
        let component = wat::parse_str("(component)").unwrap();
        assert!(matches!(encode_component(&component), Err(GuestkitError::AlreadyComponent)));
        assert!(matches!(encode_component(b"text"), Err(GuestkitError::NotWasm(_))));
    }
}

//! Reads the imports and exports of a WebAssembly file, without running it.

use serde::Serialize;
use wasmparser::{Encoding, Parser, Payload};

use crate::error::GuestkitError;

/// The imports and exports of a guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuestShape {
    /// Whether it is a core module or a component.
    pub kind: WasmKind,
    /// The imports in order: `module name` for a core module, the interface for a component.
    pub imports: Vec<String>,
    /// The names of the exports, in order.
    pub exports: Vec<String>,
    /// The names of the custom sections, in order.
    #[serde(skip)]
    pub(crate) custom_sections: Vec<String>,
}

/// The kind of a WebAssembly binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WasmKind {
    /// A core module, which uses the core ABI.
    Module,
    /// A component, which uses WIT interfaces.
    Component,
}

/// Returns the outermost imports and exports of `bytes`, without those nested inside of a component.
pub fn inspect_wasm(bytes: &[u8]) -> Result<GuestShape, GuestkitError> {
    let mut shape =
        GuestShape { kind: WasmKind::Module, imports: vec![], exports: vec![], custom_sections: vec![] };
    let mut depth = 0usize;
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(GuestkitError::NotWasm)?;
        match &payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            _ if depth == 0 => note(&mut shape, payload).map_err(GuestkitError::NotWasm)?,
            _ => {}
        }
    }
    Ok(shape)
}

fn note(shape: &mut GuestShape, payload: Payload<'_>) -> wasmparser::Result<()> {
    match payload {
        Payload::Version { encoding: Encoding::Component, .. } => shape.kind = WasmKind::Component,
        Payload::ImportSection(section) => {
            for import in section.into_imports() {
                let import = import?;
                shape.imports.push(format!("{} {}", import.module, import.name));
            }
        }
        Payload::ExportSection(section) => {
            for export in section {
                shape.exports.push(export?.name.to_owned());
            }
        }
        Payload::ComponentImportSection(section) => {
            for import in section {
                shape.imports.push(import?.name.name.to_owned());
            }
        }
        Payload::ComponentExportSection(section) => {
            for export in section {
                shape.exports.push(export?.name.name.to_owned());
            }
        }
        Payload::CustomSection(section) => shape.custom_sections.push(section.name().to_owned()),
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_shows_its_imports_and_exports() {
        let wasm = wat::parse_str(
            r#"(module (import "palyra:plugin/io@1.0.0" "input-length" (func (result i32)))
                 (memory (export "memory") 1) (func (export "palyra_plugin_main") (result i32) i32.const 0))"#,
        )
        .unwrap();
        let shape = inspect_wasm(&wasm).unwrap();
        assert_eq!(shape.kind, WasmKind::Module);
        assert_eq!(shape.imports, ["palyra:plugin/io@1.0.0 input-length"]);
        assert_eq!(shape.exports, ["memory", "palyra_plugin_main"]);
    }

    #[test]
    fn what_is_nested_in_a_component_does_not_count() {
        let wasm = wat::parse_str(
            r#"(component
                 (core module $m (func (export "inner")))
                 (component (import "nested" (func)))
                 (import "outer" (func $f))
                 (export "out" (func $f)))"#,
        )
        .unwrap();
        let shape = inspect_wasm(&wasm).unwrap();
        assert_eq!(shape.kind, WasmKind::Component);
        assert_eq!((shape.imports, shape.exports), (vec!["outer".to_owned()], vec!["out".to_owned()]));
    }

    #[test]
    fn other_bytes_are_refused() {
        for bytes in [&b""[..], b"\0asm", b"#!/bin/sh\n", b"\0asm\x01\0\0\0\xff\xff\xff\xff\xff\xff"] {
            assert!(matches!(inspect_wasm(bytes), Err(GuestkitError::NotWasm(_))), "{bytes:?}");
        }
    }
}

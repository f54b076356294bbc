//! Facts about a module file, collected during validation.

use wasmparser::types::Types;

/// Component or core module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WasmKind {
    Core,
    Component,
}

/// The facts of one module file; complete only if the scan finished.
#[derive(Default)]
pub(crate) struct ModuleFacts<'bytes> {
    /// Types of the outermost module or component; set only if the whole file is valid.
    pub(crate) types: Option<Types>,
    /// Names the outermost component imports.
    pub(crate) component_imports: Vec<&'bytes str>,
    /// Names the outermost component exports.
    pub(crate) component_exports: Vec<&'bytes str>,
    /// Imports of nested components that are never instantiated, so only the host could satisfy them.
    pub(crate) loose_component_imports: Vec<&'bytes str>,
    /// Imports of nested core modules that are never instantiated.
    pub(crate) loose_core_imports: Vec<(&'bytes str, &'bytes str)>,
    /// Whether a memory or table has 64-bit indices.
    pub(crate) memory64: bool,
    /// Whether a memory is shared.
    pub(crate) shared_memory: bool,
    /// Whether any module has more than one memory.
    pub(crate) multi_memory: bool,
    /// Number of core modules with a start function.
    pub(crate) starts: u64,
    /// Initial bytes of all memories.
    pub(crate) initial_memory_bytes: u64,
    /// Data segments and custom sections, with their positions.
    pub(crate) segments: Vec<Segment<'bytes>>,
}

/// Bytes of a data segment or custom section.
pub(crate) struct Segment<'bytes> {
    pub(crate) place: Place<'bytes>,
    pub(crate) bytes: &'bytes [u8],
}

/// The position of a segment in a module file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'bytes> {
    /// A data segment by its index, counted over the whole file.
    Data(u64),
    /// A custom section by its name.
    Custom(&'bytes str),
}

impl Place<'_> {
    /// Returns the subject for a finding: `modules/a.wasm#data-3`.
    pub(crate) fn subject(&self, path: &str) -> String {
        match self {
            Self::Data(index) => format!("{path}#data-{index}"),
            Self::Custom(name) => format!("{path}#section-{name}"),
        }
    }
}

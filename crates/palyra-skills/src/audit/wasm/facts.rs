//! What a module file declares, collected while it is validated.

use wasmparser::types::Types;

/// Component or core module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WasmKind {
    Core,
    Component,
}

/// The facts of one module file; complete only if the scan came to its end.
#[derive(Default)]
pub(crate) struct ModuleFacts<'bytes> {
    /// Types of the outermost module or component; there only when all of it is valid.
    pub(crate) types: Option<Types>,
    /// Names the outermost component imports.
    pub(crate) component_imports: Vec<&'bytes str>,
    /// Names the outermost component exports.
    pub(crate) component_exports: Vec<&'bytes str>,
    /// Imports of nested components that nothing instantiates, so that nothing inside can satisfy them.
    pub(crate) loose_component_imports: Vec<&'bytes str>,
    /// The same of nested core modules.
    pub(crate) loose_core_imports: Vec<(&'bytes str, &'bytes str)>,
    /// Whether a memory or table has 64-bit indices.
    pub(crate) memory64: bool,
    /// Whether a memory is shared.
    pub(crate) shared_memory: bool,
    /// Modules with more than one memory.
    pub(crate) multi_memory: bool,
    /// Core modules with a start function.
    pub(crate) starts: u64,
    /// Bytes of all memories at the start.
    pub(crate) initial_memory_bytes: u64,
    /// Data segments and custom sections, with what to call them.
    pub(crate) segments: Vec<Segment<'bytes>>,
}

/// Bytes that are carried along.
pub(crate) struct Segment<'bytes> {
    pub(crate) place: Place<'bytes>,
    pub(crate) bytes: &'bytes [u8],
}

/// Where carried bytes are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'bytes> {
    /// The data segment of this number, counted over the whole file.
    Data(u64),
    /// The custom section of this name.
    Custom(&'bytes str),
}

impl Place<'_> {
    /// The place as part of a subject: `modules/a.wasm#data-3`.
    pub(crate) fn subject(&self, path: &str) -> String {
        match self {
            Self::Data(index) => format!("{path}#data-{index}"),
            Self::Custom(name) => format!("{path}#section-{name}"),
        }
    }
}

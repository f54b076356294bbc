//! The declarations of a module, read without compiling it.

use crate::engine::{MEMORIES_PER_MODULE, TABLES_PER_MODULE};
use crate::module::ModuleKind;
use palyra_common::{LimitKind, RuntimeLimits, WasmPluginRunError};
use wasmparser::{Encoding, Instance, Parser, Payload};

/// The declarations of a module or component, including nested modules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleShape {
    /// Whether it is a component or a core module.
    pub kind: ModuleKind,
    /// Sum of the initial sizes of all memories.
    pub initial_memory_bytes: u64,
    /// The largest initial size of one memory.
    pub largest_memory_bytes: u64,
    /// Sum of the initial sizes of all tables.
    pub initial_table_elements: u64,
    /// Number of core instances that instantiation creates.
    pub core_instances: u64,
    /// Maximum number of memories that one module declares.
    pub memories_in_one_module: u32,
    /// Most tables declared by one module.
    pub tables_in_one_module: u32,
    /// Imports of the outermost module or component: `module.name` or the interface name.
    pub imports: Vec<String>,
    /// Exports of the outermost module or component.
    pub exports: Vec<String>,
}

/// Reads the shape of binary WebAssembly; text, precompiled code and anything else is refused.
pub fn inspect_module(bytes: &[u8]) -> Result<ModuleShape, WasmPluginRunError> {
    let kind = detect_kind(bytes)?;
    let mut reader = ShapeReader::new(kind);
    for payload in Parser::new(0).parse_all(bytes) {
        let read = payload.and_then(|payload| reader.read(payload));
        read.map_err(|error| WasmPluginRunError::invalid_module(error.to_string()))?;
    }
    Ok(reader.shape)
}

impl ModuleShape {
    /// Refuses a module whose declarations alone exceed a limit, before anything is allocated for it.
    pub(crate) fn check(&self, limits: &RuntimeLimits) -> Result<(), WasmPluginRunError> {
        let over = |limit, allowed, used| Err(WasmPluginRunError::QuotaExceeded { limit, allowed, used });
        if self.initial_memory_bytes > limits.max_memory_bytes {
            return over(LimitKind::Memory, limits.max_memory_bytes, self.initial_memory_bytes);
        }
        if self.initial_table_elements > limits.max_table_elements {
            return over(LimitKind::Tables, limits.max_table_elements, self.initial_table_elements);
        }
        if self.core_instances > limits.max_instances {
            return over(LimitKind::Instances, limits.max_instances, self.core_instances);
        }
        Ok(())
    }

    /// Refuses a module that does not fit the pool, which compilation would report as a text.
    pub(crate) fn check_pool(&self) -> Result<(), WasmPluginRunError> {
        let over = |limit, allowed: u32, used: u32| {
            Err(WasmPluginRunError::QuotaExceeded { limit, allowed: allowed.into(), used: used.into() })
        };
        if self.memories_in_one_module > MEMORIES_PER_MODULE {
            return over(LimitKind::Memory, MEMORIES_PER_MODULE, self.memories_in_one_module);
        }
        if self.tables_in_one_module > TABLES_PER_MODULE {
            return over(LimitKind::Tables, TABLES_PER_MODULE, self.tables_in_one_module);
        }
        Ok(())
    }
}

fn detect_kind(bytes: &[u8]) -> Result<ModuleKind, WasmPluginRunError> {
    let refuse = |reason: &str, remedy: Option<&str>| {
        Err(WasmPluginRunError::InvalidInput {
            subject: "module",
            pointer: None,
            reason: reason.into(),
            remedy: remedy.map(Into::into),
        })
    };
    if bytes.is_empty() {
        return refuse("it is empty", None);
    }
    if bytes.starts_with(b"\x7fELF") {
        return refuse(
            "it is native code, not WebAssembly",
            Some("ship the .wasm; Palyra compiles it itself"),
        );
    }
    if !bytes.starts_with(b"\0asm") {
        let looks_like_text =
            bytes.iter().find(|b| !b.is_ascii_whitespace()).is_some_and(|b| matches!(b, b'(' | b';'));
        return if looks_like_text {
            refuse("it is WebAssembly text, not binary", Some("convert it, for example with `wat2wasm`"))
        } else {
            refuse("it does not start with the WebAssembly magic", None)
        };
    }
    if Parser::is_component(bytes) {
        Ok(ModuleKind::Component)
    } else if Parser::is_core_wasm(bytes) {
        Ok(ModuleKind::Core)
    } else {
        refuse("it has an unknown WebAssembly version", None)
    }
}

struct ShapeReader {
    shape: ModuleShape,
    depth: u32,
    /// Memories and tables of the modules being read, innermost last.
    counts: Vec<(u32, u32)>,
}

impl ShapeReader {
    fn new(kind: ModuleKind) -> Self {
        let shape = ModuleShape {
            kind,
            initial_memory_bytes: 0,
            largest_memory_bytes: 0,
            initial_table_elements: 0,
            core_instances: u64::from(kind == ModuleKind::Core),
            memories_in_one_module: 0,
            tables_in_one_module: 0,
            imports: Vec::new(),
            exports: Vec::new(),
        };
        Self { shape, depth: 0, counts: Vec::new() }
    }

    fn read(&mut self, payload: Payload<'_>) -> wasmparser::Result<()> {
        match payload {
            Payload::Version { encoding, .. } => {
                self.depth += 1;
                if encoding == Encoding::Module {
                    self.counts.push((0, 0));
                }
            }
            Payload::End(_) => self.depth = self.depth.saturating_sub(1),
            Payload::MemorySection(section) => {
                for memory in section {
                    self.add_memory(&memory?);
                }
            }
            Payload::TableSection(section) => {
                for table in section {
                    self.add_table(table?.ty.initial);
                }
            }
            Payload::InstanceSection(section) => {
                for instance in section {
                    if let Instance::Instantiate { .. } = instance? {
                        self.shape.core_instances += 1;
                    }
                }
            }
            Payload::ImportSection(section) if self.depth == 1 => {
                for import in section.into_imports() {
                    let import = import?;
                    self.shape.imports.push(format!("{}.{}", import.module, import.name));
                }
            }
            Payload::ExportSection(section) if self.depth == 1 => {
                for export in section {
                    self.shape.exports.push(export?.name.to_owned());
                }
            }
            Payload::ComponentImportSection(section) if self.depth == 1 => {
                for import in section {
                    self.shape.imports.push(import?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if self.depth == 1 => {
                for export in section {
                    self.shape.exports.push(export?.name.name.to_owned());
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add_memory(&mut self, memory: &wasmparser::MemoryType) {
        let page = 1_u64.checked_shl(memory.page_size_log2.unwrap_or(16)).unwrap_or(u64::MAX);
        let bytes = memory.initial.saturating_mul(page);
        self.shape.initial_memory_bytes = self.shape.initial_memory_bytes.saturating_add(bytes);
        self.shape.largest_memory_bytes = self.shape.largest_memory_bytes.max(bytes);
        if let Some((memories, _)) = self.counts.last_mut() {
            *memories += 1;
            self.shape.memories_in_one_module = self.shape.memories_in_one_module.max(*memories);
        }
    }

    fn add_table(&mut self, initial: u64) {
        self.shape.initial_table_elements = self.shape.initial_table_elements.saturating_add(initial);
        if let Some((_, tables)) = self.counts.last_mut() {
            *tables += 1;
            self.shape.tables_in_one_module = self.shape.tables_in_one_module.max(*tables);
        }
    }
}

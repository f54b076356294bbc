//! The WebAssembly features that the engine accepts.

use wasmparser::WasmFeatures;

/// The features of the engine: WebAssembly 3 and components, without garbage collection, exceptions, threads,
/// 64-bit memory and relaxed SIMD.
///
/// The runtime crate is not a dependency, because an audit never compiles. The parser is the same version
/// as the engine's; a change to `code_config` in the runtime's `engine.rs` must be repeated here.
pub const ENGINE_FEATURES: WasmFeatures = WasmFeatures::WASM3
    .union(WasmFeatures::COMPONENT_MODEL)
    .difference(WasmFeatures::GC)
    .difference(WasmFeatures::GC_TYPES)
    .difference(WasmFeatures::EXCEPTIONS)
    .difference(WasmFeatures::THREADS)
    .difference(WasmFeatures::MEMORY64)
    .difference(WasmFeatures::RELAXED_SIMD);

//! Compilation behind a trait: in process for unit tests, in a killable child process otherwise.

mod child;
mod in_process;
mod ledger;
mod queue;

pub(crate) use ledger::CompileLedger;
pub(crate) use queue::{CompilePermit, CompileQueue};

pub use child::{ChildCompiler, compile_child_main};
pub use in_process::InProcessCompiler;

use crate::module::ModuleKind;
use async_trait::async_trait;
use palyra_common::{LimitKind, WasmPluginRunError};

/// Compiles modules to machine code.
#[async_trait]
pub trait Compiler: Send + Sync {
    /// Compiles a module. An invalid module fails with [`CompileFailure::Invalid`].
    async fn compile(&self, module: bytes::Bytes, kind: ModuleKind) -> Result<CompiledBytes, CompileFailure>;
}

/// Machine code in the engine's serialized form.
pub struct CompiledBytes(pub(crate) Vec<u8>);

/// The reason why a compilation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum CompileFailure {
    /// The module is not valid WebAssembly for this engine.
    #[error("{0}")]
    Invalid(String),
    /// The compilation exceeded its time limit.
    #[error("compilation took longer than {limit_ms} ms")]
    OverTime { limit_ms: u64 },
    /// The compilation exceeded its memory limit, or the operating system killed it.
    #[error("compilation needed more than {limit_bytes} bytes")]
    OverMemory { limit_bytes: u64 },
    /// The compiler process could not be started, or communication with it failed.
    #[error("the compiler failed: {0}")]
    Broken(String),
}

impl CompileFailure {
    /// Returns whether a retry without a change would fail again after the same time.
    pub(crate) fn is_limit(&self) -> bool {
        matches!(self, Self::OverTime { .. } | Self::OverMemory { .. })
    }
}

impl From<CompileFailure> for WasmPluginRunError {
    fn from(failure: CompileFailure) -> Self {
        match failure {
            CompileFailure::Invalid(reason) => Self::invalid_module(reason),
            CompileFailure::OverTime { limit_ms } => {
                Self::QuotaExceeded { limit: LimitKind::Compile, allowed: limit_ms, used: limit_ms }
            }
            CompileFailure::OverMemory { limit_bytes } => Self::QuotaExceeded {
                limit: LimitKind::CompileMemory,
                allowed: limit_bytes,
                used: limit_bytes,
            },
            CompileFailure::Broken(reason) => Self::Internal(reason),
        }
    }
}

/// Compiles a module. The same in both implementations.
fn precompile(module: &[u8], kind: ModuleKind) -> Result<Vec<u8>, CompileFailure> {
    let engine = wasmtime::Engine::new(&crate::engine::code_config())
        .map_err(|e| CompileFailure::Broken(format!("{e:#}")))?;
    let compiled = match kind {
        ModuleKind::Component => engine.precompile_component(module),
        ModuleKind::Core => engine.precompile_module(module),
    };
    compiled.map_err(|error| CompileFailure::Invalid(format!("{error:#}")))
}

//! Compilation on a blocking thread of this process, which cannot be interrupted.

use super::{CompileFailure, CompiledBytes, Compiler, precompile};
use crate::module::ModuleKind;
use async_trait::async_trait;

/// Compiles in this process; for tests and for tools that trust their modules.
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcessCompiler;

#[async_trait]
impl Compiler for InProcessCompiler {
    async fn compile(&self, module: bytes::Bytes, kind: ModuleKind) -> Result<CompiledBytes, CompileFailure> {
        let compiled = tokio::task::spawn_blocking(move || precompile(&module, kind)).await;
        compiled.map_err(|error| CompileFailure::Broken(error.to_string()))?.map(CompiledBytes)
    }
}

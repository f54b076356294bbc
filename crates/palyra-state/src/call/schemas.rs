//! Input and output against the schemas of the signed manifest; compiled once for each payload and tool.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use palyra_common::tally::CacheTally;
use palyra_common::{JsonText, WasmPluginRunError};
use palyra_skills::Sha256Digest;
use palyra_skills::manifest::{SchemaMismatch, SchemaProblem, ToolSchema};

use super::find::FoundTool;

/// Most tools whose schemas are kept compiled.
const MAX_CACHED: usize = 1_024;

/// Both schemas of a tool.
pub(super) struct ToolSchemas {
    input: ToolSchema,
    output: ToolSchema,
}

#[derive(Default)]
pub(super) struct SchemaCache {
    kept: Mutex<HashMap<(Sha256Digest, String), Arc<ToolSchemas>>>,
    pub(super) tally: CacheTally,
}

impl SchemaCache {
    pub(super) fn get(&self, tool: &FoundTool) -> Result<Arc<ToolSchemas>, WasmPluginRunError> {
        let key = (tool.release().payload, tool.entrypoint.id.clone());
        let mut cache = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = cache.get(&key);
        self.tally.note(found.is_some());
        if let Some(schemas) = found {
            return Ok(Arc::clone(schemas));
        }
        let failed =
            |problem: SchemaProblem| WasmPluginRunError::Internal(format!("the tool's schema: {problem}"));
        let schemas = Arc::new(ToolSchemas {
            input: ToolSchema::compile_input(&tool.entrypoint.input_schema).map_err(failed)?,
            output: ToolSchema::compile(&tool.entrypoint.output_schema).map_err(failed)?,
        });
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        cache.insert(key, Arc::clone(&schemas));
        Ok(schemas)
    }
}

impl ToolSchemas {
    pub(super) fn check_input(&self, input: &JsonText) -> Result<(), WasmPluginRunError> {
        let checked = self.input.check_text(input);
        checked.map_err(|mismatch| WasmPluginRunError::invalid_input(mismatch.pointer, mismatch.reason))
    }

    pub(super) fn check_output(&self, output: &JsonText) -> Result<(), WasmPluginRunError> {
        let checked = self.output.check_text(output);
        checked.map_err(|SchemaMismatch { pointer, reason }| WasmPluginRunError::InvalidOutput {
            pointer,
            reason,
        })
    }
}

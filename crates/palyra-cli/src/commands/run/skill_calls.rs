//! Calls of the tools of a skill in source form, as its manifest declares them: schemas, permissions and limits.

use super::call::describe_invocation;
use super::load;
use super::module_file::ModuleFile;
use super::sandbox::{HostSettings, Sandbox};
use super::secrets::Secrets;
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::output::{Printer, Warnings};
use palyra_a2ui::A2uiDocument;
use palyra_common::{JsonText, OperatorGrants, WasmPluginRunError};
use palyra_plugins_runtime::{Entry, Invocation, LoadedModule, LogLine, RuntimeConfig};
use palyra_skills::SkillManifest;
use palyra_skills::grants::limits_from_manifest;
use palyra_skills::manifest::{ToolEntrypoint, ToolReturns, ToolSchema};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A sandbox with the modules of one skill; its calls share storage.
pub(crate) struct SkillCalls<'s> {
    sandbox: Sandbox,
    interrupt: &'s Interrupt,
    printer: &'s Printer,
    modules: &'s [(String, Vec<u8>)],
    loaded: BTreeMap<String, Arc<LoadedModule>>,
    calls: usize,
}

/// One call of a tool of a skill in source form.
pub(crate) struct SkillCall<'c> {
    pub(crate) tool: &'c ToolEntrypoint,
    pub(crate) input: JsonText,
    pub(crate) config: JsonText,
    pub(crate) grants: OperatorGrants,
}

/// Result of a call.
pub(crate) struct Called {
    pub(crate) result: Result<JsonText, WasmPluginRunError>,
    pub(crate) log: Vec<LogLine>,
    pub(crate) elapsed: Duration,
}

impl<'s> SkillCalls<'s> {
    /// Starts a sandbox with storage in memory; the grants of a call limit its network access.
    pub(crate) fn start(
        modules: &'s [(String, Vec<u8>)],
        secrets: Secrets,
        interrupt: &'s Interrupt,
        printer: &'s Printer,
    ) -> Result<Self, CliError> {
        let settings = HostSettings { secrets, outside: true, ..HostSettings::closed() };
        let sandbox = Sandbox::start(settings, &Warnings::default())?;
        Ok(Self { sandbox, interrupt, printer, modules, loaded: BTreeMap::new(), calls: 0 })
    }

    /// Calls a tool with the grants of its manifest.
    pub(crate) async fn call(
        &mut self,
        manifest: &SkillManifest,
        call: SkillCall<'_>,
    ) -> Result<Called, CliError> {
        let refused = |error| Ok(Called { result: Err(error), log: Vec::new(), elapsed: Duration::ZERO });
        let schema_of = |schema: Result<ToolSchema, _>| {
            schema.map_err(|problem| CliError::usage(format!("the schema of `{}`: {problem}", call.tool.id)))
        };
        let input_schema = schema_of(ToolSchema::compile_input(&call.tool.input_schema))?;
        let output_schema = schema_of(ToolSchema::compile(&call.tool.output_schema))?;
        if let Err(mismatch) = input_schema.check_text(&call.input) {
            return refused(WasmPluginRunError::invalid_input(mismatch.pointer, mismatch.reason));
        }
        let module = match self.module(&call.tool.module).await {
            Ok(module) => module,
            Err(CliError::Run(error)) => return refused(error),
            Err(error) => return Err(error),
        };
        self.calls += 1;
        let limits = limits_from_manifest(manifest).capped_by(&RuntimeConfig::default().ceiling);
        let run_id = format!("test_{}", self.calls);
        let invocation = Invocation {
            entry: Entry::Tool { id: call.tool.id.clone(), export: call.tool.export.clone() },
            input: call.input,
            grants: Arc::new(call.grants.capabilities),
            allow_addresses: call.grants.allow_addresses.into(),
            operator_config: call.config,
            ..describe_invocation(run_id.into(), limits, self.interrupt)
        };
        let report = self.sandbox.runtime.invoke(&module, invocation).await;
        if self.interrupt.happened() {
            return Err(CliError::Interrupted);
        }
        let output =
            report.result.map(|output| output.json().cloned().unwrap_or_else(JsonText::empty_object));
        let result = output.and_then(|output| checked(output, &output_schema, call.tool.returns));
        Ok(Called { result, log: report.log, elapsed: report.usage.elapsed })
    }

    async fn module(&mut self, path: &str) -> Result<Arc<LoadedModule>, CliError> {
        if let Some(loaded) = self.loaded.get(path) {
            return Ok(Arc::clone(loaded));
        }
        let (name, bytes) = self.modules.iter().find(|(name, _)| name == path).ok_or_else(|| {
            CliError::usage_with_hint(format!("there is no `{path}`"), "build it with `palyra skills build`")
        })?;
        let file = ModuleFile { name: name.clone(), bytes: bytes.clone() };
        let loaded = load(&self.sandbox.runtime, &file, self.printer, self.interrupt).await?;
        self.loaded.insert(path.to_owned(), Arc::clone(&loaded));
        Ok(loaded)
    }
}

fn checked(
    output: JsonText,
    schema: &ToolSchema,
    returns: ToolReturns,
) -> Result<JsonText, WasmPluginRunError> {
    let invalid = |pointer, reason| WasmPluginRunError::InvalidOutput { pointer, reason };
    schema.check_text(&output).map_err(|mismatch| invalid(mismatch.pointer, mismatch.reason))?;
    if returns == ToolReturns::A2ui {
        A2uiDocument::parse(output.as_str()).map_err(|error| invalid(error.pointer, error.reason))?;
    }
    Ok(output)
}

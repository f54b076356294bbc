//! Determines which tool is called.

use crate::error::CliError;
use crate::output::Warnings;
use palyra_common::WasmPluginRunError;
use palyra_common::text::clip_untrusted;
use palyra_plugins_runtime::{Entry, Invocation, LoadedModule, ModuleKind, ModuleShape, WasmRuntime};
use serde::Deserialize;

/// Default function of a core module.
const DEFAULT_EXPORT: &str = "palyra_plugin_main";

/// Prefix of the interface through which a component lists its tools.
const DESCRIBE: &str = "palyra:plugin/describe@";

/// The entry point, as far as the command line and the module's exports determine it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WantedEntry {
    Known(Entry),
    /// The tool with this id, if the component lists it.
    Listed(String),
    /// The only tool of the component.
    OnlyTool,
}

impl WantedEntry {
    /// Parses `--tool` and `--export`; invalid combinations are rejected before compilation.
    pub(super) fn read(
        tool: Option<String>,
        export: Option<String>,
        shape: &ModuleShape,
    ) -> Result<Self, CliError> {
        let describes = describes(shape);
        match (shape.kind, export, tool) {
            (ModuleKind::Core, export, tool) => {
                let id = tool.or_else(|| export.clone()).unwrap_or_else(|| DEFAULT_EXPORT.to_owned());
                Ok(Self::Known(Entry::Tool { id, export }))
            }
            (ModuleKind::Component, Some(_), _) => Err(CliError::usage_with_hint(
                "`--export` is for core modules, and this is a component",
                "choose one of its tools with `--tool`",
            )),
            (ModuleKind::Component, None, Some(tool)) if describes => Ok(Self::Listed(tool)),
            (ModuleKind::Component, None, Some(id)) => Ok(Self::Known(Entry::Tool { id, export: None })),
            (ModuleKind::Component, None, None) if describes => Ok(Self::OnlyTool),
            (ModuleKind::Component, None, None) => {
                let message = "this component does not describe its tools";
                Err(CliError::usage_with_hint(message, "choose one with `--tool`"))
            }
        }
    }

    /// Returns the entry point; `describe` is the invocation that lists the tools of a component.
    pub(super) async fn find(
        self,
        runtime: &WasmRuntime,
        module: &LoadedModule,
        describe: Invocation,
        warnings: &Warnings,
    ) -> Result<Entry, CliError> {
        let id = match self {
            Self::Known(entry) => return Ok(entry),
            Self::Listed(tool) => listed_tool(tool, tools(runtime, module, describe).await, warnings)?,
            Self::OnlyTool => only_tool(tools(runtime, module, describe).await.map_err(CliError::Describe)?)?,
        };
        Ok(Entry::Tool { id, export: None })
    }
}

/// Returns whether a module can list its tools.
pub(super) fn describes(shape: &ModuleShape) -> bool {
    shape.exports.iter().any(|name| name.starts_with(DESCRIBE))
}

/// Returns the name of an entry point for output.
pub(super) fn name(entry: &Entry) -> &str {
    match entry {
        Entry::Tool { id, .. } => id,
        Entry::Hook { event, .. } => event,
        Entry::Describe => "describe",
    }
}

fn listed_tool(
    name: String,
    listed: Result<Vec<String>, WasmPluginRunError>,
    warnings: &Warnings,
) -> Result<String, CliError> {
    match listed {
        Ok(known) if known.contains(&name) => Ok(name),
        Ok(known) => Err(WasmPluginRunError::NotFound { what: "tool", name, known: shown(&known) }.into()),
        // The call itself shows the error, if there is one.
        Err(error) => {
            warnings.add(CliError::Describe(error).to_string());
            Ok(name)
        }
    }
}

fn only_tool(mut known: Vec<String>) -> Result<String, CliError> {
    let message = match known.len() {
        0 => return Err(CliError::usage("this component has no tool")),
        1 => return Ok(known.remove(0)),
        count => format!("this component has {count} tools: choose one"),
    };
    Err(CliError::Usage { message, hints: shown(&known).iter().map(|id| format!("--tool {id}")).collect() })
}

/// Formats the first ids of a list; they come from the guest, so each is escaped and truncated.
fn shown(known: &[String]) -> Vec<String> {
    let clip = |id: &String| clip_untrusted(id, 80);
    known.iter().take(20).map(clip).collect()
}

async fn tools(
    runtime: &WasmRuntime,
    module: &LoadedModule,
    describe: Invocation,
) -> Result<Vec<String>, WasmPluginRunError> {
    #[derive(Deserialize)]
    struct Description {
        #[serde(default)]
        tools: Vec<Tool>,
    }
    #[derive(Deserialize)]
    struct Tool {
        id: String,
    }
    let output = runtime.invoke(module, describe).await.result?;
    let text = output.json().map(ToString::to_string).unwrap_or_default();
    let description: Description =
        serde_json::from_str(&text).map_err(|error| WasmPluginRunError::InvalidOutput {
            pointer: String::new(),
            reason: format!("invalid description: {error}"),
        })?;
    Ok(description.tools.into_iter().map(|tool| tool.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use palyra_plugins_runtime::inspect_module;
    use palyra_plugins_sdk::abi;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn read(wat: &str, tool: Option<&str>, export: Option<&str>) -> Result<WantedEntry, String> {
        let shape = inspect_module(&wat::parse_str(wat).unwrap()).unwrap();
        WantedEntry::read(tool.map(Into::into), export.map(Into::into), &shape)
            .map_err(|error| error.to_string())
    }

    fn known(id: &str, export: Option<&str>) -> Result<WantedEntry, String> {
        Ok(WantedEntry::Known(Entry::Tool { id: id.into(), export: export.map(Into::into) }))
    }

    #[test]
    fn a_core_module_needs_no_name() {
        assert_eq!(read("(module)", None, None), known(abi::core_module::DEFAULT_EXPORT, None));
        assert_eq!(read("(module)", None, Some("other")), known("other", Some("other")));
        assert_eq!(read("(module)", Some("a.b"), Some("other")), known("a.b", Some("other")));
        assert_eq!(read("(module)", Some("a.b"), None), known("a.b", None));
    }

    #[test]
    fn a_component_needs_a_name_or_a_description() {
        let silent = "(component)";
        let describing = format!(r#"(component (instance (export "{}")))"#, abi::interfaces::DESCRIBE);
        assert_eq!(read(silent, Some("a.b"), None), known("a.b", None));
        assert_eq!(read(silent, None, None), Err("this component does not describe its tools".into()));
        assert_eq!(read(&describing, Some("a.b"), None), Ok(WantedEntry::Listed("a.b".into())));
        assert_eq!(read(&describing, None, None), Ok(WantedEntry::OnlyTool));
        assert!(read(&describing, None, Some("x")).is_err());
    }

    #[test]
    fn a_listed_tool() {
        let listed = |name: &str| listed_tool(name.into(), Ok(owned(&["a.bc", "x.y"])), &Warnings::default());
        assert_eq!(listed("x.y").unwrap(), "x.y");
        let error = listed("a.bd").unwrap_err();
        assert_eq!(
            (error.exit_code(), error.hints()),
            (11, owned(&["did you mean `a.bc`?", "choose from `a.bc`, `x.y`"]))
        );
    }

    #[test]
    fn the_only_tool() {
        assert_eq!(only_tool(owned(&["a.b"])).unwrap(), "a.b");
        assert_eq!(only_tool(Vec::new()).unwrap_err().exit_code(), 2);
        let error = only_tool(owned(&["a.b", "a.c"])).unwrap_err();
        assert_eq!((error.exit_code(), error.hints()), (2, owned(&["--tool a.b", "--tool a.c"])));
    }

    #[test]
    fn a_description_that_fails_is_a_warning_when_the_tool_is_named() {
        let warnings = Warnings::default();
        let failed = Err(WasmPluginRunError::TimedOut { limit_ms: 1 });
        assert_eq!(listed_tool("a.b".into(), failed, &warnings).unwrap(), "a.b");
        assert_eq!(warnings.list().len(), 1);
    }
}

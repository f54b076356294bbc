//! Which tool is meant.

use crate::error::CliError;
use crate::output::Warnings;
use palyra_common::WasmPluginRunError;
use palyra_common::redact::escape_untrusted;
use palyra_plugins_runtime::{Entry, Invocation, LoadedModule, ModuleKind, WasmRuntime};
use serde::Deserialize;

/// The function of a core module that is called when none is named.
const DEFAULT_EXPORT: &str = "palyra_plugin_main";

/// What the command line says about it.
pub(super) struct Asked {
    pub(super) tool: Option<String>,
    pub(super) export: Option<String>,
}

/// The name of an entry, for people.
pub(super) fn name(entry: &Entry) -> &str {
    match entry {
        Entry::Tool { id, .. } => id,
        Entry::Hook { event, .. } => event,
        Entry::Describe => "describe",
    }
}

/// The entry that is meant; `describe` is the call that asks a component for its tools.
pub(super) async fn choose(
    asked: Asked,
    runtime: &WasmRuntime,
    module: &LoadedModule,
    describe: Invocation,
    warnings: &Warnings,
) -> Result<Entry, CliError> {
    match (module.shape().kind, asked.export) {
        (ModuleKind::Core, export) => Ok(core_entry(asked.tool, export)),
        (ModuleKind::Component, Some(_)) => Err(CliError::usage_with_hint(
            "`--export` names a function of a core module, and this is a component",
            "name one of its tools with `--tool`",
        )),
        (ModuleKind::Component, None) => {
            let known = match module.has_describe() {
                true => Some(tools(runtime, module, describe).await),
                false => None,
            };
            component_tool(asked.tool, known, warnings).map(|id| Entry::Tool { id, export: None })
        }
    }
}

fn core_entry(tool: Option<String>, export: Option<String>) -> Entry {
    let id = tool.or_else(|| export.clone()).unwrap_or_else(|| DEFAULT_EXPORT.to_owned());
    Entry::Tool { id, export }
}

/// The tool of a component, checked against its own description where it has one.
fn component_tool(
    tool: Option<String>,
    described: Option<Result<Vec<String>, CliError>>,
    warnings: &Warnings,
) -> Result<String, CliError> {
    match (tool, described) {
        (Some(tool), None) => Ok(tool),
        (Some(tool), Some(Ok(known))) if known.contains(&tool) => Ok(tool),
        (Some(name), Some(Ok(known))) => Err(WasmPluginRunError::NotFound { what: "tool", name, known: shown(&known) }.into()),
        // The call itself will show what is wrong, or that nothing is.
        (Some(tool), Some(Err(error))) => {
            warnings.add(format!("the module cannot describe its tools: {error}"));
            Ok(tool)
        }
        (None, Some(described)) => only_tool(described?),
        (None, None) => Err(CliError::usage_with_hint("this component does not describe its tools", "name one with `--tool`")),
    }
}

fn only_tool(mut known: Vec<String>) -> Result<String, CliError> {
    let message = match known.len() {
        0 => return Err(CliError::usage("this component has no tool")),
        1 => return Ok(known.remove(0)),
        count => format!("this component has {count} tools: say which one to call"),
    };
    Err(CliError::Usage { message, hints: shown(&known).iter().map(|id| format!("--tool {id}")).collect() })
}

/// Ids come from the guest: some of them, each short and on its line.
fn shown(known: &[String]) -> Vec<String> {
    let clip = |id: &String| escape_untrusted(&id.chars().take(80).collect::<String>());
    known.iter().take(20).map(clip).collect()
}

async fn tools(runtime: &WasmRuntime, module: &LoadedModule, describe: Invocation) -> Result<Vec<String>, CliError> {
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
    let description: Description = serde_json::from_str(&text).map_err(|error| WasmPluginRunError::InvalidOutput {
        pointer: String::new(),
        reason: format!("it is not a description: {error}"),
    })?;
    Ok(description.tools.into_iter().map(|tool| tool.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(tool: Option<&str>, described: Option<&[&str]>) -> Result<String, (u8, Vec<String>)> {
        let described = described.map(|ids| Ok(ids.iter().map(|id| (*id).to_owned()).collect()));
        component_tool(tool.map(Into::into), described, &Warnings::default()).map_err(|e| (e.exit_code(), e.hints()))
    }

    #[test]
    fn the_tool_of_a_component() {
        assert_eq!(choose(None, Some(&["a.b"])), Ok("a.b".into()));
        assert_eq!(choose(Some("a.b"), Some(&["a.b", "a.c"])), Ok("a.b".into()));
        assert_eq!(choose(Some("a.b"), None), Ok("a.b".into()));
        assert_eq!(choose(None, None), Err((2, vec!["name one with `--tool`".into()])));
        assert_eq!(choose(None, Some(&[])), Err((2, vec![])));
        assert_eq!(choose(None, Some(&["a.b", "a.c"])), Err((2, vec!["--tool a.b".into(), "--tool a.c".into()])));
        let hints = vec!["did you mean `a.bc`?".into(), "there is `a.bc`, `x.y`".into()];
        assert_eq!(choose(Some("a.bd"), Some(&["a.bc", "x.y"])), Err((11, hints)));
    }

    #[test]
    fn a_description_that_fails_is_a_warning_when_the_tool_is_known() {
        let warnings = Warnings::default();
        let failed = || Some(Err(WasmPluginRunError::TimedOut { limit_ms: 1 }.into()));
        assert_eq!(component_tool(Some("a.b".into()), failed(), &warnings).unwrap(), "a.b");
        assert_eq!(warnings.list().len(), 1);
        assert_eq!(component_tool(None, failed(), &warnings).unwrap_err().exit_code(), 18);
    }

    #[test]
    fn the_function_of_a_core_module() {
        let check = |tool: Option<&str>, export: Option<&str>, id: &str| {
            let entry = core_entry(tool.map(Into::into), export.map(Into::into));
            assert_eq!(entry, Entry::Tool { id: id.into(), export: export.map(Into::into) });
        };
        check(None, None, "palyra_plugin_main");
        check(None, Some("other"), "other");
        check(Some("a.b"), Some("other"), "a.b");
        check(Some("a.b"), None, "a.b");
    }
}

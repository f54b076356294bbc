//! Tools and hooks: ids, modules, schemas, examples, events.

use std::collections::BTreeSet;

use super::{Checked, Refusal, at_most, bounded, distinct, one_line, require, steps};
use crate::manifest::error::{ManifestProblem, closest};
use crate::manifest::locate::Step;
use crate::manifest::model::{HookEntrypoint, SkillManifest, ToolEntrypoint};
use crate::manifest::names::{HOOK_EVENTS, is_module_path, is_tool_id, model_name};
use crate::manifest::tool_schema::{SchemaProblem, ToolSchema};

const MAX_TOOLS: usize = 64;
const MAX_HOOKS: usize = 32;
const MAX_EXAMPLES: usize = 16;
const MAX_EXAMPLE_BYTES: usize = 16 << 10;

/// Checks the number of tools and hooks: at least one, and at most the limits.
pub(super) fn check_counts(manifest: &SkillManifest) -> Checked {
    let entrypoints = &manifest.entrypoints;
    require(
        !entrypoints.tools.is_empty() || !entrypoints.hooks.is_empty(),
        || steps!["entrypoints"],
        || {
            ManifestProblem::value("no entrypoint", "at least one tool or hook")
                .with_fix("add `[[entrypoints.tools]]`")
        },
    )?;
    at_most(&entrypoints.tools, MAX_TOOLS, || steps!["entrypoints", "tools"])?;
    at_most(&entrypoints.hooks, MAX_HOOKS, || steps!["entrypoints", "hooks"])
}

/// Checks every tool, every hook, and that their names are distinct.
pub(super) fn check_each(manifest: &SkillManifest) -> impl Iterator<Item = Checked> {
    let tools = manifest.entrypoints.tools.iter().enumerate().map(|(index, tool)| {
        check_id(&tool.id, &manifest.publisher, || steps!["entrypoints", "tools", index, "id"])?;
        check_tool(tool, &|key| steps!["entrypoints", "tools", index, key])
    });
    let hooks = manifest.entrypoints.hooks.iter().enumerate().map(|(index, hook)| {
        check_id(&hook.id, &manifest.publisher, || steps!["entrypoints", "hooks", index, "id"])?;
        check_hook(hook, index)
    });
    tools.chain(hooks).chain(std::iter::once_with(|| check_unique(manifest)))
}

fn check_id(id: &str, publisher: &str, path: impl Fn() -> Vec<Step>) -> Checked {
    require(is_tool_id(id), &path, || {
        ManifestProblem::text(id, "an id like `acme.notes.add`: parts of `[a-z0-9_]`, at most 60 bytes")
    })?;
    require(id.split('.').next() == Some(publisher), path, || {
        ManifestProblem::text(id, format!("an id of publisher `{publisher}`"))
            .with_fix(format!("start it with `{publisher}.`"))
    })
}

fn check_tool(tool: &ToolEntrypoint, at: &dyn Fn(&str) -> Vec<Step>) -> Checked {
    one_line(&tool.name, 80, || at("name"))?;
    bounded(&tool.description, 4_096, || at("description"))?;
    check_code(&tool.module, tool.export.as_deref(), at)?;
    let unusable = |key: &'static str| {
        move |problem| Refusal { path: at(key), problem: ManifestProblem::Schema(problem) }
    };
    let input = ToolSchema::compile_input(&tool.input_schema).map_err(unusable("input_schema"))?;
    ToolSchema::compile(&tool.output_schema).map_err(unusable("output_schema"))?;
    at_most(&tool.examples, MAX_EXAMPLES, || at("examples"))?;
    for (index, example) in tool.examples.iter().enumerate() {
        let place = || at("examples").into_iter().chain([Step::from(index)]).collect();
        let bytes = example.to_string().len();
        require(bytes <= MAX_EXAMPLE_BYTES, place, || {
            ManifestProblem::value(
                format!("an example of {bytes} bytes"),
                format!("at most {MAX_EXAMPLE_BYTES}"),
            )
        })?;
        input.check(example).map_err(|mismatch| Refusal {
            path: place(),
            problem: ManifestProblem::Schema(SchemaProblem::Example { number: index + 1, mismatch }),
        })?;
    }
    Ok(())
}

fn check_hook(hook: &HookEntrypoint, index: usize) -> Checked {
    check_code(&hook.module, hook.export.as_deref(), &|key| steps!["entrypoints", "hooks", index, key])?;
    require(
        !hook.events.is_empty(),
        || steps!["entrypoints", "hooks", index, "events"],
        || {
            ManifestProblem::value("no event", "at least one event")
                .with_fix("add one such as `run:before_tool`")
        },
    )?;
    for (number, event) in hook.events.iter().enumerate() {
        let known = HOOK_EVENTS.map(str::to_owned);
        require(
            HOOK_EVENTS.contains(&event.as_str()),
            || steps!["entrypoints", "hooks", index, "events", number],
            || {
                let problem = ManifestProblem::text(event, super::super::error::one_of(&known));
                match closest(event, &known) {
                    Some(meant) => problem.with_fix(format!("did you mean `{meant}`?")),
                    None => problem,
                }
            },
        )?;
    }
    let places = |(number, _): (usize, &String)| steps!["entrypoints", "hooks", index, "events", number];
    distinct(hook.events.iter().enumerate().map(|(number, event)| (event.as_str(), places((number, event)))))
}

fn check_code(module: &str, export: Option<&str>, at: &dyn Fn(&str) -> Vec<Step>) -> Checked {
    require(
        is_module_path(module),
        || at("module"),
        || ManifestProblem::text(module, "a file of the archive such as `modules/notes.wasm`"),
    )?;
    let Some(export) = export else { return Ok(()) };
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"\"'`\\".contains(&byte);
    require(
        (1..=128).contains(&export.len()) && export.bytes().all(plain),
        || at("export"),
        || ManifestProblem::text(export, "the name of an exported function, at most 128 bytes"),
    )
}

/// Checks that ids are unique, also in the spelling for models, where `.` is written `__`.
fn check_unique(manifest: &SkillManifest) -> Checked {
    let tools = manifest.entrypoints.tools.iter().enumerate();
    let hooks = manifest.entrypoints.hooks.iter().enumerate();
    let ids = tools
        .map(|(index, tool)| (tool.id.as_str(), steps!["entrypoints", "tools", index, "id"]))
        .chain(hooks.map(|(index, hook)| (hook.id.as_str(), steps!["entrypoints", "hooks", index, "id"])));
    distinct(ids)?;
    let mut seen = BTreeSet::new();
    for (index, tool) in manifest.entrypoints.tools.iter().enumerate() {
        let name = model_name(&tool.id);
        require(
            seen.insert(name.clone()),
            || steps!["entrypoints", "tools", index, "id"],
            || {
                ManifestProblem::text(&tool.id, "an id that models can distinguish from the others").with_fix(
                    format!(
                        "models see it as `{name}`, which is already used; rename one of the \
                        two"
                    ),
                )
            },
        )?;
    }
    Ok(())
}

//! Finds the tool of an installed skill by name, and caches what its calls share until the next change.

use std::sync::Arc;

use palyra_common::tally::CacheCount;
use palyra_common::text::clip_untrusted;
use palyra_common::{BoundedCache, WasmPluginRunError};
use palyra_plugins_runtime::Entry;
use palyra_skills::index::{InstalledRelease, SkillRecord};
use palyra_skills::manifest::{HookEntrypoint, Risk, ToolEntrypoint, model_name};
use parking_lot::Mutex;

use palyra_state::View;
use palyra_state::hooks::HookEventKind;
use palyra_state::runs::RunSubject;

use super::ToolInvocation;
use super::wasm_plugin_runner::ReadyTool;

/// Maximum number of cached tools.
const MAX_KEPT: usize = 4_096;

/// The entry point of a run of an installed skill.
#[derive(Debug, Clone)]
pub(super) enum EntryPoint {
    /// A tool, with schemas for its input and output.
    Tool(Box<ToolEntrypoint>),
    /// A hook, called for one of its events. Its input is an event, its output a decision.
    Hook { hook: HookEntrypoint, event: HookEventKind },
}

impl EntryPoint {
    /// Returns the id from the manifest.
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Tool(tool) => &tool.id,
            Self::Hook { hook, .. } => &hook.id,
        }
    }

    /// Returns the path of the module in the package.
    pub(super) fn module(&self) -> &str {
        match self {
            Self::Tool(tool) => &tool.module,
            Self::Hook { hook, .. } => &hook.module,
        }
    }

    /// Returns the risk declared by the manifest; a hook has none.
    pub(super) fn risk(&self) -> Risk {
        match self {
            Self::Tool(tool) => tool.risk,
            Self::Hook { .. } => Risk::default(),
        }
    }

    /// Returns the entry point for the sandbox.
    pub(super) fn entry(&self) -> Entry {
        match self {
            Self::Tool(tool) => Entry::Tool { id: tool.id.clone(), export: tool.export.clone() },
            Self::Hook { hook, event } => Entry::Hook {
                id: hook.id.clone(),
                event: event.as_str().to_owned(),
                export: hook.export.clone(),
            },
        }
    }
}

/// A tool or hook with its skill, as of one view.
pub(super) struct FoundTool {
    pub(super) generation: u64,
    pub(super) record: Arc<SkillRecord>,
    pub(super) entrypoint: EntryPoint,
    pub(super) subject: Arc<RunSubject>,
    /// Checks of the first call, valid as long as the view is current.
    ready: Mutex<Option<Arc<ReadyTool>>>,
}

impl FoundTool {
    /// Creates the entry of a tool or hook, as of a view.
    pub(super) fn new(view: &View, record: Arc<SkillRecord>, entrypoint: EntryPoint) -> Self {
        let subject = Arc::new(RunSubject::installed(&record, entrypoint.id()));
        Self { generation: view.generation(), record, entrypoint, subject, ready: Mutex::default() }
    }

    /// Returns the current release of the skill.
    pub(super) fn release(&self) -> &InstalledRelease {
        &self.record.current
    }

    /// Returns the checks of an earlier call.
    pub(super) fn ready(&self) -> Option<Arc<ReadyTool>> {
        self.ready.lock().clone()
    }

    /// Caches the checks of this call for later ones.
    pub(super) fn keep(&self, ready: &Arc<ReadyTool>) {
        *self.ready.lock() = Some(Arc::clone(ready));
    }
}

/// Cached tools by requested name; an entry of an earlier view is looked up again.
pub(super) struct FoundTools(BoundedCache<String, Arc<FoundTool>>);

impl Default for FoundTools {
    fn default() -> Self {
        Self(BoundedCache::new(MAX_KEPT))
    }
}

impl FoundTools {
    /// Returns hits and misses of the cache.
    pub(super) fn count(&self) -> CacheCount {
        self.0.count()
    }

    /// Finds a tool by id, name for models or alias; fails if it belongs to another skill than the caller requires.
    pub(super) fn find(
        &self,
        view: &View,
        invocation: &ToolInvocation,
    ) -> Result<Arc<FoundTool>, WasmPluginRunError> {
        let of_skill = |tool: &FoundTool| {
            invocation.skill_id.as_ref().is_none_or(|skill_id| *skill_id == tool.record.skill_id)
        };
        self.kept_or(view, &invocation.tool, of_skill, || find_tool(view, invocation))
    }

    /// Returns the cached entry of a name, calling `find` if there is none for this view.
    pub(super) fn get_or(
        &self,
        view: &View,
        name: &str,
        find: impl FnOnce() -> Result<FoundTool, WasmPluginRunError>,
    ) -> Result<Arc<FoundTool>, WasmPluginRunError> {
        self.kept_or(view, name, |_| true, find)
    }

    fn kept_or(
        &self,
        view: &View,
        name: &str,
        fits: impl FnOnce(&FoundTool) -> bool,
        find: impl FnOnce() -> Result<FoundTool, WasmPluginRunError>,
    ) -> Result<Arc<FoundTool>, WasmPluginRunError> {
        let usable = |tool: &Arc<FoundTool>| tool.generation == view.generation() && fits(tool);
        if let Some(tool) = self.0.get_if(name, usable) {
            return Ok(tool);
        }
        let tool = Arc::new(find()?);
        self.0.insert(name.to_owned(), Arc::clone(&tool));
        Ok(tool)
    }
}

fn find_tool(view: &View, invocation: &ToolInvocation) -> Result<FoundTool, WasmPluginRunError> {
    let name = invocation.tool.as_str();
    let id = view.aliases().get(name).map_or(name, String::as_str);
    let record = match &invocation.skill_id {
        Some(skill_id) => view.index().shared(skill_id),
        None => view.shared_skill_of_tool(id),
    };
    let of_record = |record: &SkillRecord| {
        record.current.tools().find(|tool| tool.id == id || model_name(&tool.id) == id).cloned()
    };
    let found = record.and_then(|record| Some((Arc::clone(record), of_record(record)?)));
    let (record, entrypoint) = found.ok_or_else(|| unknown(view, name))?;
    Ok(FoundTool::new(view, record, EntryPoint::Tool(Box::new(entrypoint))))
}

fn unknown(view: &View, name: &str) -> WasmPluginRunError {
    let tools = view.index().iter().flat_map(|record| record.current.tools());
    let mut known: Vec<String> = tools.map(|tool| tool.id.clone()).collect();
    known.sort_by_key(|other| std::cmp::Reverse(common_prefix(other, name)));
    known.truncate(8);
    let name = clip_untrusted(name, 80);
    WasmPluginRunError::NotFound { what: "tool", name, known }
}

fn common_prefix(left: &str, right: &str) -> usize {
    left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count()
}

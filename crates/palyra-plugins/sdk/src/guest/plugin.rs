//! A plugin: its tools and hooks in two tables, and the dispatcher over them.

mod describe;
mod registration;

#[doc(hidden)]
pub use registration::__ids_differ;

use super::error::ToolError;
use super::hook::{Event, Hook, HookDecision};
use super::run;
use super::tool::Tool;
use schemars::Schema;

/// The tools and hooks of one guest, created by [`crate::plugin!`] as the static `PLUGIN`.
#[derive(Debug)]
pub struct Plugin {
    tools: &'static [ToolEntry],
    hooks: &'static [HookEntry],
}

impl Plugin {
    /// Creates a plugin of these tools and hooks.
    pub const fn new(tools: &'static [ToolEntry], hooks: &'static [HookEntry]) -> Self {
        Self { tools, hooks }
    }

    /// Calls the tool `tool_id` with JSON text and returns JSON text.
    ///
    /// # Errors
    ///
    /// `unknown_tool` if the plugin has no such tool; otherwise the error of the tool.
    pub fn invoke(&self, tool_id: &str, input_json: &str) -> Result<String, ToolError> {
        match self.tools.iter().find(|tool| tool.id == tool_id) {
            Some(tool) => (tool.call)(input_json),
            None => {
                Err(ToolError::new(ToolError::UNKNOWN_TOOL, format!("this plugin has no tool `{tool_id}`")))
            }
        }
    }

    /// Calls the hook that this run is for.
    ///
    /// The host names the hook as the run's tool id, so two hooks of one guest may share an event.
    pub fn on_event(&self, kind: &str, payload_json: &str) -> Result<HookDecision, ToolError> {
        let hook_id = run::tool_id();
        let Some(hook) = self.hooks.iter().find(|hook| hook.id == hook_id) else {
            return Err(ToolError::new(
                ToolError::UNKNOWN_HOOK,
                format!("this plugin has no hook `{hook_id}`"),
            ));
        };
        if !hook.events.contains(&kind) {
            let message = format!("the hook `{hook_id}` does not handle `{kind}`");
            return Err(ToolError::new("unexpected_event", message));
        }
        let payload = serde_json::from_str(payload_json).map_err(|error| {
            ToolError::new(ToolError::INVALID_INPUT, format!("the payload of `{kind}` is not JSON: {error}"))
        })?;
        (hook.on_event)(Event { kind: kind.to_owned(), payload })
    }

    /// Returns the self-description, as the contract's `describe` defines it.
    pub fn describe(&self) -> String {
        describe::describe(self.tools, self.hooks)
    }
}

/// One row of a plugin's tools.
#[derive(Debug)]
pub struct ToolEntry {
    id: &'static str,
    description: &'static str,
    call: fn(&str) -> Result<String, ToolError>,
    input_schema: fn() -> Schema,
    output_schema: fn() -> Schema,
}

impl ToolEntry {
    /// Creates the row of a tool.
    pub const fn of<T: Tool>() -> Self {
        Self {
            id: T::ID,
            description: T::DESCRIPTION,
            call: T::call,
            input_schema: T::input_schema,
            output_schema: T::output_schema,
        }
    }
}

/// One row of a plugin's hooks.
#[derive(Debug)]
pub struct HookEntry {
    id: &'static str,
    events: &'static [&'static str],
    on_event: fn(Event) -> Result<HookDecision, ToolError>,
}

impl HookEntry {
    /// Creates the row of a hook.
    pub const fn of<H: Hook>() -> Self {
        Self { id: H::ID, events: H::EVENTS, on_event: H::on_event }
    }
}

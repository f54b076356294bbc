//! The harness itself.

use super::error::{GrantLineError, RunError};
use super::host::Entered;
use super::state::{LogLine, Message, Prepared, SentRequest, State};
use crate::guest::error::{HostError, ToolError};
use crate::guest::hook::HookDecision;
use crate::guest::http::Response;
use crate::guest::plugin::Plugin;
use serde::Serialize;
use serde_json::Value;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A host in memory around one plugin.
///
/// Grants, stored values, prepared responses and the records of calls are kept from call to call.
#[derive(Debug)]
pub struct Harness {
    plugin: &'static Plugin,
    state: State,
}

impl Harness {
    /// Creates a host without grants.
    pub fn new(plugin: &'static Plugin) -> Self {
        Self { plugin, state: State::default() }
    }

    /// Grants these lines, written as for `--grant`: `http:GET https://api.example.com/**`,
    /// `secret:global/token hosts=api.example.com inject=bearer`, `storage:notes/`, `channel:alerts`.
    pub fn with_grants<'a>(
        mut self,
        lines: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, GrantLineError> {
        for line in lines {
            self.state.grants.add(line)?;
        }
        Ok(self)
    }

    /// Sets the value of the secret `scope/key`; its use needs a grant.
    #[must_use]
    pub fn with_secret(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.state.secret_values.insert(name.to_owned(), value.into());
        self
    }

    /// Prepares a response to this method and exact URL; several are returned in order, the last one repeatedly.
    #[must_use]
    pub fn with_answer(self, method: &str, url: &str, response: Response) -> Self {
        self.with_prepared(method, url, Ok(response))
    }

    /// Prepares a failure instead of a response.
    #[must_use]
    pub fn with_failure(self, method: &str, url: &str, error: HostError) -> Self {
        self.with_prepared(method, url, Err(error))
    }

    /// Stores a value under its complete key, prefix included.
    #[must_use]
    pub fn with_stored(mut self, key: &str, value: impl Into<Vec<u8>>) -> Self {
        self.state.stored.insert(key.to_owned(), value.into());
        self
    }

    /// Sets the operator's settings.
    #[must_use]
    pub fn with_config(mut self, config: &Value) -> Self {
        self.state.config = config.to_string();
        self
    }

    /// Sets the run id that the guest reads.
    #[must_use]
    pub fn with_run_id(mut self, run_id: &str) -> Self {
        self.state.run_id = run_id.to_owned();
        self
    }

    /// Sets the remaining fuel and milliseconds that the guest reads.
    #[must_use]
    pub fn with_remaining(mut self, fuel: u64, milliseconds: u64) -> Self {
        (self.state.fuel, self.state.milliseconds) = (fuel, milliseconds);
        self
    }

    /// Calls a tool with a value and returns its parsed output.
    pub fn call<T: Serialize + ?Sized>(&mut self, tool_id: &str, input: &T) -> Result<Value, RunError> {
        let input = serde_json::to_string(input).map_err(|error| RunError::ToolFailed(error.into()))?;
        let output = self.call_text(tool_id, &input)?;
        serde_json::from_str(&output).map_err(|error| RunError::InvalidOutput(error.to_string()))
    }

    /// Calls a tool with text, which need not be valid JSON.
    pub fn call_text(&mut self, tool_id: &str, input_json: &str) -> Result<String, RunError> {
        let plugin = self.plugin;
        self.within(tool_id, || plugin.invoke(tool_id, input_json))
    }

    /// Calls a hook with an event and returns its decision.
    pub fn fire<T: Serialize + ?Sized>(
        &mut self,
        hook_id: &str,
        kind: &str,
        payload: &T,
    ) -> Result<HookDecision, RunError> {
        let payload = serde_json::to_string(payload).map_err(|error| RunError::ToolFailed(error.into()))?;
        let plugin = self.plugin;
        self.within(hook_id, || plugin.on_event(kind, &payload))
    }

    /// Runs a closure as one call of the guest.
    pub fn within<T>(
        &mut self,
        tool_id: &str,
        code: impl FnOnce() -> Result<T, ToolError>,
    ) -> Result<T, RunError> {
        self.state.begin_call(tool_id);
        let entered = Entered::enter(&mut self.state);
        let outcome = catch_unwind(AssertUnwindSafe(code));
        drop(entered);
        if let Some(verdict) = self.state.take_verdict() {
            return Err(verdict);
        }
        outcome
            .map_err(|panic| RunError::Trapped(panic_message(panic.as_ref())))?
            .map_err(RunError::ToolFailed)
    }

    /// Returns the self-description of the plugin.
    pub fn describe(&self) -> Result<Value, RunError> {
        serde_json::from_str(&self.plugin.describe())
            .map_err(|error| RunError::InvalidOutput(error.to_string()))
    }

    /// Returns the requests that were allowed, in order.
    pub fn requests(&self) -> &[SentRequest] {
        &self.state.requests
    }

    /// Returns the log lines, in order.
    pub fn log(&self) -> &[LogLine] {
        &self.state.log
    }

    /// Returns the published messages, in order.
    pub fn messages(&self) -> &[Message] {
        &self.state.messages
    }

    /// Returns the stored value under a complete key, prefix included.
    pub fn stored(&self, key: &str) -> Option<&[u8]> {
        self.state.stored.get(key).map(Vec::as_slice)
    }

    fn with_prepared(mut self, method: &str, url: &str, answer: Result<Response, HostError>) -> Self {
        let answer = answer.map_err(Into::into);
        self.state.answers.push(Prepared { method: method.to_owned(), url: url.to_owned(), answer });
        self
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

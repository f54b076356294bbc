//! Tool calls assembled from their pieces.

use crate::error::ModelError;
use crate::limits::{MAX_ARGUMENT_BYTES, MAX_NAME_BYTES, MAX_TOOL_CALLS};
use crate::message::ToolCall;
use crate::stream::SseFrame;

/// The calls of an answer that are not complete yet, in the order they began.
#[derive(Debug, Default)]
pub(crate) struct PartialCalls {
    calls: Vec<Partial>,
    /// Number of calls that were removed, which count against the limit.
    taken: usize,
}

#[derive(Debug)]
struct Partial {
    key: u64,
    call: ToolCall,
}

impl PartialCalls {
    /// Adds a piece of the call that the provider numbers `key`.
    ///
    /// A new id under a known number begins another call: some servers number every call 0. A call that changes
    /// its name half-way is malformed.
    pub(crate) fn add(
        &mut self,
        key: u64,
        id: &str,
        name: &str,
        arguments: &str,
        frame: &SseFrame,
    ) -> Result<(), ModelError> {
        let known = self.calls.iter().rposition(|partial| partial.key == key);
        let known = known.filter(|at| {
            let call = &self.calls[*at].call;
            id.is_empty() || call.id.is_empty() || call.id == id
        });
        let at = match known {
            Some(at) => at,
            None => self.begin(key)?,
        };
        let call = &mut self.calls[at].call;
        if !id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if call.name.is_empty() {
            name.clone_into(&mut call.name);
        } else if !name.is_empty() && call.name != name {
            return Err(frame.malformed("the name of a tool call changed"));
        }
        within("tool name bytes", call.name.len().max(call.id.len()), MAX_NAME_BYTES)?;
        within("tool argument bytes", call.arguments.len() + arguments.len(), MAX_ARGUMENT_BYTES)?;
        call.arguments.push_str(arguments);
        Ok(())
    }

    /// Returns the key of the call that began last.
    pub(crate) fn last_key(&self) -> Option<u64> {
        self.calls.last().map(|partial| partial.key)
    }

    /// Removes one call and returns it.
    pub(crate) fn take(&mut self, key: u64) -> Option<ToolCall> {
        let at = self.calls.iter().position(|partial| partial.key == key)?;
        self.taken += 1;
        Some(self.calls.remove(at).call)
    }

    /// Removes all calls and returns them in the order they began.
    pub(crate) fn take_all(&mut self) -> Vec<ToolCall> {
        self.taken += self.calls.len();
        std::mem::take(&mut self.calls).into_iter().map(|partial| partial.call).collect()
    }

    fn begin(&mut self, key: u64) -> Result<usize, ModelError> {
        within("tool calls", self.taken + self.calls.len() + 1, MAX_TOOL_CALLS)?;
        let call = ToolCall { id: String::new(), name: String::new(), arguments: String::new() };
        self.calls.push(Partial { key, call });
        Ok(self.calls.len() - 1)
    }
}

pub(super) fn within(what: &'static str, used: usize, allowed: usize) -> Result<(), ModelError> {
    if used > allowed { Err(ModelError::LimitReached { what, allowed: allowed as u64 }) } else { Ok(()) }
}

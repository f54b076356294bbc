//! Checks the decoders' output against the limits, masks the key, and converts it to events.

use super::fenced::{FencedCalls, Piece};
use super::masked::MaskedText;
use super::partial_calls::within;
use crate::error::ModelError;
use crate::event::{ModelEvent, StopReason, Usage};
use crate::limits::{MAX_ARGUMENT_BYTES, MAX_PROVIDER_STATE_BYTES, MAX_TEXT_BYTES, MAX_TOOL_CALLS};
use crate::message::ToolCall;
use crate::protocol::Protocol;
use crate::provider_state::ProviderState;
use crate::request::{ModelRequest, ToolChoice};
use palyra_egress::Redactor;
use serde_json::Value;

/// The output of a response.
#[derive(Debug)]
pub(crate) struct Output {
    protocol: Protocol,
    model: String,
    redactor: Redactor,
    events: Vec<ModelEvent>,
    fenced: FencedCalls,
    text: Option<MaskedText>,
    reasoning: Option<MaskedText>,
    text_bytes: usize,
    reasoning_bytes: usize,
    calls: usize,
    usage: Usage,
    finished: bool,
}

impl Output {
    pub(super) fn new(protocol: Protocol, request: &ModelRequest, redactor: Redactor) -> Self {
        let tools = match request.tool_choice {
            ToolChoice::None => Vec::new(),
            _ => request.tools.iter().map(|tool| tool.name.clone()).collect(),
        };
        Self {
            protocol,
            model: request.model.clone(),
            events: Vec::new(),
            fenced: FencedCalls::new(tools),
            text: None,
            reasoning: None,
            redactor,
            text_bytes: 0,
            reasoning_bytes: 0,
            calls: 0,
            usage: Usage::default(),
            finished: false,
        }
    }

    /// Adds text. Fails above [`MAX_TEXT_BYTES`].
    pub(crate) fn text(&mut self, text: &str) -> Result<(), ModelError> {
        self.text_bytes = self.text_bytes.saturating_add(text.len());
        within("response bytes", self.text_bytes, MAX_TEXT_BYTES)?;
        let pieces = self.fenced.push(text);
        self.pieces(pieces)
    }

    /// Adds reasoning. Fails above [`MAX_TEXT_BYTES`].
    pub(crate) fn reasoning(&mut self, text: &str) -> Result<(), ModelError> {
        self.reasoning_bytes = self.reasoning_bytes.saturating_add(text.len());
        within("reasoning bytes", self.reasoning_bytes, MAX_TEXT_BYTES)?;
        let masked = self.reasoning.get_or_insert_with(|| MaskedText::new(&self.redactor));
        let clean = masked.push(text);
        self.events.extend(some_text(clean).map(ModelEvent::Reasoning));
        Ok(())
    }

    /// Adds a complete tool call. Generates an id if it has none.
    pub(crate) fn call(&mut self, call: ToolCall) -> Result<(), ModelError> {
        self.calls += 1;
        within("tool calls", self.calls, MAX_TOOL_CALLS)?;
        within("tool argument bytes", call.arguments.len(), MAX_ARGUMENT_BYTES)?;
        let clean = |text: &str| self.redactor.redact_text(text).into_owned();
        let id = if call.id.is_empty() { format!("call_{}", self.calls) } else { clean(&call.id) };
        let arguments =
            if call.arguments.trim().is_empty() { "{}".to_owned() } else { clean(&call.arguments) };
        self.events.push(ModelEvent::ToolCall(ToolCall { id, name: clean(&call.name), arguments }));
        Ok(())
    }

    /// Sets the usage so far and emits an event if it changed.
    pub(crate) fn usage(&mut self, usage: Usage) {
        if self.usage != usage {
            self.usage = usage;
            self.events.push(ModelEvent::Usage(usage));
        }
    }

    /// Returns the usage so far, for decoders that update a part of it.
    pub(crate) fn used(&self) -> Usage {
        self.usage
    }

    /// Sets the provider's opaque state. One that is too large is omitted, because it is only an optimization.
    pub(crate) fn provider_state(&mut self, content: Value) {
        let state = ProviderState { protocol: self.protocol, model: self.model.clone(), content };
        let text = self.redactor.redact_text(&state.to_text()).into_owned();
        if text.len() <= MAX_PROVIDER_STATE_BYTES {
            self.events.push(ModelEvent::ProviderState(text));
        }
    }

    /// Returns whether a call was proposed.
    pub(crate) fn has_calls(&self) -> bool {
        self.calls > 0
    }

    /// Returns whether there is any text or call.
    pub(crate) fn has_content(&self) -> bool {
        self.calls > 0 || self.text_bytes > 0
    }

    /// Returns whether the response has ended.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Ends the response, after emitting everything that was retained.
    pub(crate) fn finish(&mut self, reason: StopReason) -> Result<(), ModelError> {
        let last = self.reasoning.take().map(MaskedText::finish).unwrap_or_default();
        self.events.extend(some_text(last).map(ModelEvent::Reasoning));
        let pieces = self.fenced.finish();
        self.pieces(pieces)?;
        let last = self.text.take().map(MaskedText::finish).unwrap_or_default();
        self.events.extend(some_text(last).map(ModelEvent::Text));
        // A call that was written as text ends the response like any call, whichever reason the provider reports.
        let reason = match reason {
            StopReason::EndTurn | StopReason::ToolCalls => {
                if self.calls > 0 {
                    StopReason::ToolCalls
                } else {
                    StopReason::EndTurn
                }
            }
            StopReason::Other(word) => {
                StopReason::Other(self.redactor.redact_text(&word).chars().take(100).collect())
            }
            other => other,
        };
        self.events.push(ModelEvent::Finished(reason));
        self.finished = true;
        Ok(())
    }

    /// Removes and returns the events so far.
    pub(super) fn take(&mut self) -> Vec<ModelEvent> {
        std::mem::take(&mut self.events)
    }

    fn pieces(&mut self, pieces: Vec<Piece>) -> Result<(), ModelError> {
        for piece in pieces {
            match piece {
                Piece::Call(call) => self.call(call)?,
                Piece::Text(text) => {
                    let masked = self.text.get_or_insert_with(|| MaskedText::new(&self.redactor));
                    let clean = masked.push(&text);
                    self.events.extend(some_text(clean).map(ModelEvent::Text));
                }
            }
        }
        Ok(())
    }
}

fn some_text(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

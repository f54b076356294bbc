//! A provider in memory that answers from a script.

use crate::error::ModelError;
use crate::event::{ModelEvent, StopReason};
use crate::message::ToolCall;
use crate::provider::{ModelProvider, ModelStream};
use crate::request::ModelRequest;
use futures::StreamExt;
use futures::stream;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;

/// The scripted response to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Script {
    /// These events, then the end. Without [`ModelEvent::Finished`], the stream ends with [`ModelError::Truncated`].
    Events(Vec<ModelEvent>),
    /// These events, then this error.
    Fails(Vec<ModelEvent>, ModelError),
    /// These events, then nothing until the stream is dropped.
    Stalls(Vec<ModelEvent>),
}

impl Script {
    /// Creates a response of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Events(vec![ModelEvent::Text(text.into()), ModelEvent::Finished(StopReason::EndTurn)])
    }

    /// Creates a response that proposes these calls.
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        let calls = calls.into_iter().map(ModelEvent::ToolCall);
        Self::Events(calls.chain([ModelEvent::Finished(StopReason::ToolCalls)]).collect())
    }
}

/// Answers each request with the next script and records the requests.
///
/// Clones share scripts and requests. A request for which no script is left is answered with
/// [`ModelError::InvalidRequest`].
#[derive(Debug, Clone, Default)]
pub struct ScriptedProvider {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    scripts: VecDeque<Script>,
    requests: Vec<ModelRequest>,
}

impl ScriptedProvider {
    /// Creates a provider with these scripts, in order.
    pub fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        let provider = Self::default();
        provider.with(|inner| inner.scripts.extend(scripts));
        provider
    }

    /// Adds a script behind those that are left.
    pub fn push(&self, script: Script) {
        self.with(|inner| inner.scripts.push_back(script));
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.with(|inner| inner.requests.clone())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Inner) -> T) -> T {
        work(&mut self.inner.lock())
    }
}

impl ModelProvider for ScriptedProvider {
    fn stream(&self, request: ModelRequest) -> ModelStream {
        let script = self.with(|inner| {
            inner.requests.push(request);
            inner.scripts.pop_front()
        });
        match script {
            None => {
                let reason = "the scripted provider has no response left".to_owned();
                stream::iter([Err(ModelError::InvalidRequest { reason })]).boxed()
            }
            Some(Script::Events(events)) => {
                let ends = matches!(events.last(), Some(ModelEvent::Finished(_)));
                let end = (!ends).then_some(Err(ModelError::Truncated));
                stream::iter(events.into_iter().map(Ok).chain(end)).boxed()
            }
            Some(Script::Fails(events, error)) => {
                stream::iter(events.into_iter().map(Ok).chain([Err(error)])).boxed()
            }
            Some(Script::Stalls(events)) => {
                stream::iter(events.into_iter().map(Ok)).chain(stream::pending()).boxed()
            }
        }
    }
}

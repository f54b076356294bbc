//! Destinations of items: the run of a hook, a file, or a webhook; and the consequence of a failure for the lane.

mod file;
mod webhook;

use std::sync::Arc;

use palyra_common::WasmPluginRunError as Run;
use palyra_runner::{CallError, HookAnswer, HookInvocation};
use palyra_state::StateError;
use palyra_state::channels::{ChannelKind, ChannelRecord, MessageSeal, PublishedMessage};
use palyra_state::deliveries::{LaneItem, LaneTarget};
use palyra_state::hooks::event_payload;

use crate::app::App;
use crate::problem::sentence;
pub(crate) use webhook::body_text;

const NO_MAC: &str =
    "the message has no MAC: an earlier version published it, or another program wrote it to `state.db`";
const WRONG_MAC: &str = "the message was changed in `state.db` after it was published";

/// Reason why an item was not delivered.
#[derive(Debug)]
pub(super) enum SendError {
    /// The run of the hook failed.
    Call(CallError),
    /// The file or webhook rejected the message.
    NotTaken(String),
    /// The item must not be delivered.
    Invalid(&'static str),
    /// The outcome cannot be recorded.
    State(StateError),
}

/// Consequence of a failure for the lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// No attempt can succeed before the state changes.
    Hold(String),
    /// The next attempt may succeed; `counts` is true if this attempt counts against the maximum.
    Again { reason: String, counts: bool },
    /// No attempt can succeed.
    GiveUp(String),
}

/// Delivers an item of a lane and records the delivery; `attempts` is the number of earlier attempts.
pub(super) async fn deliver(
    app: &Arc<App>,
    target: &LaneTarget,
    item: &LaneItem,
    attempts: u32,
) -> Result<(), SendError> {
    let LaneItem::Message(message) = item else {
        // The receipt of the run moves the cursor.
        return send(app, target, item, true).await.map(drop);
    };
    match message.seal {
        MessageSeal::Valid => {}
        // A person can still review the message and retry it.
        MessageSeal::Missing => return Err(SendError::Invalid(NO_MAC)),
        MessageSeal::Invalid => return Err(SendError::Invalid(WRONG_MAC)),
    }
    let attempt = attempts.saturating_add(1);
    app.deliveries().begin(&target.key(), message.id, attempt).await.map_err(SendError::State)?;
    send(app, target, item, true).await?;
    app.deliveries().finish(message, attempt).await.map_err(SendError::State)
}

/// Sends an item to its target once; returns the answer of a hook.
pub(super) async fn send(
    app: &Arc<App>,
    target: &LaneTarget,
    item: &LaneItem,
    moves_cursor: bool,
) -> Result<Option<HookAnswer>, SendError> {
    match (target, item) {
        (LaneTarget::Hook(binding), LaneItem::Event(event)) => {
            let invocation = HookInvocation {
                binding: Arc::clone(binding),
                payload: event_payload(binding.event, event),
                sequence: Some(event.leaf.sequence),
                delivers: moves_cursor,
                cancel: None,
            };
            app.run_hook(invocation).await.map(Some).map_err(SendError::Call)
        }
        (LaneTarget::Channel(_), LaneItem::Message(message)) if message.seal == MessageSeal::Invalid => {
            Err(SendError::Invalid(WRONG_MAC))
        }
        (LaneTarget::Channel(channel), LaneItem::Message(message)) => {
            publish(app, channel, message).await.map(|()| None).map_err(SendError::NotTaken)
        }
        _ => Err(SendError::Invalid("the item belongs to a lane of another kind")),
    }
}

async fn publish(
    app: &Arc<App>,
    channel: &ChannelRecord,
    message: &Arc<PublishedMessage>,
) -> Result<(), String> {
    match &channel.kind {
        ChannelKind::Console => Ok(()),
        ChannelKind::File { path } => {
            let (path, message) = (path.clone(), Arc::clone(message));
            let written = tokio::task::spawn_blocking(move || file::append(&path, &message)).await;
            written.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
        }
        ChannelKind::Webhook { .. } => webhook::post(app, channel, message).await,
    }
}

impl SendError {
    /// Returns the reason that the cursor and dead letters store.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Call(error) => sentence(error),
            Self::NotTaken(reason) => reason.clone(),
            Self::Invalid(reason) => (*reason).to_owned(),
            Self::State(error) => sentence(error),
        }
    }
}

impl From<&SendError> for Failure {
    fn from(error: &SendError) -> Self {
        let reason = error.reason();
        match error {
            SendError::Call(error) => match (error, error.run_error()) {
                (_, Some(Run::NotRunnable { .. } | Run::NotFound { .. } | Run::Disabled { .. }))
                | (CallError::Denied { .. } | CallError::Gated(_), _) => Self::Hold(reason),
                (_, Some(Run::Busy { .. })) | (CallError::State(_), _) => {
                    Self::Again { reason, counts: false }
                }
                (CallError::Run(_) | CallError::Failed(_), _) => Self::Again { reason, counts: true },
            },
            SendError::State(_) => Self::Again { reason, counts: false },
            SendError::NotTaken(_) => Self::Again { reason, counts: true },
            SendError::Invalid(_) => Self::GiveUp(reason),
        }
    }
}

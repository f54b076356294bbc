//! Lanes: their names, their targets, and their items.

use std::fmt;
use std::sync::Arc;

use palyra_journal::RecordedEvent;
use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use super::{DeliveryError, DeliveryStore};
use crate::channels::{ChannelRecord, PublishedMessage};
use crate::hooks::HookBindingRecord;
use crate::text::short_name;

/// The two kinds of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneKind {
    /// An observer, which receives events of the journal.
    Hook,
    /// A channel to a file or a webhook, which receives messages of guests.
    Channel,
}

/// The name of a lane; names are unique within their kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneKey {
    /// Observer or channel.
    pub kind: LaneKind,
    /// Id of the binding, or name of the channel.
    pub name: String,
}

/// Selects all lanes, those of one kind, or one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaneFilter {
    /// Only lanes of this kind.
    pub kind: Option<LaneKind>,
    /// Only lanes with this name.
    pub name: Option<String>,
}

/// A lane in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// Where its items are delivered.
    pub target: LaneTarget,
    /// Number of its first item: earlier ones are older than the lane.
    pub since: u64,
}

/// Destination of a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaneTarget {
    /// Each event is the input of a run of the bound hook.
    Hook(Arc<HookBindingRecord>),
    /// Each message is sent to the file or webhook of the channel.
    Channel(Arc<ChannelRecord>),
}

/// One item of a lane; cheap to clone.
#[derive(Debug, Clone)]
pub enum LaneItem {
    /// An event, for an observer.
    Event(Arc<RecordedEvent>),
    /// A message, for a channel.
    Message(Arc<PublishedMessage>),
}

impl DeliveryStore<'_> {
    /// Returns every active lane: enabled observers, then channels to a file or a webhook.
    pub fn lanes(&self) -> Vec<Lane> {
        let view = self.state.view();
        let observes = |binding: &HookBindingRecord| binding.enabled && !binding.event.is_gate();
        let hooks = view.hooks().all().iter().filter(|entry| observes(&entry.binding));
        let hooks = hooks
            .map(|entry| Lane { target: LaneTarget::Hook(Arc::clone(&entry.binding)), since: entry.since });
        let channels = view.plugins().channels.values().filter(|channel| channel.kind.is_delivered());
        let channels = channels.map(|channel| Lane {
            target: LaneTarget::Channel(Arc::new(channel.clone())),
            since: channel.since,
        });
        hooks.chain(channels).collect()
    }

    /// Returns the target of a lane, also of one that is not active.
    pub fn target(&self, lane: &LaneKey) -> Result<LaneTarget, DeliveryError> {
        let view = self.state.view();
        let (hooks, channels) = (view.hooks(), &view.plugins().channels);
        let target = match lane.kind {
            LaneKind::Hook => hooks.get(&lane.name).map(|entry| LaneTarget::Hook(Arc::clone(&entry.binding))),
            LaneKind::Channel => {
                channels.get(&lane.name).map(|channel| LaneTarget::Channel(Arc::new(channel.clone())))
            }
        };
        target.ok_or_else(|| DeliveryError::UnknownLane {
            lane: LaneKey { kind: lane.kind, name: short_name(&lane.name) },
            known: match lane.kind {
                LaneKind::Hook => hooks.all().iter().map(|entry| entry.binding.id.clone()).collect(),
                LaneKind::Channel => channels.keys().cloned().collect(),
            },
        })
    }
}

impl LaneKind {
    /// Returns the name of the kind in tables and API responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Channel => "channel",
        }
    }

    /// Returns the noun for the items of this kind, for messages.
    pub(super) fn item(self) -> &'static str {
        match self {
            Self::Hook => "event",
            Self::Channel => "message",
        }
    }
}

impl LaneKey {
    /// Returns the lane of an observer.
    pub fn hook(id: impl Into<String>) -> Self {
        Self { kind: LaneKind::Hook, name: id.into() }
    }

    /// Returns the lane of a channel.
    pub fn channel(name: impl Into<String>) -> Self {
        Self { kind: LaneKind::Channel, name: name.into() }
    }
}

impl From<LaneKind> for LaneFilter {
    fn from(kind: LaneKind) -> Self {
        Self { kind: Some(kind), name: None }
    }
}

impl From<LaneKey> for LaneFilter {
    fn from(LaneKey { kind, name }: LaneKey) -> Self {
        Self { kind: Some(kind), name: Some(name) }
    }
}

impl LaneTarget {
    /// Returns the name of the lane.
    pub fn key(&self) -> LaneKey {
        match self {
            Self::Hook(binding) => LaneKey::hook(&binding.id),
            Self::Channel(channel) => LaneKey::channel(&channel.name),
        }
    }
}

impl LaneItem {
    /// Returns the sequence of the event, or the id of the message.
    pub fn number(&self) -> u64 {
        match self {
            Self::Event(event) => event.leaf.sequence,
            Self::Message(message) => message.id,
        }
    }
}

impl fmt::Display for LaneKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} `{}`", self.kind.as_str(), self.name)
    }
}

impl ToSql for LaneKind {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

impl FromSql for LaneKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        // A CHECK constraint limits the column to the two kinds.
        Ok(if value.as_str()? == "hook" { Self::Hook } else { Self::Channel })
    }
}

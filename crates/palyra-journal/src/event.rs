//! What is journalled: typed events, their one byte form, and what is blotted out before they get it.

mod canonical;
mod kind;
mod leaf;
mod redact;
mod terms;

pub use canonical::MAX_DETAILS_DEPTH;
pub use kind::EventKind;
pub(crate) use leaf::{Encoded, LeafFields, read_event};
pub use leaf::{MAX_EVENT_BYTES, MAX_FIELD_BYTES, MAX_TIME_MS, decode_leaf};
pub use redact::{BlotOut, KeepText, RedactText};
pub(crate) use terms::{EventTerms, TERM_BITS, Term};

use serde_json::Value;

/// An event as its author states it.
///
/// `at_ms` comes from the author's clock and decides nothing; the order of events is their sequence.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct NewEvent {
    /// The change.
    pub kind: EventKind,
    /// When, in milliseconds of Unix time, by the author's clock.
    pub at_ms: u64,
    /// On whose behalf: a principal.
    pub actor: Option<String>,
    /// The run.
    pub run: Option<String>,
    /// The skill.
    pub skill: Option<String>,
    /// What else the event is about: a publisher, a key id, the name of a secret.
    pub subject: Option<String>,
    /// Facts of this kind of event: integers, text, lists and objects; no fractions, no secrets.
    #[serde(serialize_with = "palyra_common::json::in_order::serialize")]
    pub details: Value,
}

impl NewEvent {
    /// An event with no details.
    pub fn new(kind: EventKind, at_ms: u64) -> Self {
        let details = Value::Object(serde_json::Map::new());
        Self { kind, at_ms, actor: None, run: None, skill: None, subject: None, details }
    }

    /// Says on whose behalf it happened.
    pub fn actor(mut self, actor: impl Into<String>) -> Self {
        self.actor = Some(actor.into());
        self
    }

    /// Says in which run it happened.
    pub fn run(mut self, run: impl Into<String>) -> Self {
        self.run = Some(run.into());
        self
    }

    /// Says to which skill it happened.
    pub fn skill(mut self, skill: impl Into<String>) -> Self {
        self.skill = Some(skill.into());
        self
    }

    /// Says what else it is about.
    pub fn subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Adds the facts.
    pub fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }
}

/// Why an event cannot be a leaf, or bytes are not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum EventError {
    /// The canonical form is too large.
    #[error("the event has {bytes} bytes, the limit is {MAX_EVENT_BYTES}")]
    TooLarge {
        /// Its size in canonical form.
        bytes: usize,
    },
    /// A name is too long.
    #[error("the event's `{field}` has {bytes} bytes, the limit is {MAX_FIELD_BYTES}")]
    FieldTooLong { field: &'static str, bytes: usize },
    /// Fractions have no one spelling.
    #[error("the event's details contain the number `{number}`, only 64-bit integers are allowed")]
    NotAnInteger {
        /// The number as it was given.
        number: String,
    },
    /// Nested too deeply.
    #[error("the event's details are nested more than {MAX_DETAILS_DEPTH} levels deep")]
    TooDeep,
    /// A time no clock shows.
    #[error("the event's time `{at_ms}` is above {MAX_TIME_MS}")]
    TimeOutOfRange { at_ms: u64 },
    /// Not a leaf of this journal's form.
    #[error("invalid leaf: {reason}")]
    NotAnEvent { reason: String },
    /// A kind this version does not know.
    #[error("unknown event kind `{kind}`")]
    UnknownKind {
        /// The kind as it is written.
        kind: String,
    },
    /// A second spelling of the same event.
    #[error("the leaf is not in canonical form at byte {offset}")]
    NotCanonical {
        /// The first byte that differs from the canonical form.
        offset: usize,
    },
}

impl EventError {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } | Self::FieldTooLong { .. } => {
                "record a digest of the value and store the value elsewhere"
            }
            Self::NotAnInteger { .. } => "record fractions as text or in a smaller unit",
            Self::TooDeep => "record a flatter form",
            Self::TimeOutOfRange { .. } => "check the clock of this machine",
            Self::UnknownKind { .. } => "read it with the version of palyra that wrote it, or a newer one",
            Self::NotAnEvent { .. } | Self::NotCanonical { .. } => "get the file again from its source",
        }
    }
}

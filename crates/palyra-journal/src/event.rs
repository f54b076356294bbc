//! Events: their kinds, their canonical encoding, and the redaction before it.

mod canonical;
mod kind;
mod leaf;
mod terms;

pub use canonical::MAX_DETAILS_DEPTH;
pub use kind::EventKind;
pub(crate) use leaf::{Encoded, LeafFields, read_event};
pub use leaf::{MAX_EVENT_BYTES, MAX_FIELD_BYTES, MAX_TIME_MS, decode_leaf};
pub(crate) use terms::{EventTerms, TERM_BITS, Term};

use serde_json::Value;

/// An event as its author provides it.
///
/// `at_ms` comes from the author's clock and affects no decision; the order of events is their sequence.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct NewEvent {
    /// The kind of event.
    pub kind: EventKind,
    /// The time in milliseconds of Unix time, from the author's clock.
    pub at_ms: u64,
    /// The actor: a principal.
    pub actor: Option<String>,
    /// The id of the run, if the event belongs to one.
    pub run: Option<String>,
    /// The id of the skill, if the event is about one.
    pub skill: Option<String>,
    /// A further subject: a publisher, a key id, the name of a secret.
    pub subject: Option<String>,
    /// Facts that depend on the kind: integers, text, lists and objects. No fractions and no secrets.
    #[serde(serialize_with = "palyra_common::json::in_order::serialize")]
    pub details: Value,
}

impl NewEvent {
    /// Creates an event without details.
    pub fn new(kind: EventKind, at_ms: u64) -> Self {
        let details = Value::Object(serde_json::Map::new());
        Self { kind, at_ms, actor: None, run: None, skill: None, subject: None, details }
    }

    /// Sets the principal that caused the event.
    pub fn actor(mut self, actor: impl Into<String>) -> Self {
        self.actor = Some(actor.into());
        self
    }

    /// Sets the id of the run that the event belongs to.
    pub fn run(mut self, run: impl Into<String>) -> Self {
        self.run = Some(run.into());
        self
    }

    /// Sets the id of the skill that the event is about.
    pub fn skill(mut self, skill: impl Into<String>) -> Self {
        self.skill = Some(skill.into());
        self
    }

    /// Sets the further subject.
    pub fn subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Sets the facts that depend on the kind.
    ///
    /// Encoding fails if they contain a fraction or are nested too deeply.
    pub fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }
}

/// The reason why an event cannot be encoded, or why bytes are not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum EventError {
    /// The canonical form exceeds the limit.
    #[error("the event has {bytes} bytes, the limit is {MAX_EVENT_BYTES}")]
    TooLarge {
        /// The size of the canonical form, in bytes.
        bytes: usize,
    },
    /// A text field exceeds the limit.
    #[error("the event's `{field}` has {bytes} bytes, the limit is {MAX_FIELD_BYTES}")]
    FieldTooLong { field: &'static str, bytes: usize },
    /// The details contain a fraction, which has no unique notation.
    #[error("the event's details contain the number `{number}`, only 64-bit integers are allowed")]
    NotAnInteger {
        /// The number as written.
        number: String,
    },
    /// The details are nested too deeply.
    #[error("the event's details are nested more than {MAX_DETAILS_DEPTH} levels deep")]
    TooDeep,
    /// The time is after [`MAX_TIME_MS`].
    #[error("the event's time `{at_ms}` is above {MAX_TIME_MS}")]
    TimeOutOfRange { at_ms: u64 },
    /// The bytes are not a leaf of this format.
    #[error("invalid leaf: {reason}")]
    NotAnEvent { reason: String },
    /// This version does not know the kind of event.
    #[error("unknown event kind `{kind}`")]
    UnknownKind {
        /// The kind as written, clipped.
        kind: String,
    },
    /// The leaf is a second encoding of an event.
    #[error("the leaf is not in canonical form at byte {offset}")]
    NotCanonical {
        /// The first byte that differs from the canonical form.
        offset: usize,
    },
}

impl EventError {
    /// Returns advice for the user, shown under the message.
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

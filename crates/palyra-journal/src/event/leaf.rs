//! The bytes of a leaf: one JSON object, written one way.
//!
//! The database stores the fields, and the leaf is assembled from them, so that no column can state
//! something the tree does not cover.

use super::canonical::{write_integer, write_string, write_value};
use super::{EventError, EventKind, EventTerms, NewEvent};
use crate::hash::TreeHash;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// Maximum size of an event in canonical form, in bytes.
pub const MAX_EVENT_BYTES: usize = 64 << 10;
/// Maximum length of actor, run, skill and subject, in bytes.
pub const MAX_FIELD_BYTES: usize = 1 << 10;
/// Maximum time, the largest integer that every JSON reader represents exactly.
pub const MAX_TIME_MS: u64 = (1 << 53) - 1;

/// The fields of a leaf as stored; `details` is canonical JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeafFields<'a> {
    pub(crate) at_ms: u64,
    pub(crate) kind: Cow<'a, str>,
    pub(crate) actor: Option<Cow<'a, str>>,
    pub(crate) run: Option<Cow<'a, str>>,
    pub(crate) skill: Option<Cow<'a, str>>,
    pub(crate) subject: Option<Cow<'a, str>>,
    pub(crate) details: Cow<'a, str>,
}

impl LeafFields<'_> {
    /// Returns the canonical bytes of the leaf.
    pub(crate) fn leaf(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(160 + self.details.len());
        self.write_leaf(&mut out);
        out
    }

    /// Returns the hash of the leaf. `scratch` avoids an allocation for each of many leaves.
    pub(crate) fn hash(&self, scratch: &mut Vec<u8>) -> TreeHash {
        scratch.clear();
        self.write_leaf(scratch);
        TreeHash::of_leaf(scratch)
    }

    fn write_leaf(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        let text = |out: &mut Vec<u8>, name: &str, value: &Option<Cow<'_, str>>| {
            if let Some(value) = value {
                out.extend_from_slice(name.as_bytes());
                write_string(out, value);
                out.push(b',');
            }
        };
        text(out, "\"actor\":", &self.actor);
        out.extend_from_slice(b"\"at_ms\":");
        write_integer(out, self.at_ms);
        out.extend_from_slice(b",\"details\":");
        out.extend_from_slice(self.details.as_bytes());
        out.extend_from_slice(b",\"kind\":");
        write_string(out, &self.kind);
        out.push(b',');
        text(out, "\"run\":", &self.run);
        text(out, "\"skill\":", &self.skill);
        text(out, "\"subject\":", &self.subject);
        out.extend_from_slice(b"\"v\":1}");
    }

    /// Returns the event of the fields.
    ///
    /// # Errors
    ///
    /// If the kind is unknown or the details are not canonical.
    pub(crate) fn event(&self) -> Result<NewEvent, EventError> {
        let kind: EventKind = self.kind.parse()?;
        let details: Value = serde_json::from_str(&self.details).map_err(not_an_event)?;
        let mut canonical = Vec::with_capacity(self.details.len());
        write_value(&mut canonical, &details)?;
        if let Some(offset) = first_difference(&canonical, self.details.as_bytes()) {
            return Err(EventError::NotCanonical { offset });
        }
        let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
        Ok(NewEvent {
            kind,
            at_ms: self.at_ms,
            actor: owned(&self.actor),
            run: owned(&self.run),
            skill: owned(&self.skill),
            subject: owned(&self.subject),
            details,
        })
    }
}

/// An event in canonical form with the hash of its leaf: all that the writer needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Encoded {
    pub(crate) fields: LeafFields<'static>,
    pub(crate) hash: TreeHash,
    pub(crate) terms: EventTerms,
    pub(crate) bytes: usize,
}

impl Encoded {
    /// Gives the event its canonical form.
    pub(crate) fn new(mut event: NewEvent) -> Result<Self, EventError> {
        let details = std::mem::take(&mut event.details);
        let mut text = Vec::with_capacity(512);
        write_value(&mut text, &details)?;
        Self::of_text(event, String::from_utf8(text).map_err(not_an_event)?)
    }

    /// Like [`Self::new`], for details that are in canonical form already.
    pub(crate) fn written(event: NewEvent, details: String) -> Result<Self, EventError> {
        debug_assert_eq!(
            serde_json::from_str(&details).ok().map(|value| Self::new(event.clone().details(value))),
            Some(Self::of_text(event.clone(), details.clone())),
            "details are not in canonical form"
        );
        Self::of_text(event, details)
    }

    fn of_text(event: NewEvent, details: String) -> Result<Self, EventError> {
        let NewEvent { kind, at_ms, actor, run, skill, subject, .. } = event;
        if at_ms > MAX_TIME_MS {
            return Err(EventError::TimeOutOfRange { at_ms });
        }
        let fields = LeafFields {
            at_ms,
            kind: Cow::Borrowed(kind.as_str()),
            actor: field("actor", actor)?,
            run: field("run", run)?,
            skill: field("skill", skill)?,
            subject: field("subject", subject)?,
            details: Cow::Owned(details),
        };
        let leaf = fields.leaf();
        let terms = EventTerms::new(kind.as_str(), fields.run.as_deref(), fields.skill.as_deref());
        match leaf.len() {
            bytes if bytes > MAX_EVENT_BYTES => Err(EventError::TooLarge { bytes }),
            bytes => Ok(Self { hash: TreeHash::of_leaf(&leaf), terms, fields, bytes }),
        }
    }
}

fn field(name: &'static str, text: Option<String>) -> Result<Option<Cow<'static, str>>, EventError> {
    let Some(text) = text else { return Ok(None) };
    match text.len() {
        bytes if bytes > MAX_FIELD_BYTES => Err(EventError::FieldTooLong { field: name, bytes }),
        _ => Ok(Some(Cow::Owned(text))),
    }
}

/// Decodes a leaf of a segment file, which must be in canonical form.
pub fn decode_leaf(leaf: &[u8]) -> Result<NewEvent, EventError> {
    read_event(leaf).map(|(event, _)| event)
}

/// Decodes a leaf into the event and its stored form.
pub(crate) fn read_event(leaf: &[u8]) -> Result<(NewEvent, Encoded), EventError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wire {
        actor: Option<String>,
        at_ms: u64,
        details: Value,
        kind: String,
        run: Option<String>,
        skill: Option<String>,
        subject: Option<String>,
        v: u32,
    }
    if leaf.len() > MAX_EVENT_BYTES {
        return Err(EventError::TooLarge { bytes: leaf.len() });
    }
    let wire: Wire = serde_json::from_slice(leaf).map_err(not_an_event)?;
    if wire.v != 1 {
        return Err(EventError::NotAnEvent { reason: format!("its version is `{}`, expected `1`", wire.v) });
    }
    let event = NewEvent {
        kind: wire.kind.parse()?,
        at_ms: wire.at_ms,
        actor: wire.actor,
        run: wire.run,
        skill: wire.skill,
        subject: wire.subject,
        details: wire.details,
    };
    let encoded = Encoded::new(event.clone())?;
    match first_difference(&encoded.fields.leaf(), leaf) {
        Some(offset) => Err(EventError::NotCanonical { offset }),
        None => Ok((event, encoded)),
    }
}

fn first_difference(expected: &[u8], found: &[u8]) -> Option<usize> {
    let same = expected.iter().zip(found).take_while(|(left, right)| left == right).count();
    (same < expected.len() || same < found.len()).then_some(same)
}

fn not_an_event(error: impl std::fmt::Display) -> EventError {
    EventError::NotAnEvent { reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sample() -> NewEvent {
        NewEvent::new(EventKind::SkillInstalled, 1_700_000_000_000)
            .actor("owner")
            .skill("acme.echo")
            .details(json!({"version": "1.0.0", "counter": 3}))
    }

    #[test]
    fn a_leaf_has_one_spelling_and_reads_back() {
        let encoded = Encoded::new(sample()).unwrap();
        let leaf = encoded.fields.leaf();
        assert_eq!(
            std::str::from_utf8(&leaf).unwrap(),
            r#"{"actor":"owner","at_ms":1700000000000,"details":{"counter":3,"version":"1.0.0"},"#.to_owned()
                + r#""kind":"skill:installed","skill":"acme.echo","v":1}"#
        );
        assert_eq!(decode_leaf(&leaf).unwrap(), sample());
        assert_eq!(encoded.fields.event().unwrap(), sample());
        assert_eq!((encoded.hash, encoded.bytes), (TreeHash::of_leaf(&leaf), leaf.len()));
    }

    #[test]
    fn a_second_spelling_is_refused() {
        for (leaf, offset) in [
            (r#"{"at_ms":1,"details":{},"kind":"vault:put", "v":1}"#, 43),
            (r#"{"details":{},"at_ms":1,"kind":"vault:put","v":1}"#, 2),
            (r#"{"at_ms":1,"details":{"a":1,"a":1},"kind":"vault:put","v":1}"#, 27),
            (r#"{"actor":null,"at_ms":1,"details":{},"kind":"vault:put","v":1}"#, 3),
            (r#"{"at_ms":1,"details":{"a":"\u0041"},"kind":"vault:put","v":1}"#, 27),
        ] {
            assert_eq!(decode_leaf(leaf.as_bytes()), Err(EventError::NotCanonical { offset }), "{leaf}");
        }
    }

    #[test]
    fn what_is_no_event_is_refused() {
        let check = |leaf: &str| decode_leaf(leaf.as_bytes()).unwrap_err().to_string();
        assert!(check("").contains("invalid leaf"));
        assert!(check(r#"{"at_ms":1,"details":{},"kind":"vault:put","v":2}"#).contains("version is `2`"));
        assert!(
            check(r#"{"at_ms":1,"details":{},"kind":"vault:put","x":0,"v":1}"#).contains("unknown field `x`")
        );
        assert!(check(r#"{"at_ms":1,"details":{},"kind":"vault:sung","v":1}"#).contains("`vault:sung`"));
        assert!(check(r#"{"at_ms":-1,"details":{},"kind":"vault:put","v":1}"#).contains("invalid leaf"));
        assert!(check(&" ".repeat(MAX_EVENT_BYTES + 1)).contains("the limit is 65536"));
    }

    #[test]
    fn ceilings_hold() {
        let refused = |event: NewEvent| Encoded::new(event).unwrap_err();
        let large = sample().details(json!("x".repeat(MAX_EVENT_BYTES)));
        assert!(matches!(refused(large), EventError::TooLarge { .. }));
        let long = sample().subject("x".repeat(MAX_FIELD_BYTES + 1));
        assert_eq!(refused(long), EventError::FieldTooLong { field: "subject", bytes: MAX_FIELD_BYTES + 1 });
        let late = NewEvent::new(EventKind::VaultPut, u64::MAX);
        assert_eq!(refused(late), EventError::TimeOutOfRange { at_ms: u64::MAX });
    }
}

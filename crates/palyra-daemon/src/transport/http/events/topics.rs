//! The requested event topics.

use palyra_common::ErrorCode;
use palyra_common::text::clip_untrusted;
use std::str::FromStr;

use palyra_api::Problem;
use palyra_journal::EventKind;

use crate::problem::closest;

/// Maximum number of topics of one stream.
const MAX_TOPICS: usize = 64;

/// Kinds of events; empty for all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Topics(Vec<EventKind>);

impl Topics {
    /// Returns the kinds for a query of the journal.
    pub(super) fn kinds(&self) -> Vec<EventKind> {
        self.0.clone()
    }
}

impl FromStr for Topics {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let mut kinds = Vec::new();
        for topic in text.split(',').map(str::trim).filter(|topic| !topic.is_empty()).take(MAX_TOPICS) {
            let of_topic = |kind: &EventKind| {
                kind.as_str() == topic || kind.as_str().split_once(':').is_some_and(|(area, _)| area == topic)
            };
            let before = kinds.len();
            kinds.extend(EventKind::ALL.iter().copied().filter(of_topic));
            if kinds.len() == before {
                return Err(unknown(topic));
            }
        }
        kinds.sort_unstable();
        kinds.dedup();
        Ok(Self(kinds))
    }
}

/// Parses the full name of an event kind.
pub(in super::super) fn kind(text: &str) -> Result<EventKind, Problem> {
    text.parse().map_err(|_| unknown(text))
}

fn unknown(topic: &str) -> Problem {
    let topic = clip_untrusted(topic, 60);
    let known: Vec<String> = EventKind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
    let meant = closest(&topic, &known).map(|name| format!("did you mean `{name}`?"));
    Problem::new(ErrorCode::Usage, format!("unknown event kind `{topic}`")).hints(meant)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_areas() {
        let kinds = |text: &str| text.parse::<Topics>().unwrap().kinds();
        assert_eq!(kinds(""), []);
        assert_eq!(kinds("run:completed"), [EventKind::RunCompleted]);
        assert_eq!(kinds("vault, vault:put"), [EventKind::VaultPut, EventKind::VaultRemoved]);
        assert!("runs".parse::<Topics>().unwrap_err().detail.contains("`runs`"));
    }
}

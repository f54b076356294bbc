//! Events of the journal, with proofs that none was removed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::events::Event;

/// Most events of one page.
pub const MAX_PAGE: u16 = 1_000;

/// Which events of the journal; every filter that is set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JournalQuery {
    /// First sequence number, inclusive.
    pub from: Option<u64>,
    /// End of the sequence numbers, exclusive.
    pub before: Option<u64>,
    /// Start time in Unix milliseconds, inclusive.
    pub since_ms: Option<u64>,
    /// End time, exclusive.
    pub until_ms: Option<u64>,
    /// Of one of these kinds, for example `skill:installed`; any where there are none.
    pub kinds: Vec<String>,
    /// About this skill.
    pub skill: Option<String>,
    /// In this run.
    pub run: Option<String>,
    /// At most so many, up to 1,000; 100 where it is left out.
    pub limit: Option<u16>,
    /// Newest first.
    pub newest_first: bool,
    /// Includes a verified inclusion proof for each event.
    pub proofs: bool,
}

/// Response of `GET /v1/journal`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JournalPage {
    /// The events.
    pub events: Vec<Event>,
    /// The head of the journal when it was read.
    pub head: TreeHead,
    /// Number of oldest events that are in segment files and not searched.
    pub archived: u64,
    /// The `from` of the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_from: Option<u64>,
    /// The `before` of the next page, if there is one and the newest come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_before: Option<u64>,
}

/// The size and root of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TreeHead {
    /// Number of events.
    pub size: u64,
    /// The root hash over them.
    pub root: String,
}

/// The inclusion proof of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InclusionProof {
    /// The number of the event.
    pub sequence: u64,
    /// The head that the proof refers to.
    pub head: TreeHead,
    /// The sibling hashes on the path from the leaf to the root.
    pub path: Vec<String>,
}

/// Request body of `POST /v1/journal/verify`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifyRequest {
    /// A checkpoint from another machine, as a signed note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
}

/// Response of `POST /v1/journal/verify` for a journal that is the one that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerifiedJournal {
    /// The head.
    pub head: TreeHead,
    /// Number of oldest events that are in segment files; they were verified by their hashes.
    pub archived: u64,
    /// Number of verified events.
    pub events_checked: u64,
    /// Number of verified checkpoints.
    pub checkpoints_checked: u64,
    /// Number of runs compared with their receipts.
    #[serde(default)]
    pub runs_checked: u64,
    /// Number of totals compared with the sum of their receipts.
    #[serde(default)]
    pub totals_checked: u64,
    /// Number of channel messages with a valid MAC.
    #[serde(default)]
    pub messages_checked: u64,
    /// The size of the checkpoint it was compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<u64>,
}

/// Response of `POST /v1/journal/checkpoint`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignedCheckpoint {
    /// The head that was signed.
    pub head: TreeHead,
    /// Name of the journal.
    pub origin: String,
    /// Checks the signature.
    pub key: Option<String>,
    /// The signed note.
    pub note: String,
}

impl JournalQuery {
    /// Formats the filter as the query of a URL.
    pub fn to_query(&self) -> String {
        let segment = crate::client::segment;
        let mut parts = Vec::new();
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                parts.push(format!("{name}={value}"));
            }
        };
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        add("from", number(self.from));
        add("before", number(self.before));
        add("since_ms", number(self.since_ms));
        add("until_ms", number(self.until_ms));
        let kinds: Vec<String> = self.kinds.iter().map(|kind| segment(kind)).collect();
        add("kinds", Some(kinds.join(",")).filter(|kinds| !kinds.is_empty()));
        add("skill", self.skill.as_deref().map(segment));
        add("run", self.run.as_deref().map(segment));
        add("limit", self.limit.map(|limit| limit.to_string()));
        add("newest_first", self.newest_first.then(|| "true".to_owned()));
        add("proofs", self.proofs.then(|| "true".to_owned()));
        parts.join("&")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_says_what_is_set_and_nothing_else() {
        assert_eq!(JournalQuery::default().to_query(), "");
        let query = JournalQuery {
            from: Some(3),
            kinds: vec!["vault:put".into(), "trust:allowed".into()],
            skill: Some("a&b".into()),
            newest_first: true,
            ..JournalQuery::default()
        };
        assert_eq!(
            query.to_query(),
            "from=3&kinds=vault%3Aput,trust%3Aallowed&skill=a%26b&newest_first=true"
        );
    }
}

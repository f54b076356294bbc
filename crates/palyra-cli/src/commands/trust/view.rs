//! Formats publishers for people, and parses keys in arguments.

use crate::output::facts;
use palyra_api::trust::{KeysRequest, Publisher};
use palyra_skills::signing::PublisherKey;

/// Formats a publisher in the trust store.
pub(super) fn publisher_facts(publisher: &Publisher) -> String {
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let mut pairs = vec![
        ("publisher", publisher.publisher.clone()),
        ("mode", publisher.mode.wire_name().to_owned()),
        ("blocked", publisher.blocked.clone().unwrap_or_default()),
        ("keys are", publisher.origin.clone().unwrap_or_default()),
        ("epoch", number(publisher.epoch)),
    ];
    if let Some(threshold) = publisher.threshold.filter(|_| publisher.keys.len() > 1) {
        pairs.push(("must sign", format!("{threshold} of {}", publisher.keys.len())));
    }
    for key in &publisher.keys {
        pairs.push(("key", key.key_id.clone()));
        pairs.push(("", key.public_key.clone()));
    }
    for past in &publisher.past {
        let ids: Vec<&str> = past.keys.iter().map(|key| key.key_id.as_str()).collect();
        pairs.push(("earlier", format!("{} ended by {}", ids.join(", "), past.ended_by)));
    }
    let list = publisher.revocation_list.map(|number| format!("its list {number} was applied"));
    pairs.push(("revocations", list.unwrap_or_default()));
    facts(&pairs)
}

/// Returns a key set of which `threshold` keys must sign.
pub(super) fn keys_request(keys: &[PublisherKey], threshold: u32) -> KeysRequest {
    KeysRequest { keys: keys.iter().map(ToString::to_string).collect(), threshold }
}

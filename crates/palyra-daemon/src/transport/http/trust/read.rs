//! Parses names, keys and reasons of requests.

use palyra_api::Problem;
use palyra_api::trust::KeysRequest;
use palyra_common::ErrorCode;
use palyra_skills::manifest::PublisherName;
use palyra_skills::signing::{KeyError, KeySet, PublisherKey};

use crate::problem::ToProblem;

/// Maximum length of a reason in bytes; it is written to the journal and shown to all users.
const MAX_REASON_BYTES: usize = 500;

/// Parses the name of a publisher, a feed or a builder.
pub(in super::super) fn publisher_name(text: &str) -> Result<PublisherName, Problem> {
    let name: Result<PublisherName, _> = text.parse();
    name.map_err(|error| Problem::new(ErrorCode::Usage, error.to_string()))
}

/// Checks the reason of a change.
pub(in super::super) fn reason(text: String) -> Result<String, Problem> {
    match text.len() {
        0..=MAX_REASON_BYTES => Ok(text),
        bytes => {
            let message = format!("the reason has {bytes} bytes, the limit is {MAX_REASON_BYTES}");
            Err(Problem::new(ErrorCode::Usage, message))
        }
    }
}

/// Parses one public key.
pub(super) fn key(text: &str) -> Result<PublisherKey, Problem> {
    text.parse().map_err(|error: KeyError| error.to_problem())
}

/// Parses a key set of which `threshold` keys must sign.
pub(super) fn key_set(request: &KeysRequest) -> Result<KeySet, Problem> {
    let keys: Vec<PublisherKey> = request.keys.iter().map(|text| key(text)).collect::<Result<_, _>>()?;
    KeySet::new(keys, request.threshold).map_err(|error| error.to_problem())
}

//! Problems of publishers that are no longer trusted.

use palyra_api::Problem;
use palyra_common::ErrorCode;
use serde_json::json;

/// Returns the problem of a statement that proves equivocation of a publisher.
pub(crate) fn equivocation(publisher: &str) -> Problem {
    let message =
        format!("publisher `{publisher}` signed two different successors for one epoch and is now blocked");
    Problem::new(ErrorCode::Equivocation, message)
        .hint("the publisher's keys may be compromised: ask the publisher out of band which key is valid")
        .hint(format!(
            "then set its keys yourself: `palyra trust unblock {publisher}` and `palyra trust repin \
            {publisher} KEY`"
        ))
        .details(json!({ "publisher": publisher }))
}

//! Hints of tools for clients, from the grants in effect for their runs; claims of a manifest have no influence.

use palyra_common::CapabilityGrantSet;
use palyra_common::capabilities::HttpRule;
use rmcp::model::ToolAnnotations;

/// HTTP methods that change nothing on the server.
const SAFE_METHODS: [&str; 3] = ["GET", "HEAD", "OPTIONS"];

/// Returns the hints for a tool with this title and these grants.
pub(super) fn annotations(title: &str, grants: &CapabilityGrantSet) -> ToolAnnotations {
    let changes = changes_something(grants);
    ToolAnnotations::with_title(title)
        .read_only(!changes)
        .destructive(changes && !only_adds(grants))
        .idempotent(!changes)
        .open_world(!grants.http().is_empty() || !grants.channels().is_empty())
}

fn changes_something(grants: &CapabilityGrantSet) -> bool {
    !only_adds(grants) || !grants.channels().is_empty()
}

/// Returns whether the tool can only add, for example send a message, but not overwrite.
fn only_adds(grants: &CapabilityGrantSet) -> bool {
    !grants.writes_storage() && !grants.writes_files() && grants.http().iter().all(only_asks)
}

fn only_asks(rule: &HttpRule) -> bool {
    let safe = |method: &String| SAFE_METHODS.contains(&method.as_str());
    rule.methods.as_ref().is_some_and(|methods| methods.iter().all(safe))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// Asserts the hints: read only, destructive, idempotent, open world.
    fn check(grants: &[&str], expected: [bool; 4]) {
        let set: CapabilityGrantSet = grants.iter().map(|grant| grant.parse().unwrap()).collect();
        let hints = annotations("Tool", &set);
        let found =
            [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint];
        assert_eq!(found, expected.map(Some), "{grants:?}");
    }

    #[test]
    fn hints_follow_from_grants() {
        check(&[], [true, false, true, false]);
        check(&["fs-read:docs", "secret:global/token reveal"], [true, false, true, false]);
        check(&["storage-read:notes/"], [true, false, true, false]);
        check(&["storage-read:notes/", "storage:notes/drafts/"], [false, true, false, false]);
        check(&["http:GET,HEAD https://example.com/"], [true, false, true, true]);
        check(&["http:GET,POST https://example.com/"], [false, true, false, true]);
        check(&["http:https://example.com"], [false, true, false, true]);
        check(&["storage:notes/"], [false, true, false, false]);
        check(&["fs-write:docs"], [false, true, false, false]);
        check(&["channel:news"], [false, false, false, true]);
    }
}

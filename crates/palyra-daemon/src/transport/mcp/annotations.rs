//! What a client may tell people about a tool, from what its runs are granted now: a manifest claims nothing here.

use palyra_common::CapabilityGrantSet;
use palyra_common::capabilities::HttpRule;
use rmcp::model::ToolAnnotations;

/// Methods that change nothing where they are asked.
const SAFE_METHODS: [&str; 3] = ["GET", "HEAD", "OPTIONS"];

/// The hints for a tool of this name under these grants.
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

/// A message can be sent and nothing can be overwritten.
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

    /// Read only, destructive, idempotent, open world.
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

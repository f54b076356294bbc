//! An approval for people.

use crate::output::{facts, when};
use palyra_api::approvals::Approval;

/// What is asked for, by whom, and what became of it.
pub(super) fn approval(approval: &Approval) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    facts(&[
        ("approval", approval.approval_id.clone()),
        ("status", approval.status.wire_name().to_owned()),
        ("tool", approval.tool_id.clone()),
        ("skill", approval.skill_id.clone()),
        ("release", approval.payload.clone()),
        ("for", approval.principal.clone()),
        ("session", text(&approval.session)),
        ("part of", text(&approval.parent_run)),
        ("arguments", approval.arguments.clone()),
        ("asked", when(approval.requested_ms)),
        ("asked by", text(&approval.asked_because)),
        ("until", when(approval.expires_ms)),
        ("reaches", approval.scope.map(|scope| scope.wire_name().to_owned()).unwrap_or_default()),
        ("decided by", text(&approval.decided_by)),
        ("decided", approval.decided_ms.map(when).unwrap_or_default()),
        ("because", text(&approval.reason)),
        ("used", if approval.uses > 0 { approval.uses.to_string() } else { String::new() }),
    ])
}

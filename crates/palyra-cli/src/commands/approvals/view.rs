//! Formats approvals for people.

use crate::output::{facts, moment};
use palyra_api::approvals::Approval;
use palyra_api::sessions::SessionLabels;

/// Formats a request with its requester and its status.
pub(super) fn approval(approval: &Approval) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let requested_by = approval.requested_by.clone();
    let requested_by = if requested_by == approval.principal { String::new() } else { requested_by };
    facts(&[
        ("approval", approval.approval_id.clone()),
        ("status", approval.status.wire_name().to_owned()),
        ("tool", approval.tool_id.clone()),
        ("skill", approval.skill_id.clone()),
        ("release", approval.payload.clone()),
        ("for", approval.principal.clone()),
        ("session", text(&approval.session)),
        ("part of", text(&approval.parent_run)),
        ("requested by", requested_by),
        ("grants", approval.grants.join(", ")),
        ("arguments", arguments(approval, usize::MAX)),
        ("arguments sha256", text(&approval.arguments_sha256)),
        ("requested", moment(approval.requested_ms)),
        ("required by", text(&approval.asked_because)),
        ("labels", labels(approval.labels)),
        ("expires", moment(approval.expires_ms)),
        ("scope", approval.scope.map(|scope| scope.wire_name().to_owned()).unwrap_or_default()),
        ("decided by", text(&approval.decided_by)),
        ("decided", approval.decided_ms.map(moment).unwrap_or_default()),
        ("reason", text(&approval.reason)),
        ("used", if approval.uses > 0 { approval.uses.to_string() } else { String::new() }),
    ])
}

/// Returns a sentence about the data that the session has read.
fn labels(labels: SessionLabels) -> String {
    match (labels.untrusted, labels.private) {
        (true, true) => "this session has read untrusted content and private data".to_owned(),
        (true, false) => "this session has read untrusted content".to_owned(),
        (false, true) => "this session has read private data".to_owned(),
        (false, false) => String::new(),
    }
}

/// Returns at most `most` bytes of the arguments; truncated ones end with the number of missing bytes and the digest of
/// the whole.
pub(super) fn arguments(approval: &Approval, most: usize) -> String {
    let Approval { arguments, arguments_bytes, arguments_sha256, .. } = approval;
    let shown = arguments.get(..arguments.floor_char_boundary(most)).unwrap_or_default();
    match (arguments_bytes.saturating_sub(shown.len() as u64), arguments_sha256) {
        (0, _) | (_, None) => shown.to_owned(),
        (omitted, Some(digest)) => format!("{shown}… ({omitted} more bytes, sha256 {digest})"),
    }
}

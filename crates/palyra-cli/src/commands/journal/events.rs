//! Formats events of the journal.

use crate::output::{fitted, timestamp};
use palyra_api::events::Event;
use palyra_common::InOrder;
use palyra_common::json::in_order::sort_objects;
use palyra_common::redact::escape_untrusted;
use palyra_common::text::clip_marked;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Maximum characters of details in a line for people; `--json` prints all of them.
const MAX_DETAILS_CHARS: usize = 160;
/// Details that only serve verification and are not shown to people.
const BOOKKEEPING: [&str; 4] = ["rows", "generation", "all_rows", "envelope"];

/// Formats an event as one line: sequence, time, kind, actor, subject, details. On a terminal it is truncated to the
/// width.
pub(super) fn line(event: &Event) -> String {
    let about = [&event.skill, &event.run, &event.subject].into_iter().flatten();
    let about: Vec<String> = about.map(|text| escape_untrusted(text)).collect();
    let text = format!(
        "{:>6}  {}  {:<20}  {:<6}  {}  {}",
        event.sequence,
        timestamp(event.at_ms),
        event.kind,
        escape_untrusted(event.actor.as_deref().unwrap_or_default()),
        about.join(" "),
        details(&event.details)
    );
    format!("{}\n", fitted(text.trim_end()))
}

/// Returns the whole event as JSON, with an additional ISO time.
pub(super) fn object(event: &Event) -> Value {
    let mut value = json!(event);
    value["at"] = json!(palyra_daemon::when(event.at_ms));
    sort_objects(&mut value);
    value
}

/// Serializes a list of events for JSON output.
pub(super) fn as_objects<S: serde::Serializer>(events: &[Event], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(events.iter().map(object))
}

fn details(details: &Value) -> String {
    let Value::Object(fields) = details else { return clipped(InOrder(details).to_string()) };
    let fields: BTreeMap<&String, &Value> = fields.iter().collect();
    let shown: Vec<String> = fields
        .into_iter()
        .filter(|(name, _)| !BOOKKEEPING.contains(&name.as_str()))
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name}={text}"),
            value => format!("{name}={}", InOrder(value)),
        })
        .collect();
    clipped(shown.join(" "))
}

fn clipped(text: String) -> String {
    clip_marked(&escape_untrusted(&text), MAX_DETAILS_CHARS).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_leave_out_bookkeeping_and_stay_on_their_line() {
        let shown = details(&json!({ "reason": "a\nb", "generation": 2, "rows": {}, "number": 3 }));
        assert_eq!(shown, "number=3 reason=a\\u{a}b");
        assert_eq!(details(&json!({ "long": "x".repeat(500) })).chars().count(), MAX_DETAILS_CHARS + 1);
    }
}

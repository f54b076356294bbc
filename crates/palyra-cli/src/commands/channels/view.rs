//! Formats channels for people.

use crate::output::{facts, timestamp};
use palyra_api::channels::{Channel, Message};
use palyra_common::redact::escape_untrusted;

/// Formats every field of a channel.
pub(super) fn channel(channel: &Channel) -> String {
    let text = |text: &Option<String>| text.as_deref().map(escape_untrusted).unwrap_or_default();
    let cursor = channel.cursor.as_ref();
    let mut shown = facts(&[
        ("channel", channel.name.clone()),
        ("to", channel.to.clone()),
        ("path", text(&channel.path)),
        ("url", text(&channel.url)),
        ("signed with", text(&channel.secret)),
        ("addresses", channel.allow_addresses.join(", ")),
        ("delivered", cursor.map(|cursor| cursor.delivered.to_string()).unwrap_or_default()),
        (
            "waits",
            cursor.and_then(|cursor| cursor.error.as_deref()).map(escape_untrusted).unwrap_or_default(),
        ),
        ("again", cursor.and_then(|cursor| cursor.retry_at_ms).map(timestamp).unwrap_or_default()),
    ]);
    for letter in &channel.dead_letters {
        let reason = escape_untrusted(&letter.reason);
        shown.push_str(&format!(
            "dead letter {}: message {} at {} after {} attempts: {reason}\n",
            letter.letter,
            letter.message,
            timestamp(letter.at_ms),
            letter.attempts
        ));
    }
    shown
}

/// Formats the destination of a channel.
pub(super) fn target(channel: &Channel) -> String {
    let place = channel.path.as_deref().or(channel.url.as_deref()).map(escape_untrusted).unwrap_or_default();
    format!("{} {place}", channel.to).trim_end().to_owned()
}

/// Formats a message as one line.
pub(super) fn message(message: &Message) -> String {
    format!(
        "{}  {}  {}  {}\n",
        timestamp(message.at_ms),
        message.id,
        escape_untrusted(&message.skill_id),
        escape_untrusted(&message.body)
    )
}

//! Channels and messages in the words of the API.

use palyra_api::channels::{Channel, ChannelCursor, Message};
use palyra_state::channels::{ChannelKind, ChannelRecord, PublishedMessage};

use super::super::answer::Failure;
use super::super::shape::shape;
use crate::app::App;
use crate::channels::body_text;

/// Dead letters that come with a channel.
const LETTERS: usize = 20;

pub(super) fn told(app: &App, channel: &ChannelRecord) -> Result<Channel, Failure> {
    let cursor = channel.kind.is_delivered().then(|| app.state().channel_cursor(channel)).transpose()?;
    let mut told = Channel {
        name: channel.name.clone(),
        to: channel.kind.word().into(),
        path: None,
        url: None,
        secret: None,
        allow_addresses: Vec::new(),
        cursor: cursor.map(|cursor| ChannelCursor {
            next: cursor.next,
            attempts: cursor.attempts,
            retry_at_ms: cursor.retry_at_ms,
            error: cursor.error,
            delivered: cursor.delivered,
        }),
        dead_letters: shape(&app.state().channel_dead_letters(&channel.name, LETTERS)?)?,
    };
    match &channel.kind {
        ChannelKind::Console => {}
        ChannelKind::File { path } => told.path = Some(path.display().to_string()),
        ChannelKind::Webhook { url, secret, allow_addresses, .. } => {
            told.url = Some(url.clone());
            told.secret = Some(secret.clone());
            told.allow_addresses = allow_addresses.iter().map(ToString::to_string).collect();
        }
    }
    Ok(told)
}

pub(super) fn message(message: PublishedMessage) -> Message {
    let (body, encoding) = body_text(&message.body);
    Message {
        id: message.id,
        channel: message.channel,
        skill_id: message.skill_id,
        run_id: message.run_id,
        content_type: message.content_type,
        body,
        encoding: encoding.into(),
        at_ms: message.at_ms,
    }
}

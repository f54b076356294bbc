//! Messages, cursors and dead letters of channels.

use palyra_api::channels as api;
use palyra_api::deliveries::DeliveryCursor;
use palyra_state::channels::{ChannelCursor, ChannelDeadLetter, PublishedMessage};

use super::ToApi;
use crate::channels::body_text;

convert_fields! {
    ChannelCursor => DeliveryCursor { next, attempts, retry_at_ms, error, delivered }
    ChannelDeadLetter => api::ChannelDeadLetter { letter, channel, message, attempts, reason, at_ms }
}

impl ToApi for PublishedMessage {
    type Api = api::Message;

    fn to_api(&self) -> api::Message {
        let Self { id, channel, skill_id, run_id, content_type, body, at_ms, seal: _ } = self;
        let (body, encoding) = body_text(body);
        api::Message {
            id: *id,
            channel: channel.clone(),
            skill_id: skill_id.clone(),
            run_id: run_id.clone(),
            content_type: content_type.clone(),
            body,
            encoding: encoding.to_owned(),
            at_ms: *at_ms,
        }
    }
}

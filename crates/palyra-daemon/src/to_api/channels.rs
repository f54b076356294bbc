//! Messages of channels.

use palyra_api::channels as api;
use palyra_state::channels::PublishedMessage;

use super::ToApi;
use crate::deliveries::body_text;

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

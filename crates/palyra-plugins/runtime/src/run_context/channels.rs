//! The capability operation `channels.publish`.

use super::{HostFailure, RunContext, taped_bytes};
use crate::backends::ChannelMessage;
use palyra_common::CapabilityKind;
use palyra_common::limits::MAX_MESSAGE_BYTES;
use serde_json::json;

impl RunContext {
    pub(crate) async fn channel_publish(
        &self,
        handle: i32,
        content_type: &str,
        body: Vec<u8>,
    ) -> Result<(), HostFailure> {
        let op = "channels.publish";
        let index = self.resolve(op, handle, CapabilityKind::Channel, "")?;
        let channel = self.grants.channels()[index].clone();
        if content_type.is_empty() || content_type.len() > 200 || content_type.chars().any(char::is_control) {
            return Err(HostFailure::Invalid(
                "the content type is empty, too long or has control characters".into(),
            ));
        }
        self.check_no_secret(op, "the content type of a message", content_type.as_bytes())?;
        if body.len() > MAX_MESSAGE_BYTES {
            return Err(HostFailure::Invalid(format!(
                "the body has {} bytes, more than {MAX_MESSAGE_BYTES}",
                body.len()
            )));
        }
        self.check_no_secret(op, "a message", &body)?;
        let request =
            json!({ "channel": channel.as_str(), "content_type": content_type, "body": taped_bytes(&body) });
        let message = ChannelMessage {
            channel: channel.clone(),
            owner: self.owner.to_string(),
            run_id: self.run_id.to_string(),
            content_type: content_type.to_owned(),
            body,
        };
        let live = async { Ok(self.services.channels.publish(message).await?) };
        self.step(op, channel.to_string(), request, live).await
    }
}

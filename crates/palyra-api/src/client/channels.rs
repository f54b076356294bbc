//! Calls about channels.

use http::Method;
use http::header::{ACCEPT, HeaderName, HeaderValue};

use super::query::Pairs;
use super::sse::SseStream;
use super::{Client, ClientError, Transport, empty_body, request, segment};
use crate::channels::{
    AddChannelRequest, Channel, ChannelDeadLetter, ChannelDeadLetterList, ChannelList, MessageList,
};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

impl<T: Transport> Client<T> {
    /// Returns every channel.
    pub async fn channels(&self) -> Result<ChannelList, ClientError> {
        self.get("/v1/channels").await
    }

    /// Returns one channel.
    pub async fn channel(&self, name: &str) -> Result<Channel, ClientError> {
        self.get(&path(name, "")).await
    }

    /// Defines a channel.
    pub async fn add_channel(&self, request: &AddChannelRequest) -> Result<Channel, ClientError> {
        self.send(Method::POST, "/v1/channels", request).await
    }

    /// Removes a channel with its messages.
    pub async fn remove_channel(&self, name: &str) -> Result<Channel, ClientError> {
        self.delete(&path(name, "")).await
    }

    /// Returns the newest messages of a channel, oldest first.
    pub async fn channel_messages(&self, name: &str, limit: Option<u16>) -> Result<MessageList, ClientError> {
        self.get(&Pairs::default().with("limit", limit).after(&path(name, "/messages"))).await
    }

    /// Returns the dead letters of a channel, newest first.
    pub async fn channel_dead_letters(
        &self,
        name: &str,
        limit: Option<u16>,
    ) -> Result<ChannelDeadLetterList, ClientError> {
        self.get(&Pairs::default().with("limit", limit).after(&path(name, "/dead-letters"))).await
    }

    /// Retries the delivery of a dead letter.
    pub async fn retry_channel_letter(
        &self,
        name: &str,
        letter: u64,
    ) -> Result<ChannelDeadLetter, ClientError> {
        self.post(&path(name, &format!("/dead-letters/{letter}/retry"))).await
    }

    /// Drops a dead letter of a channel permanently.
    pub async fn drop_channel_letter(
        &self,
        name: &str,
        letter: u64,
    ) -> Result<ChannelDeadLetter, ClientError> {
        self.delete(&path(name, &format!("/dead-letters/{letter}"))).await
    }

    /// Streams the messages of a channel after a number, or new ones if there is none.
    pub async fn follow_channel(&self, name: &str, after: Option<u64>) -> Result<SseStream, ClientError> {
        let mut request = request(Method::GET, &path(name, "/events"), empty_body())?;
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(after) = after {
            request.headers_mut().insert(LAST_EVENT_ID, after.into());
        }
        Ok(SseStream::new(self.open(request).await?.into_body()))
    }
}

fn path(name: &str, rest: &str) -> String {
    format!("/v1/channels/{}{rest}", segment(name))
}

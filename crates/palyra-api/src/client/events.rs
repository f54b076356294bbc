//! Events as they happen.

use http::Method;
use http::header::{ACCEPT, HeaderName};

use super::sse::SseStream;
use super::{Client, ClientError, Transport, empty_body, request, segment};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

impl<T: Transport> Client<T> {
    /// Streams events of some topics after a sequence number, or new ones if there is none; no topic means all.
    pub async fn events(&self, topics: &[&str], after: Option<u64>) -> Result<SseStream, ClientError> {
        let topics: Vec<String> = topics.iter().map(|topic| segment(topic)).collect();
        let path = if topics.is_empty() {
            "/v1/events".to_owned()
        } else {
            format!("/v1/events?topics={}", topics.join(","))
        };
        let mut request = request(Method::GET, &path, empty_body())?;
        request.headers_mut().insert(ACCEPT, http::HeaderValue::from_static("text/event-stream"));
        if let Some(after) = after {
            request.headers_mut().insert(LAST_EVENT_ID, after.into());
        }
        Ok(SseStream::new(self.open(request).await?.into_body()))
    }
}

//! Calls about deliveries.

use super::query::Pairs;
use super::{Client, ClientError, Transport};
use crate::deliveries::{DeliveryDeadLetter, DeliveryDeadLetterList, DeliveryRetry, LaneList};

impl<T: Transport> Client<T> {
    /// Lists the lanes in use with their cursors.
    pub async fn deliveries(&self) -> Result<LaneList, ClientError> {
        self.get("/v1/deliveries").await
    }

    /// Lists dead letters, newest first: of one hook, of one channel, or of all lanes.
    pub async fn delivery_dead_letters(
        &self,
        hook: Option<&str>,
        channel: Option<&str>,
        limit: Option<u16>,
    ) -> Result<DeliveryDeadLetterList, ClientError> {
        let pairs = Pairs::default().with("hook", hook).with("channel", channel).with("limit", limit);
        self.get(&pairs.after("/v1/deliveries/dead-letters")).await
    }

    /// Retries the delivery of a dead letter.
    pub async fn retry_delivery(&self, letter: u64) -> Result<DeliveryRetry, ClientError> {
        self.post(&format!("/v1/deliveries/dead-letters/{letter}/retry")).await
    }

    /// Drops a dead letter permanently.
    pub async fn drop_delivery(&self, letter: u64) -> Result<DeliveryDeadLetter, ClientError> {
        self.delete(&format!("/v1/deliveries/dead-letters/{letter}")).await
    }
}

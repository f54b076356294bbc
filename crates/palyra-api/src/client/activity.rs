//! Calls about runs over time.

use super::query::Pairs;
use super::{Client, ClientError, Transport};
use crate::activity::{Activity, ActivityQuery};

impl<T: Transport> Client<T> {
    /// Counts runs, failures and denials over time.
    pub async fn activity(&self, query: &ActivityQuery) -> Result<Activity, ClientError> {
        let ActivityQuery { since_ms, until_ms, buckets, skill_id } = query;
        let pairs = Pairs::default()
            .with("since_ms", *since_ms)
            .with("until_ms", *until_ms)
            .with("buckets", *buckets)
            .with("skill", skill_id.as_ref());
        self.get(&pairs.after("/v1/activity")).await
    }
}

//! Runs over time, counted.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Response of `GET /v1/activity`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Activity {
    /// Start of the first bucket, in Unix milliseconds.
    pub since_ms: u64,
    /// End of the last one.
    pub until_ms: u64,
    /// The length of each bucket.
    pub bucket_ms: u64,
    /// The buckets, oldest first; also those without a run.
    pub buckets: Vec<ActivityBucket>,
}

/// The runs that began within one bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActivityBucket {
    /// Start time, in Unix milliseconds.
    pub start_ms: u64,
    /// All of them.
    pub calls: u64,
    /// Number of failed runs, including denied ones.
    pub failed: u64,
    /// Number of denied runs.
    pub denied: u64,
}

/// Which runs are counted; the default is the last 24 hours in 48 buckets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActivityQuery {
    /// From this time on, in milliseconds of Unix time.
    pub since_ms: Option<u64>,
    /// Until this time.
    pub until_ms: Option<u64>,
    /// In so many buckets.
    pub buckets: Option<u16>,
    /// Filter by skill.
    pub skill_id: Option<String>,
}

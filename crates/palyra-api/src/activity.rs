//! Runs over time, counted.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer of `GET /v1/activity`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Activity {
    /// When the first bucket begins, in milliseconds of Unix time.
    pub since_ms: u64,
    /// When the last one ends.
    pub until_ms: u64,
    /// The length of each bucket.
    pub bucket_ms: u64,
    /// The buckets, oldest first; also those without a run.
    pub buckets: Vec<ActivityBucket>,
}

/// The runs that began within one bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActivityBucket {
    /// When it begins, in milliseconds of Unix time.
    pub start_ms: u64,
    /// All of them.
    pub calls: u64,
    /// Those that ended without a result, denied ones included.
    pub failed: u64,
    /// Those that ended because something was not granted.
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
    /// Only those of this skill.
    pub skill_id: Option<String>,
}

//! Routines: scheduled tool calls.

pub use palyra_common::model::routines::{Concurrency, Fire, FireList};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// Longest body of a new routine: the largest input that is kept with one, and some room for the rest.
pub const MAX_ROUTINE_BYTES: usize = 320 << 10;

/// Response of `GET /v1/routines`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RoutineList {
    /// The routines, by name.
    pub routines: Vec<Routine>,
}

/// A routine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Routine {
    /// Its name; it acts as `routine:NAME`.
    pub name: String,
    /// Whether it is built in: it can be changed and disabled, but not removed.
    pub built_in: bool,
    /// Whether it is enabled.
    pub enabled: bool,
    /// The tool it calls; a built-in routine calls none.
    pub tool: Option<String>,
    /// The input it calls the tool with.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Value)]
    pub input: Value,
    /// Its cron pattern, if any.
    pub cron: Option<String>,
    /// Interval in seconds, if any.
    pub every_seconds: Option<u64>,
    /// Single due time, in Unix milliseconds.
    pub at_ms: Option<u64>,
    /// Its time zone.
    pub time_zone: String,
    /// Quiet hours, for example `22:00-07:00`.
    pub quiet: Option<String>,
    /// Policy for runs missed while no daemon was running.
    pub misfire: Misfire,
    /// Maximum number of missed runs to catch up on.
    pub catch_up: Option<u16>,
    /// Policy for overlapping runs.
    pub concurrency: Concurrency,
    /// Maximum random delay; always the same for one due time.
    pub jitter_seconds: u64,
    /// The objective whose budget it uses.
    pub objective: Option<String>,
    /// Approval timeout of a fire in seconds, for tools that require approval.
    pub wait_approval_seconds: u64,
    /// Its creator, who must still be allowed to call the tool at each fire.
    #[serde(default)]
    pub created_by: String,
    /// Time at which it was made, in Unix milliseconds.
    pub created_ms: u64,
    /// The next due times; none while it is disabled.
    pub next_ms: Vec<u64>,
    /// Fires that run or wait.
    pub under_way: u64,
    /// The newest fire.
    pub last: Option<Fire>,
}

/// Policy for runs missed while no daemon was running.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Misfire {
    /// They are left out.
    #[default]
    Skip,
    /// The newest of them fires, late.
    FireOnce,
    /// The newest `catch_up` of them fire, oldest first.
    CatchUp,
}

/// Request body of `POST /v1/routines`: one of `cron`, `every` and `at` says when.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutineRequest {
    /// Up to 40 lower-case letters, digits, `-` and `_`.
    #[schema(pattern = "^[a-z0-9_-]{1,40}$")]
    pub name: String,
    /// The tool to call; omitted for a built-in routine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its input [default: an empty object].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    pub input: Option<Box<RawValue>>,
    /// Cron pattern: minute, hour, day, month and weekday, for example `0 9 * * mon-fri`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Interval, for example `15m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// Single time, for example `2026-12-24T18:00` or `2026-12-24T18:00:00Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// IANA time zone of these times [default: `UTC`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Quiet hours, for example `22:00-07:00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<String>,
    /// Policy for runs missed while no daemon was running.
    #[serde(default)]
    pub misfire: Misfire,
    /// Maximum number of missed runs to catch up on [default: 10].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100)]
    pub catch_up: Option<u16>,
    /// Policy for overlapping runs.
    #[serde(default)]
    pub concurrency: Concurrency,
    /// Maximum random delay in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 3600)]
    pub jitter_seconds: Option<u32>,
    /// The objective whose budget it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// Approval timeout of a fire in seconds, for tools that require approval [default: 900].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 900)]
    pub wait_approval_seconds: Option<u32>,
    /// Whether it is created disabled.
    #[serde(default)]
    pub disabled: bool,
    /// Whether an existing routine is replaced.
    #[serde(default)]
    pub replace: bool,
}

/// Response of `DELETE /v1/routines/{routine}` and `DELETE /v1/objectives/{objective}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RemovedName {
    /// The removed item.
    pub name: String,
}

impl Misfire {
    /// Returns the value in requests and responses.
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::FireOnce => "fire_once",
            Self::CatchUp => "catch_up",
        }
    }
}

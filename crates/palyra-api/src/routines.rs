//! Routines: calls that are made by the time.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// Longest body of a new routine: the largest input that is kept with one, and some room for the rest.
pub const MAX_ROUTINE_BYTES: usize = 320 << 10;

/// The answer of `GET /v1/routines`.
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
    /// Whether every state has it: it can be changed and switched off, not removed.
    pub built_in: bool,
    /// Whether it fires.
    pub enabled: bool,
    /// The tool it calls; a built-in routine calls none.
    pub tool: Option<String>,
    /// The input it calls the tool with.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Value)]
    pub input: Value,
    /// Its cron pattern, where it has one.
    pub cron: Option<String>,
    /// Seconds between two due times, where it is due every so often.
    pub every_seconds: Option<u64>,
    /// When it is due once, in milliseconds of Unix time.
    pub at_ms: Option<u64>,
    /// The zone its times are in.
    pub time_zone: String,
    /// Hours in which it is never due, as in `22:00-07:00`.
    pub quiet: Option<String>,
    /// What happens to due times at which no daemon ran.
    pub misfire: Misfire,
    /// How many of them are made up for at most.
    pub catch_up: Option<u16>,
    /// What happens when it is due and still under way.
    pub concurrency: Concurrency,
    /// Each fire begins up to so much later, always the same for one due time.
    pub jitter_seconds: u64,
    /// The objective it is charged to.
    pub objective: Option<String>,
    /// How long a fire waits for a person, where its tool needs one.
    pub wait_approval_seconds: u64,
    /// Who made or last changed it; it calls its tool only while its creator may.
    #[serde(default)]
    pub created_by: String,
    /// When it was made, in milliseconds of Unix time.
    pub created_ms: u64,
    /// The next due times; none while it is switched off.
    pub next_ms: Vec<u64>,
    /// Fires under way, or waiting for their turn.
    pub under_way: u64,
    /// The newest fire.
    pub last: Option<Fire>,
}

/// What happens to due times at which no daemon ran.
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

/// What happens when a routine is due and still under way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Concurrency {
    /// The new one does not fire.
    #[default]
    Forbid,
    /// Both run.
    Allow,
    /// The old one is ended, then the new one runs.
    Replace,
    /// The new one waits for the old one.
    Queue,
}

/// The body of `POST /v1/routines`: one of `cron`, `every` and `at` says when.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutineRequest {
    /// Up to 40 lower-case letters, digits, `-` and `_`.
    #[schema(pattern = "^[a-z0-9_-]{1,40}$")]
    pub name: String,
    /// The tool to call; left out for a built-in routine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its input; an empty object where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    pub input: Option<Box<RawValue>>,
    /// Minute, hour, day, month and weekday, as in `0 9 * * mon-fri`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Every so often, as in `15m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// Once, as in `2026-12-24T18:00` or `2026-12-24T18:00:00Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The zone of these times, by its IANA name; `UTC` where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Hours in which it is never due, as in `22:00-07:00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<String>,
    /// What happens to due times at which no daemon ran.
    #[serde(default)]
    pub misfire: Misfire,
    /// How many of them are made up for at most; 10 where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100)]
    pub catch_up: Option<u16>,
    /// What happens when it is due and still under way.
    #[serde(default)]
    pub concurrency: Concurrency,
    /// Each fire begins up to so many seconds later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 3600)]
    pub jitter_seconds: Option<u32>,
    /// The objective it is charged to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// How many seconds a fire waits for a person, where its tool needs one; 900 where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 900)]
    pub wait_approval_seconds: Option<u32>,
    /// Whether it is kept without firing.
    #[serde(default)]
    pub disabled: bool,
    /// Whether a routine of that name is changed.
    #[serde(default)]
    pub replace: bool,
}

/// The answer of `GET /v1/routines/{routine}/fires`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FireList {
    /// The fires, newest first.
    pub fires: Vec<Fire>,
    /// Where the next page begins.
    pub next: Option<u64>,
}

/// One fire of a routine; no two have one routine and one due time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Fire {
    /// The routine.
    pub routine: String,
    /// When it was due, in milliseconds of Unix time.
    pub due_ms: u64,
    /// `schedule` or `manual`.
    pub cause: String,
    /// `running`, `completed`, `failed`, `skipped` or `interrupted`.
    pub status: String,
    /// Why it did not fire: `missed`, `overlap`, `budget`, `paused`, `done` or `no_objective`.
    pub reason: Option<String>,
    /// When it began.
    pub fired_ms: u64,
    /// How much later than it should.
    pub late_ms: u64,
    /// When it ended.
    pub finished_ms: Option<u64>,
    /// The tool it called.
    pub tool_id: Option<String>,
    /// The run.
    pub run_id: Option<String>,
    /// The code of its error.
    pub error: Option<String>,
    /// What came of it, for people.
    pub message: Option<String>,
    /// What its run used.
    pub fuel: Option<u64>,
    /// The objective it was charged to.
    pub objective: Option<String>,
}

/// The answer of `DELETE /v1/routines/{routine}` and `DELETE /v1/objectives/{objective}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RemovedName {
    /// What was removed.
    pub name: String,
}

impl Misfire {
    /// The word on every face.
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::FireOnce => "fire_once",
            Self::CatchUp => "catch_up",
        }
    }
}

impl Concurrency {
    /// The word on every face.
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Forbid => "forbid",
            Self::Allow => "allow",
            Self::Replace => "replace",
            Self::Queue => "queue",
        }
    }
}

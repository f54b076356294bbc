//! A routine: an action, its schedule, and policies for missed and overlapping fires.

pub use palyra_common::model::routines::Concurrency as ConcurrencyPolicy;

use jiff::Timestamp;
use palyra_common::PrincipalKind;
use palyra_common::principal::actor;
use palyra_state::PrincipalId;
use serde::{Deserialize, Serialize};

use crate::error::{ControlError, ScheduleError};
use crate::name::check_name;
use crate::schedule::{QuietHours, Schedule, When};

/// Maximum number of routines.
pub const MAX_ROUTINES: usize = 1_000;
/// Maximum number of missed due times that fire late.
pub const MAX_CATCH_UP: u16 = 100;
/// Maximum size of the input of a routine in bytes.
const MAX_INPUT: usize = 256 << 10;
/// Maximum length of a tool id in bytes.
const MAX_TOOL: usize = 200;
/// Maximum jitter in milliseconds.
const MAX_JITTER_MS: u64 = 3_600_000;
/// Maximum wait for an approval: the lifetime of a request.
const MAX_WAIT_MS: u64 = palyra_state::REQUEST_LIFETIME_MS;

/// The stored definition of a routine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Routine {
    /// Unique name, see [`check_name`].
    pub name: String,
    /// False to keep the definition without firing.
    pub enabled: bool,
    /// Action of each fire.
    pub action: RoutineAction,
    /// Cron pattern, interval or time of its fires.
    pub when: When,
    /// IANA name of its time zone.
    pub time_zone: String,
    /// Hours of the day in which it is never due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<QuietHours>,
    /// Policy for missed due times.
    pub misfire: MisfirePolicy,
    /// Policy for overlapping fires.
    pub concurrency: ConcurrencyPolicy,
    /// Maximum delay of a fire in milliseconds, at most one hour; constant for one due time.
    pub jitter_ms: u64,
    /// Objective whose budget it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// Maximum wait of a fire for the approval of its call, in milliseconds.
    pub wait_approval_ms: u64,
    /// Principal that created or last changed the routine. Each fire requires that this principal may call the tool,
    /// and it counts as the requester of approvals. Missing in routines of 945e3d1, which belong to the owner.
    #[serde(default)]
    pub creator: PrincipalId,
    /// Creation time in Unix milliseconds.
    pub created_ms: u64,
    /// Earliest due time in Unix milliseconds: when the routine was created, changed or enabled.
    pub since_ms: u64,
}

/// Action of a routine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RoutineAction {
    /// Calls a tool.
    Tool {
        /// Full id, name for models, or alias of the tool.
        tool: String,
        /// Input as JSON text.
        input: String,
    },
    /// Audits every installed release again and verifies the journal.
    ReAudit,
}

/// Policy for missed due times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MisfirePolicy {
    /// Missed times do not fire.
    Skip,
    /// The newest one fires late.
    FireOnce,
    /// This many of the newest ones fire, oldest first.
    CatchUp(u16),
}

impl Routine {
    /// Returns the principal it acts as.
    pub fn principal(&self) -> String {
        actor(PrincipalKind::Routine, &self.name).into_owned()
    }

    /// Returns the tool it calls, if it calls one.
    pub fn tool(&self) -> Option<&str> {
        match &self.action {
            RoutineAction::Tool { tool, .. } => Some(tool),
            RoutineAction::ReAudit => None,
        }
    }

    /// Returns the parsed schedule.
    pub fn schedule(&self) -> Result<Schedule, ScheduleError> {
        Schedule::new(&self.when, &self.time_zone, self.quiet.as_ref())
    }

    /// Checks every field and returns the schedule. Fails if the routine is never due.
    pub fn check(&self, now: Timestamp) -> Result<Schedule, ControlError> {
        check_name("routine", &self.name)?;
        if let RoutineAction::Tool { tool, input } = &self.action {
            if !(1..=MAX_TOOL).contains(&tool.len()) {
                return Err(ControlError::Invalid("a routine requires the name of a tool".into()));
            }
            if input.len() > MAX_INPUT {
                return Err(ControlError::Invalid(format!(
                    "the input of a routine can have at most {MAX_INPUT} bytes"
                )));
            }
        }
        if let MisfirePolicy::CatchUp(most) = self.misfire
            && !(1..=MAX_CATCH_UP).contains(&most)
        {
            return Err(range("catch_up", "1", MAX_CATCH_UP));
        }
        if self.jitter_ms > MAX_JITTER_MS {
            return Err(range("jitter", "0", "1h"));
        }
        if self.wait_approval_ms > MAX_WAIT_MS {
            return Err(range("wait_approval", "0", "15m"));
        }
        let schedule = self.schedule()?;
        schedule.next_after(now).ok_or(ScheduleError::Never)?;
        Ok(schedule)
    }
}

fn range(field: &'static str, least: &str, most: impl ToString) -> ControlError {
    ScheduleError::Range { field, least: least.into(), most: most.to_string() }.into()
}

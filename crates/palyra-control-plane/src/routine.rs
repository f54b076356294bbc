//! A routine: what is done by the time, when, and what happens where two times meet.

use jiff::Timestamp;
use palyra_common::PrincipalKind;
use palyra_common::principal::actor;
use palyra_state::PrincipalId;
use serde::{Deserialize, Serialize};

use crate::error::{ControlError, ScheduleError};
use crate::name::check_name;
use crate::schedule::{QuietHours, Schedule, When};

/// Most routines there may be.
pub const MAX_ROUTINES: usize = 1_000;
/// Most missed times that are made up for.
pub const MAX_CATCH_UP: u16 = 100;
/// Longest input that is kept with a routine.
const MAX_INPUT: usize = 256 << 10;
/// Longest name of a tool.
const MAX_TOOL: usize = 200;
/// Longest spread of a routine's fires.
const MAX_JITTER_MS: u64 = 3_600_000;
/// Longest wait for a person: as long as a request waits for one.
const MAX_WAIT_MS: u64 = palyra_state::REQUEST_LIFETIME_MS;

/// A routine as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// Whether it is enabled.
    pub enabled: bool,
    /// What it does.
    pub action: RoutineAction,
    /// Due time.
    pub when: When,
    /// Its time zone.
    pub time_zone: String,
    /// Hours in which it is never due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<QuietHours>,
    /// Policy for missed times.
    pub misfire: MisfirePolicy,
    /// Policy for overlapping runs.
    pub concurrency: ConcurrencyPolicy,
    /// Maximum random delay; always the same for one due time.
    pub jitter_ms: u64,
    /// The objective whose budget it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// Approval timeout of a fire in seconds, for tools that require approval.
    pub wait_approval_ms: u64,
    /// Who made or last changed it, and has to be allowed to call its tool at each fire. It counts as having asked for
    /// what its calls need approved. Routines of 945e3d1 say nothing, and are the owner's.
    #[serde(default)]
    pub creator: PrincipalId,
    /// Time at which it was made, in Unix milliseconds.
    pub created_ms: u64,
    /// Nothing before this time is due: it was made, changed or enabled then.
    pub since_ms: u64,
}

/// What a routine does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RoutineAction {
    /// It calls a tool.
    Tool {
        /// The tool.
        tool: String,
        /// Its input, as JSON text.
        input: String,
    },
    /// It looks at every installed release and at the journal again.
    ReAudit,
}

/// Policy for missed times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MisfirePolicy {
    /// They are left out.
    Skip,
    /// The newest of them fires, late.
    FireOnce,
    /// The newest so many fire, oldest first.
    CatchUp(u16),
}

/// Policy for overlapping runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConcurrencyPolicy {
    /// The new one does not fire.
    Forbid,
    /// Both run.
    Allow,
    /// The old one is ended, then the new one runs.
    Replace,
    /// The new one waits for the old one.
    Queue,
}

impl Routine {
    /// In whose name it acts.
    pub fn principal(&self) -> String {
        actor(PrincipalKind::Routine, &self.name).into_owned()
    }

    /// The tool it calls.
    pub fn tool(&self) -> Option<&str> {
        match &self.action {
            RoutineAction::Tool { tool, .. } => Some(tool),
            RoutineAction::ReAudit => None,
        }
    }

    /// Its schedule.
    pub fn schedule(&self) -> Result<Schedule, ScheduleError> {
        Schedule::new(&self.when, &self.time_zone, self.quiet.as_ref())
    }

    /// Refuses what could not be kept, carried out or ever be due; gives the schedule.
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

//! An objective: a goal with a budget for unattended runs.

pub use palyra_common::model::routines::ObjectiveState;

use palyra_state::{Budget, ObjectiveUse};
use serde::{Deserialize, Serialize};

use crate::error::ControlError;
use crate::name::check_name;

/// Maximum number of objectives.
pub const MAX_OBJECTIVES: usize = 1_000;
/// Maximum length of a goal in bytes.
const MAX_GOAL: usize = 2_000;

/// The stored definition of an objective.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Objective {
    /// Unique name, see [`check_name`].
    pub name: String,
    /// Goal as text, 1 to 2000 bytes; for people only.
    pub goal: String,
    /// Maximum number of runs, at least 1; `None` is unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_runs: Option<u64>,
    /// Maximum fuel of all runs together, at least 1; `None` is unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_fuel: Option<u64>,
    /// State set by an operator.
    pub set_to: ObjectiveState,
    /// Creation time in Unix milliseconds.
    pub created_ms: u64,
}

impl Objective {
    /// Checks every field.
    pub fn check(&self) -> Result<(), ControlError> {
        check_name("objective", &self.name)?;
        let invalid = |reason: &str| Err(ControlError::Invalid(reason.into()));
        if self.goal.trim().is_empty() || self.goal.len() > MAX_GOAL {
            return invalid("a goal is a text of 1 to 2,000 bytes");
        }
        if self.max_runs == Some(0) || self.max_fuel == Some(0) {
            return invalid("a budget of 0 allows no runs; pause the objective instead");
        }
        Ok(())
    }

    /// Returns the limits of the objective.
    pub fn budget(&self) -> Budget {
        Budget { objective: self.name.clone(), max_runs: self.max_runs, max_fuel: self.max_fuel }
    }

    /// Returns the state after this use: an active objective without budget is exhausted.
    pub fn state(&self, used: ObjectiveUse) -> ObjectiveState {
        match self.set_to {
            ObjectiveState::Active if self.budget().is_exhausted(used) => ObjectiveState::Exhausted,
            set_to => set_to,
        }
    }
}

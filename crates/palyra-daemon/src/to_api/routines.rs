//! Fires of routines, and the settings of routines and objectives.

use palyra_api::objectives;
use palyra_api::routines as api;
use palyra_control_plane::{ConcurrencyPolicy, ObjectiveState};
use palyra_state::{FirePage, FireRow};

convert_fields! {
    FirePage => api::FireList { fires, next }
    FireRow => api::Fire {
        routine, due_ms, cause, status, reason, fired_ms, late_ms, finished_ms, tool_id, run_id, error, message, fuel,
        objective,
    }
}

convert_variants! {
    ConcurrencyPolicy => api::Concurrency { Forbid, Allow, Replace, Queue }
    ObjectiveState => objectives::ObjectiveState { Active, Paused, Exhausted, Done }
}

//! Converts errors to problems: code, message, hints and details, the same on every transport.
//!
//! Libraries have their own error types; only this module converts them to a [`Problem`].

mod approvals;
mod audit_policy;
mod backup;
mod chain;
mod control;
mod definitions;
mod deliveries;
mod files;
mod hooks;
pub(crate) mod installed;
mod journal;
mod keys;
mod plugins;
mod policy;
mod records;
mod runs;
mod skills;
mod state;
mod suggest;
mod tokens;
mod trust;

pub use chain::sentence;
pub(crate) use journal::{journal_damaged, records_altered};
pub(crate) use policy::deciding_rule;
pub use runs::run_hints;
pub use suggest::{closest, not_found};
pub(crate) use trust::equivocation;

use palyra_api::Problem;

/// Converts an error to its problem.
pub trait ToProblem {
    /// Returns the error as a problem.
    fn to_problem(&self) -> Problem;
}

impl ToProblem for Problem {
    fn to_problem(&self) -> Problem {
        self.clone()
    }
}

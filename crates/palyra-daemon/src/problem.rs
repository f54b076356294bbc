//! What each error means outside: code, message, hints and facts, the same on every face.
//!
//! Libraries say what happened in types of their own; here, and nowhere else, these become a [`Problem`].

mod approvals;
mod audit_policy;
mod backup;
mod chain;
mod channels;
mod control;
mod deliveries;
mod files;
mod hooks;
pub(crate) mod installed;
mod journal;
mod keys;
mod models;
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

/// An error with its problem.
pub trait ToProblem {
    /// The same error for the requester.
    fn to_problem(&self) -> Problem;
}

impl ToProblem for Problem {
    fn to_problem(&self) -> Problem {
        self.clone()
    }
}

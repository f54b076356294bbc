//! A person's yes to a call: asked for, decided once, bound to what was asked.
//!
//! An approval names release, tool, principal and a digest of the arguments. Time that runs out is a no. Rows carry the
//! owner's MAC; every request and every decision is a leaf. What changes them runs on the one writer, so of two who
//! decide one wins.

mod decide;
mod error;
mod model;
mod request;
mod rows;

pub use decide::{ApprovalDecision, ApprovalVerdict};
pub use error::ApprovalError;
pub use model::{Approval, ApprovalScope, ApprovalStatus};
pub(crate) use request::{ApprovalRequest, Standing};
pub use rows::{ApprovalFilter, ApprovalPage};

/// How long a request waits for a decision.
pub const REQUEST_LIFETIME_MS: u64 = 15 * 60 * 1_000;
/// How long a yes to one call or to exact arguments can be used.
pub const YES_LIFETIME_MS: u64 = 60 * 60 * 1_000;
/// How long a yes for a run or a session can be used at most.
pub const LONG_YES_LIFETIME_MS: u64 = 12 * 60 * 60 * 1_000;

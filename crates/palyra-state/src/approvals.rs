//! A person's yes to a call: asked for, decided once, bound to what was asked.
//!
//! An approval is for a release, a tool, a principal by its token, the whole arguments, and what the call runs under:
//! consent, policies, gates, profile, settings. Time that runs out is a no. Rows carry the owner's MAC; every request and
//! every decision is a leaf. What changes them runs on the one writer, so of two who decide one wins.

mod decide;
mod error;
mod model;
mod request;
mod rows;

pub use decide::{ApprovalDecision, ApprovalVerdict, Presence, decide_approval};
pub use error::ApprovalError;
pub use model::{Approval, ApprovalScope, ApprovalStatus};
pub use request::{ApprovalAnswer, ApprovalRequest};
pub use rows::{ApprovalFilter, ApprovalPage};

crate::state::store! {
    /// The approvals of a state.
    ApprovalStore, approvals
}

/// How long a request waits for a decision.
pub const REQUEST_LIFETIME_MS: u64 = 15 * 60 * 1_000;
/// How long a yes to one call or to exact arguments can be used.
pub const YES_LIFETIME_MS: u64 = 60 * 60 * 1_000;
/// How long a yes for a run or a session can be used at most.
pub const LONG_YES_LIFETIME_MS: u64 = 12 * 60 * 60 * 1_000;
/// Longest arguments that are shown in lists and in the question of an MCP client; longer ones are cut.
pub const MAX_SHOWN_ARGUMENTS: usize = 4_096;
/// Longest piece of arguments in one answer.
pub const MAX_ARGUMENTS_PIECE: usize = 1 << 20;
/// Most requests of one principal that may wait at once.
pub const MAX_WAITING: u64 = 100;
/// Maximum bytes of arguments that the waiting requests of one principal hold together: one input of the largest size.
pub const MAX_WAITING_BYTES: u64 = 64 << 20;

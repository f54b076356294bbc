//! Approvals: a person's decision about one call, made once and bound to the exact request.
//!
//! An approval covers a release, a tool, a principal by its token, the whole arguments, and the circumstances
//! of the call: consent, policies, gates, profile, settings. A request that is not decided in time expires.
//! Rows carry the owner's MAC; every request and every decision is a leaf of the journal. Changes run on the
//! single writer, so of two concurrent decisions one wins.

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
    /// Requests, decides and lists the approvals of a state.
    ApprovalStore, approvals
}

/// Time until a pending request expires, in milliseconds.
pub const REQUEST_LIFETIME_MS: u64 = 15 * 60 * 1_000;
/// Time for which an approval of one call or of exact arguments can be used, in milliseconds.
pub const YES_LIFETIME_MS: u64 = 60 * 60 * 1_000;
/// Maximum time for which an approval of a run or a session can be used, in milliseconds.
pub const LONG_YES_LIFETIME_MS: u64 = 12 * 60 * 60 * 1_000;
/// Maximum bytes of arguments in lists and in the question of an MCP client; longer arguments are truncated.
pub const MAX_SHOWN_ARGUMENTS: usize = 4_096;
/// Maximum bytes of arguments in one response of [`ApprovalStore::arguments`].
pub const MAX_ARGUMENTS_PIECE: usize = 1 << 20;
/// Maximum number of pending requests of one principal.
pub const MAX_WAITING: u64 = 100;
/// Maximum bytes of arguments in the pending requests of one principal: one input of the largest size.
pub const MAX_WAITING_BYTES: u64 = 64 << 20;

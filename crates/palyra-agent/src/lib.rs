//! The turn pipeline of the agent, from a message to an answer, as a pure and persisted state machine.
//!
//! ```text
//! RunState + Input ─► step ─► Plan { run, events, pauses, surfaces, effects }
//!                               │
//!            the owner writes it in one transaction, then carries out its effects;
//!            what comes of each effect is the next Input
//! ```
//!
//! This crate calls no model and no tool, reads no clock and writes no row. Any process can continue a stored run
//! ([`Input::Resume`]).

#![forbid(unsafe_code)]

mod arguments;
mod call;
mod choice;
mod conversation;
mod formats;
mod guard;
mod plan;
mod proposal_form;
mod run;
mod session;
mod small;
mod step;
mod surface;
mod tool;

pub use arguments::{ArgumentsError, form_arguments};
pub use call::{Call, CallOutcome, CallState};
pub use conversation::{MAX_HISTORY_BYTES, SEARCH_TOOLS, model_request};
pub use plan::{Candidate, Effect, Found, Input, Plan, Routed, Verdict};
pub use run::RunState;
pub use session::SessionState;
pub use small::{SMALL_MODEL_TOOLS, SmallForm, small_request};
pub use step::{World, step};
pub use surface::SurfaceState;
pub use tool::{ToolAccess, ToolCard, used_labels};

//! Matches a sentence to a tool and fills in the tool's arguments, without a model, a network or a clock.
//!
//! ```text
//! tools ─► ToolIndex ─┐
//!                     ├─► rank ─► [Ranked] ─► decide ─► Decision
//! sentence ───────────┤
//! input schema, now ──┴─► prefill ─► Prefilled
//! ```
//!
//! The same tools, sentence and time always give the same result. The result is a proposal that a person confirms; this
//! crate never calls a tool. `cargo xtask router` measures its quality on published cases.

#![forbid(unsafe_code)]

mod decide;
mod fit;
mod index;
mod prefill;
mod words;

pub use decide::{Decision, decide};
pub use fit::{MAX_FITTED, fit};
pub use index::{MAX_RANKED, Ranked, ToolIndex, ToolText, rank, rank_among};
pub use prefill::{Prefilled, prefill};

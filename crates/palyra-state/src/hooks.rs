//! Hooks: plugins that are bound to events by an operator.
//!
//! What is in force stands in a sealed row of `state.db`. The file `hooks/bindings.json` is a way to write the same by
//! hand: it is never applied by itself, so that no state of a file ever means "no gates".

mod apply;
mod error;
mod event_kind;
mod file;
mod index;
mod payload;
mod record;
mod status;

pub use error::HookError;
pub use event_kind::{HookEventKind, UnknownEvent};
pub use file::{BINDINGS_SCHEMA, BindingsFault, parse_bindings};
pub(crate) use index::AppliedBindings;
pub use index::{AppliedBinding, HookIndex};
pub use payload::{
    BeforeTool, HOOK_EVENT_SCHEMA, before_tool_payload, event_payload, is_of_hook, sample_payload,
};
pub use record::HookBindingRecord;
pub use status::{BindingChange, BindingProblem, BindingsFileStatus, HookStatus};

crate::state::store! {
    /// The hook bindings of a state.
    HookStore, hooks
}

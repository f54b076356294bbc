//! Hooks: plugins that an operator binds to events.
//!
//! The bindings in effect are a sealed row of `state.db`. The file `hooks/bindings.json` is an editable copy
//! that only takes effect when it is applied, so that a deleted or damaged file never disables the gates.

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
pub use file::{BINDINGS_SCHEMA, BindingsFault};
pub(crate) use index::AppliedBindings;
pub use index::{AppliedBinding, HookIndex};
pub use payload::{
    BeforeTool, HOOK_EVENT_SCHEMA, before_tool_payload, event_payload, is_of_hook, sample_payload,
};
pub use record::HookBindingRecord;
pub use status::{BindingChange, BindingProblem, BindingsFileStatus, HookStatus};

crate::state::store! {
    /// Binds hooks of plugins to events and reports their status.
    HookStore, hooks
}

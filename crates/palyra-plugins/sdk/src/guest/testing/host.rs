//! The imports as functions of this process, which use the state of the thread's harness.
//!
//! Outside a harness every call is denied.

pub(crate) mod channels;
pub(crate) mod host_capabilities;
pub(crate) mod http;
pub(crate) mod log;
pub(crate) mod run;
pub(crate) mod secrets;
pub(crate) mod storage;

use super::state::State;
use std::cell::RefCell;

thread_local!(static STATE: RefCell<State> = RefCell::default());

/// Performs a host operation on the state of the current harness.
fn with<R>(operation: impl FnOnce(&mut State) -> R) -> R {
    STATE.with_borrow_mut(operation)
}

/// Guard that makes a harness's state the current one of this thread until it is dropped.
pub(super) struct Entered<'a> {
    outside: &'a mut State,
}

impl<'a> Entered<'a> {
    pub(super) fn enter(state: &'a mut State) -> Self {
        with(|current| std::mem::swap(current, state));
        Self { outside: state }
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        with(|current| std::mem::swap(current, self.outside));
    }
}

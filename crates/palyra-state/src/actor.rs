//! In whose name something is done; events tell it.
//!
//! Whatever the state does, it does on the thread that asked, so the name belongs to the thread.

use std::cell::RefCell;

use crate::state::State;

/// Who acts where nobody else was named.
const OWNER: &str = "owner";

thread_local! {
    static ACTOR: RefCell<Option<String>> = const { RefCell::new(None) };
}

impl State {
    /// Does something in somebody's name; events of other threads are not touched by it.
    pub fn acting<T>(&self, actor: &str, work: impl FnOnce() -> T) -> T {
        let _before = Before(ACTOR.replace(Some(actor.to_owned())));
        work()
    }
}

/// Who acts on this thread.
pub(crate) fn actor() -> String {
    ACTOR.with_borrow(|actor| actor.clone()).unwrap_or_else(|| OWNER.to_owned())
}

/// Gives the name back to whoever acted before, even when the work ends in a panic.
struct Before(Option<String>);

impl Drop for Before {
    fn drop(&mut self) {
        ACTOR.set(self.0.take());
    }
}

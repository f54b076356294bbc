//! Whether a module has code for this machine.

use palyra_common::WasmPluginRunError;

/// Whether a module has code for this machine.
#[derive(Debug, Clone, PartialEq)]
pub enum CodeState {
    /// Not compiled yet; the first call compiles it.
    NotCompiled,
    /// It is being compiled, or waits in the queue.
    Compiling,
    /// Its code is available.
    Ready,
    /// Its last compilation failed; after a reached limit there is no further attempt.
    Failed(WasmPluginRunError),
}

impl CodeState {
    /// Returns the combined state of several modules, which is the worst of them.
    pub fn of_all(states: impl IntoIterator<Item = Self>) -> Self {
        let rank = |state: &Self| match state {
            Self::Ready => 0,
            Self::NotCompiled => 1,
            Self::Compiling => 2,
            Self::Failed(_) => 3,
        };
        states.into_iter().max_by_key(rank).unwrap_or(Self::Ready)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_module_without_code_decides_for_all() {
        let failed = CodeState::Failed(WasmPluginRunError::Cancelled);
        for (states, together) in [
            (vec![], CodeState::Ready),
            (vec![CodeState::Ready, CodeState::NotCompiled], CodeState::NotCompiled),
            (vec![CodeState::Compiling, CodeState::NotCompiled, CodeState::Ready], CodeState::Compiling),
            (vec![failed.clone(), CodeState::Compiling], failed.clone()),
        ] {
            assert_eq!(CodeState::of_all(states), together);
        }
    }
}

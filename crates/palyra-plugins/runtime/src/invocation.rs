//! Invocations: the entry to call, with its input, grants and limits.

use crate::tape::Tape;
use ipnet::IpNet;
use palyra_common::{CapabilityGrantSet, JsonText, RuntimeLimits};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// The export of a module to call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Entry {
    /// A tool: `tools.invoke` of a component, or a function of a core module.
    Tool {
        /// The tool id.
        id: String,
        /// The function of a core module; `palyra_plugin_main` by default.
        export: Option<String>,
    },
    /// A hook: `hooks.on-event` of a component, or a function of a core module.
    Hook {
        /// The hook id.
        id: String,
        /// The kind of the event, such as `run:before_tool`.
        event: String,
        /// The function of a core module; `palyra_plugin_main` by default.
        export: Option<String>,
    },
    /// `describe.describe` of a component.
    Describe,
}

/// The decision of a hook about an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum HookDecision {
    /// Proceed.
    Continue,
    /// Proceed, and record a remark.
    Annotate(String),
    /// Require approval, for this reason.
    RequestApproval(String),
    /// Block the call, for this reason.
    Block(String),
}

/// A call of a module.
#[derive(Clone)]
pub struct Invocation {
    /// The export to call.
    pub entry: Entry,
    /// The input, validated once by its creator.
    pub input: JsonText,
    /// The id of the run, used in logs and messages.
    pub run_id: Arc<str>,
    /// The skill that the run belongs to, which separates storage and connections.
    pub owner: Arc<str>,
    /// The capabilities that the guest can use.
    pub grants: Arc<CapabilityGrantSet>,
    /// Private or otherwise blocked address ranges that an operator allowed.
    pub allow_addresses: Arc<[IpNet]>,
    /// The limits of the run, reduced to those of the runtime.
    pub limits: RuntimeLimits,
    /// The operator's settings of the skill.
    pub operator_config: JsonText,
    /// Cancels the run from outside.
    pub cancel: Option<CancelToken>,
    /// A tape to replay instead of using the backends.
    pub replay: Option<Arc<Tape>>,
}

impl Invocation {
    /// Creates a call of a tool without grants and with default limits.
    pub fn tool(id: impl Into<String>, input: JsonText) -> Self {
        Self {
            entry: Entry::Tool { id: id.into(), export: None },
            input,
            run_id: Arc::from("run"),
            owner: Arc::from("anonymous"),
            grants: Arc::default(),
            allow_addresses: Arc::from([]),
            limits: RuntimeLimits::default(),
            operator_config: JsonText::empty_object(),
            cancel: None,
            replay: None,
        }
    }
}

/// Cancels a run from outside. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<Cancelled>);

#[derive(Debug, Default)]
struct Cancelled {
    flag: AtomicBool,
    notify: Notify,
}

impl CancelToken {
    /// Cancels the run at its next step.
    pub fn cancel(&self) {
        self.0.flag.store(true, Ordering::SeqCst);
        self.0.notify.notify_waiters();
    }

    /// Returns whether the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.flag.load(Ordering::SeqCst)
    }

    /// Waits until the run is cancelled.
    pub async fn cancelled(&self) {
        let notified = self.0.notify.notified();
        tokio::pin!(notified);
        // Registered before the flag is read, so that a cancellation in between is not missed.
        notified.as_mut().enable();
        if !self.is_cancelled() {
            notified.await;
        }
    }
}

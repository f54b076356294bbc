//! What to run, with what, under which grants and limits.

use crate::tape::Tape;
use ipnet::IpNet;
use palyra_common::{CapabilityGrantSet, JsonText, RuntimeLimits};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// Which export of a module is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Entry {
    /// A tool: `tools.invoke` of a component, or a function of a core module.
    Tool {
        /// The tool's id.
        id: String,
        /// The function of a core module; default `palyra_plugin_main`.
        export: Option<String>,
    },
    /// A hook: `hooks.on-event` of a component, or a function of a core module.
    Hook {
        /// The hook's id.
        id: String,
        /// The event's kind.
        event: String,
        /// The function of a core module.
        export: Option<String>,
    },
    /// `describe.describe` of a component.
    Describe,
}

/// What a hook decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum HookDecision {
    /// No objection.
    Continue,
    /// No objection, with a remark.
    Annotate(String),
    /// Ask a person first.
    RequestApproval(String),
    /// Do not let it happen.
    Block(String),
}

/// One call.
#[derive(Clone)]
pub struct Invocation {
    /// What is called.
    pub entry: Entry,
    /// The input, validated once by its creator.
    pub input: JsonText,
    /// The id of the run.
    pub run_id: Arc<str>,
    /// The skill on whose behalf it runs; storage and connections are kept apart by it.
    pub owner: Arc<str>,
    /// The granted capabilities.
    pub grants: Arc<CapabilityGrantSet>,
    /// Address ranges that an operator allowed.
    pub allow_addresses: Arc<[IpNet]>,
    /// What may be used; capped by the runtime's ceiling.
    pub limits: RuntimeLimits,
    /// The operator's settings for this plugin.
    pub operator_config: JsonText,
    /// Lets the caller end the run.
    pub cancel: Option<CancelToken>,
    /// Replay this tape instead of touching the outside world.
    pub replay: Option<Arc<Tape>>,
}

impl Invocation {
    /// A call of a tool with nothing granted and the contract's limits.
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

/// Ends a run from outside; all clones are one.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<Cancelled>);

#[derive(Debug, Default)]
struct Cancelled {
    flag: AtomicBool,
    notify: Notify,
}

impl CancelToken {
    /// Ends the run at its next step.
    pub fn cancel(&self) {
        self.0.flag.store(true, Ordering::SeqCst);
        self.0.notify.notify_waiters();
    }

    /// Whether it has been called.
    pub fn is_cancelled(&self) -> bool {
        self.0.flag.load(Ordering::SeqCst)
    }

    /// Waits until it is called.
    pub async fn cancelled(&self) {
        let notified = self.0.notify.notified();
        tokio::pin!(notified);
        // Registered before the flag is read, so a call in between is not missed.
        notified.as_mut().enable();
        if !self.is_cancelled() {
            notified.await;
        }
    }
}

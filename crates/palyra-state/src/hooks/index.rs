//! The bindings in effect, indexed by event and by plugin.

use std::collections::HashMap;
use std::sync::Arc;

use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

use super::{HookBindingRecord, HookEventKind};

/// A binding with the position from which it receives events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppliedBinding {
    /// The binding as the operator wrote it.
    pub binding: Arc<HookBindingRecord>,
    /// Journal sequence of the first event it can receive: earlier events are older than the binding, or
    /// happened while it was disabled.
    pub since: u64,
}

/// The bindings that were applied last, and the digest of the file they were read from or written to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AppliedBindings {
    pub(crate) digest: Option<Sha256Digest>,
    pub(crate) bindings: Vec<AppliedBinding>,
}

/// The bindings in effect; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct HookIndex(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    revision: u64,
    applied: AppliedBindings,
    by_event: HashMap<HookEventKind, Vec<Arc<HookBindingRecord>>>,
    by_plugin: HashMap<String, Vec<Arc<HookBindingRecord>>>,
}

impl HookIndex {
    pub(crate) fn new(revision: u64, applied: AppliedBindings) -> Self {
        let mut inner = Inner { revision, applied, ..Inner::default() };
        let mut ordered: Vec<_> = inner.applied.bindings.iter().map(|entry| &entry.binding).collect();
        ordered.sort_by(|left, right| (left.order, &left.id).cmp(&(right.order, &right.id)));
        for binding in ordered {
            inner.by_plugin.entry(binding.plugin.clone()).or_default().push(Arc::clone(binding));
            if binding.enabled {
                inner.by_event.entry(binding.event).or_default().push(Arc::clone(binding));
            }
        }
        Self(Arc::new(inner))
    }

    /// Returns the enabled bindings of an event, by order and id.
    pub fn hooks_for_event(&self, event: HookEventKind) -> &[Arc<HookBindingRecord>] {
        self.0.by_event.get(&event).map_or(&[], Vec::as_slice)
    }

    /// Returns every binding of a plugin, enabled or not, by order and id.
    pub fn hooks_for_plugin(&self, plugin: &str) -> &[Arc<HookBindingRecord>] {
        self.0.by_plugin.get(plugin).map_or(&[], Vec::as_slice)
    }

    /// Returns every binding in the order of the file.
    pub fn all(&self) -> &[AppliedBinding] {
        &self.0.applied.bindings
    }

    /// Returns the binding with this id.
    pub fn get(&self, id: &str) -> Option<&AppliedBinding> {
        self.all().iter().find(|entry| entry.binding.id == id)
    }

    /// Returns the generation in which the bindings were last changed, or 0 if they never were.
    pub fn revision(&self) -> u64 {
        self.0.revision
    }

    /// Returns the digest of the file that was applied or written last.
    pub fn digest(&self) -> Option<Sha256Digest> {
        self.0.applied.digest
    }
}

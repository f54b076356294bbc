//! The bindings in force, found by event and by plugin.

use std::collections::HashMap;
use std::sync::Arc;

use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

use super::{HookBindingRecord, HookEventKind};

/// A binding and the first event of the journal it hears of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppliedBinding {
    /// The binding.
    pub binding: Arc<HookBindingRecord>,
    /// The start position: events before it was bound or enabled are not delivered.
    pub since: u64,
}

/// What an operator applied last, and the digest of the file that said so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AppliedBindings {
    pub(crate) digest: Option<Sha256Digest>,
    pub(crate) bindings: Vec<AppliedBinding>,
}

/// The bindings in force; cloning is cheap.
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

    /// The enabled bindings of an event, in their order.
    pub fn hooks_for_event(&self, event: HookEventKind) -> &[Arc<HookBindingRecord>] {
        self.0.by_event.get(&event).map_or(&[], Vec::as_slice)
    }

    /// Every binding of a plugin, enabled or not, in their order.
    pub fn hooks_for_plugin(&self, plugin: &str) -> &[Arc<HookBindingRecord>] {
        self.0.by_plugin.get(plugin).map_or(&[], Vec::as_slice)
    }

    /// Every binding as it was applied.
    pub fn all(&self) -> &[AppliedBinding] {
        &self.0.applied.bindings
    }

    /// One binding.
    pub fn get(&self, id: &str) -> Option<&AppliedBinding> {
        self.all().iter().find(|entry| entry.binding.id == id)
    }

    /// Another one for every change; 0 for none.
    pub fn revision(&self) -> u64 {
        self.0.revision
    }

    /// The digest of the file that was applied last.
    pub fn digest(&self) -> Option<Sha256Digest> {
        self.0.applied.digest
    }
}

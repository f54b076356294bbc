//! A cache of decisions under one policy.

use crate::decision::PolicyDecision;
use crate::request::{PolicyContext, PolicyRequest, Principal, Resource};
use crate::set::PolicySet;
use crate::vocabulary::Action;
use palyra_common::BoundedCache;
use palyra_common::tally::{CacheCount, CacheTally};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Largest number of decisions in the cache.
const MAX_KEPT: usize = 4_096;

/// A digest of everything a decision can depend on: requests with equal keys have the same decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyKey([u8; 32]);

/// A policy with a cache of its decisions; a new policy gets a new cache.
#[derive(Debug)]
pub struct DecisionCache {
    set: Arc<PolicySet>,
    made: BoundedCache<PolicyKey, Arc<PolicyDecision>>,
}

impl PolicySet {
    /// Returns the key of a request under this policy; the arguments of a call are part of it only if a rule reads
    /// them.
    pub fn key(&self, request: &PolicyRequest) -> PolicyKey {
        let mut parts = Parts(Sha256::new_with_prefix(b"palyra.policy-key/v1\0"));
        parts.bytes(self.revision().as_bytes());
        parts.principal(&request.principal);
        parts.text(request.action.as_str());
        parts.resource(&request.resource);
        parts.text(request.context.face.as_str());
        match request.action {
            Action::Invoke => {
                let PolicyContext { labels, writes_outside, approved, arguments, .. } = &request.context;
                [labels.private, labels.untrusted, *writes_outside, *approved]
                    .into_iter()
                    .for_each(|flag| parts.flag(flag));
                if self.reads_arguments() {
                    parts.text(arguments);
                }
            }
            Action::Approve => {
                parts.flag(request.context.elicited);
                parts.principal(request.requester());
            }
            _ => {}
        }
        PolicyKey(parts.0.finalize().into())
    }
}

impl DecisionCache {
    /// Creates an empty cache.
    pub fn new(set: Arc<PolicySet>) -> Self {
        Self::counted(set, Arc::default())
    }

    /// Creates an empty cache that shares its counts with those of earlier policies.
    pub fn counted(set: Arc<PolicySet>, tally: Arc<CacheTally>) -> Self {
        Self { set, made: BoundedCache::counted(MAX_KEPT, tally) }
    }

    /// Returns the policy of the cache.
    pub fn set(&self) -> &Arc<PolicySet> {
        &self.set
    }

    /// Decides a request, or returns the cached decision.
    pub fn evaluate(&self, request: &PolicyRequest) -> Arc<PolicyDecision> {
        let key = self.set.key(request);
        if let Some(decision) = self.made.get(&key) {
            return decision;
        }
        let decision = Arc::new(self.set.evaluate(request));
        self.made.insert(key, Arc::clone(&decision));
        decision
    }

    /// Returns the cache hits and misses, including those of earlier policies.
    pub fn count(&self) -> CacheCount {
        self.made.count()
    }
}

/// A digest over parts with their lengths, so that different lists of parts have different digests.
struct Parts(Sha256);

impl Parts {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn flag(&mut self, flag: bool) {
        self.0.update([u8::from(flag)]);
    }

    fn principal(&mut self, principal: &Principal) {
        self.text(principal.kind.as_str());
        self.text(&principal.id);
        self.0.update([principal.scopes.len() as u8]);
        principal.scopes.iter().for_each(|scope| self.text(scope.wire_name()));
    }

    fn resource(&mut self, resource: &Resource) {
        self.text(resource.kind().as_str());
        match resource {
            Resource::Tool(tool) => {
                [&tool.id, &tool.skill, &tool.publisher].into_iter().for_each(|name| self.text(name));
                self.text(tool.trust.as_str());
                self.flag(tool.sensitive);
                self.flag(tool.requires_approval);
            }
            Resource::Skill(skill) => {
                [&skill.id, &skill.publisher, &skill.version].into_iter().for_each(|name| self.text(name));
                self.text(skill.trust.as_str());
            }
            Resource::Publisher(name) => self.text(name),
            Resource::Daemon => {}
        }
    }
}

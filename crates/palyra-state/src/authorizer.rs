//! The one place that evaluates the access policy.
//!
//! A policy narrows what scopes allow and never widens it. Decisions are made before a write begins; the write fails if
//! the state, of which the policy is a part, has changed since.

mod facts;

use std::sync::Arc;

use palyra_common::tally::{CacheCount, CacheTally};
use palyra_common::{InformationLabels, JsonText, Principal, Transport, canonical_text};
use palyra_policy::{
    Action, DecisionCache, PolicyContext, PolicyDecision, PolicyRequest, PolicySet, Resource,
};
use palyra_skills::install::InstallOutcome;
use palyra_skills::manifest::Risk;
use palyra_skills::{Sha256Digest, SkillRecord};
use parking_lot::RwLock;

pub use facts::{any_tool, requester, resource, unnamed_skill};
use facts::{requester_of, skill_of_release, to_policy, tool, tool_of_approval};

use crate::approvals::{Approval, Presence};
use crate::plugins::AccessPolicy;
use crate::skills::SkillError;
use crate::state::State;
use crate::view::View;

/// Replaces a stored policy that cannot be parsed: the owner can read the state and set another policy.
const UNREADABLE: &str = r#"
@id("stored-policy-unreadable")
@advice("the stored policy cannot be read by this version: show it, then set another policy or reset it")
permit (principal, action in [Action::"read", Action::"admin"], resource)
when { principal.kind == Kind::"owner" };
"#;

/// The policy last in force, parsed, with its cached decisions, by revision.
#[derive(Default)]
pub(crate) struct ParsedPolicy {
    last: RwLock<Option<(u64, Arc<DecisionCache>)>>,
    tally: Arc<CacheTally>,
}

/// Authorizes actions of principals by the policy of one view of the state.
#[derive(Clone)]
pub struct Authorizer {
    view: Arc<View>,
    decisions: Arc<DecisionCache>,
}

/// The entry point of a call, as the access policy sees it.
#[derive(Debug, Clone, Copy)]
pub struct CalledEntry<'c> {
    /// Installed skill that owns the entry point.
    pub record: &'c SkillRecord,
    /// Id of the tool or hook.
    pub tool_id: &'c str,
    /// Risk that the manifest declares for the entry point.
    pub risk: Risk,
}

/// Facts about a call that a policy can use, besides its entry point and arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallFacts {
    /// Labels of the data the session of the call has read.
    pub labels: InformationLabels,
    /// True if the grants of the call permit a write outside the state root.
    pub writes_outside: bool,
}

/// Condition under which a permitted call may start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authorized {
    /// Starts without approval.
    AtOnce,
    /// Starts after a person approves it; the decision names the rules that require approval.
    WithApproval(Arc<PolicyDecision>),
}

impl State {
    /// Returns the authorizer of the policy in force.
    pub fn authorizer(&self) -> Authorizer {
        let view = self.view();
        let decisions = self.parsed_policy.current(&view.plugins().access);
        Authorizer { view, decisions }
    }
}

impl ParsedPolicy {
    fn current(&self, stored: &AccessPolicy) -> Arc<DecisionCache> {
        let last = self.last.read().clone();
        if let Some((_, decisions)) = last.filter(|(revision, _)| *revision == stored.revision) {
            return decisions;
        }
        let set = parse(stored);
        let decisions = Arc::new(DecisionCache::counted(set, Arc::clone(&self.tally)));
        let parsed = Some((stored.revision, Arc::clone(&decisions)));
        *self.last.write() = parsed;
        decisions
    }
}

impl Authorizer {
    /// Returns the policy that decides.
    pub fn policy(&self) -> &Arc<PolicySet> {
        self.decisions.set()
    }

    /// Returns the generation of the state the decisions are about; a write that relies on one checks that it
    /// is unchanged.
    pub fn generation(&self) -> u64 {
        self.view.generation()
    }

    /// Returns hits and misses of the decision cache since the state was opened.
    pub fn cache_count(&self) -> CacheCount {
        self.decisions.count()
    }

    /// Decides whether a principal may perform an action on a resource.
    pub fn decide(&self, principal: &Principal, action: Action, resource: Resource) -> Arc<PolicyDecision> {
        self.evaluate(principal, action, resource, PolicyContext::new(principal.transport))
    }

    /// Authorizes a call. A principal that acts on behalf of another is permitted only if the other one is too.
    pub fn authorize_call(
        &self,
        principal: &Principal,
        entry: CalledEntry<'_>,
        input: &JsonText,
        facts: CallFacts,
    ) -> Result<Authorized, Arc<PolicyDecision>> {
        let creator = match &principal.on_behalf_of {
            Some(on_behalf_of) => self.authorize_call(on_behalf_of, entry, input, facts)?,
            None => Authorized::AtOnce,
        };
        let resource = Resource::Tool(tool(entry.record, entry.tool_id, entry.risk));
        match self.authorize_invoke(principal, resource, input, facts)? {
            Authorized::AtOnce => Ok(creator),
            with_approval => Ok(with_approval),
        }
    }

    /// Authorizes the run of a module that is not an installed skill.
    pub fn authorize_inline(
        &self,
        principal: &Principal,
        input: &JsonText,
        facts: CallFacts,
    ) -> Result<Authorized, Arc<PolicyDecision>> {
        self.authorize_invoke(principal, Resource::Daemon, input, facts)
    }

    /// Authorizes a planned installation. With `promotes` (consent or trust is given along with it) the right
    /// to promote is required as well.
    pub fn authorize_install(
        &self,
        principal: &Principal,
        planned: &InstallOutcome,
        promotes: bool,
    ) -> Result<(), SkillError> {
        let record = &planned.record;
        let release = record.release(planned.payload).unwrap_or(&record.current);
        let actions = [Some(Action::Install), promotes.then_some(Action::Promote)];
        for action in actions.into_iter().flatten() {
            let resource = Resource::Skill(skill_of_release(record, release));
            permitted(self.decide(principal, action, resource)).map_err(|decision| SkillError::Denied {
                skill_id: record.skill_id.clone(),
                version: release.manifest.version.to_string(),
                decision,
            })?;
        }
        Ok(())
    }

    /// Authorizes the decision of an approval. An owner who is present counts as using a terminal, or the console.
    pub(crate) fn authorize_approval(
        &self,
        decider: &Principal,
        presence: Presence,
        approval: &Approval,
    ) -> Result<(), Arc<PolicyDecision>> {
        let transport = match presence {
            Presence::Owner if decider.transport != Transport::Console => Transport::Terminal,
            Presence::Owner | Presence::Unknown | Presence::McpClient => decider.transport,
        };
        let context = PolicyContext {
            elicited: presence == Presence::McpClient,
            requester: Some(requester_of(approval)),
            ..PolicyContext::new(transport)
        };
        let resource = Resource::Tool(tool_of_approval(&self.view, approval));
        permitted(self.evaluate(decider, Action::Approve, resource, context))
    }

    /// Returns the decision that explains which scope the principal lacks, or `None` if it is permitted.
    pub fn explain(
        &self,
        principal: &Principal,
        action: Action,
        resource: Resource,
    ) -> Option<Arc<PolicyDecision>> {
        let requester = (action == Action::Approve).then(|| requester(""));
        let context = PolicyContext { requester, ..PolicyContext::new(principal.transport) };
        let resource = match (action, resource) {
            (Action::Approve, _) | (Action::Invoke, Resource::Tool(_)) => Resource::Tool(any_tool()),
            (_, resource) => resource,
        };
        permitted(self.evaluate(principal, action, resource, context)).err()
    }

    fn authorize_invoke(
        &self,
        principal: &Principal,
        resource: Resource,
        input: &JsonText,
        facts: CallFacts,
    ) -> Result<Authorized, Arc<PolicyDecision>> {
        // Canonicalizing and hashing the arguments is expensive, so it is done only for policies that read the digest.
        let arguments = if self.policy().reads_arguments() {
            Sha256Digest::of(canonical_text(input).as_bytes()).to_string()
        } else {
            String::new()
        };
        let CallFacts { labels, writes_outside } = facts;
        let context =
            PolicyContext { arguments, labels, writes_outside, ..PolicyContext::new(principal.transport) };
        let at_once = self.evaluate(principal, Action::Invoke, resource.clone(), context.clone());
        if at_once.allowed {
            return Ok(Authorized::AtOnce);
        }
        // A rule that no longer applies to an approved call is a rule that requires approval.
        let context = PolicyContext { approved: true, ..context };
        permitted(self.evaluate(principal, Action::Invoke, resource, context))?;
        Ok(Authorized::WithApproval(at_once))
    }

    fn evaluate(
        &self,
        principal: &Principal,
        action: Action,
        resource: Resource,
        context: PolicyContext,
    ) -> Arc<PolicyDecision> {
        let principal = to_policy(principal);
        self.decisions.evaluate(&PolicyRequest { principal, action, resource, context })
    }
}

fn parse(stored: &AccessPolicy) -> Arc<PolicySet> {
    let Some(text) = &stored.text else { return PolicySet::standard() };
    let set =
        if stored.before_labels { PolicySet::parse_before_labels(text) } else { PolicySet::parse(text) };
    let set = set.or_else(|error| {
        tracing::error!(%error, "the stored policy cannot be read");
        PolicySet::parse(UNREADABLE)
    });
    Arc::new(set.unwrap_or_else(|_| PolicySet::nothing()))
}

fn permitted(decision: Arc<PolicyDecision>) -> Result<(), Arc<PolicyDecision>> {
    if decision.allowed { Ok(()) } else { Err(decision) }
}

#[cfg(test)]
mod tests {
    use palyra_common::ScopeSet;

    use super::*;

    #[test]
    fn a_stored_policy_that_cannot_be_read_leaves_the_owner_a_way_back() {
        let stored =
            AccessPolicy { revision: 7, text: Some("permit everything".into()), before_labels: false };
        let decisions = ParsedPolicy::default().current(&stored);
        let decide = |principal: &Principal, action| {
            decisions.evaluate(&PolicyRequest {
                principal: to_policy(principal),
                action,
                resource: Resource::Daemon,
                context: PolicyContext::new(principal.transport),
            })
        };
        let owner = Principal::owner(Transport::Command);
        let reader = Principal::token("reader", [1; 32], ScopeSet::all(), Transport::Http);
        assert!(decide(&owner, Action::Admin).allowed);
        assert!(!decide(&owner, Action::Install).allowed);
        let denied = decide(&reader, Action::Read);
        assert_eq!((denied.allowed, denied.reasons[0].policy.as_str()), (false, "stored-policy-unreadable"));
    }

    #[test]
    fn stored_policy_from_before_labels_asks_for_labelled_calls() {
        let text = "@id(\"all\") @advice(\"all\") permit (principal, action, resource);";
        for before_labels in [true, false] {
            let stored = AccessPolicy { revision: 7, text: Some(text.into()), before_labels };
            let decisions = ParsedPolicy::default().current(&stored);
            let labels = InformationLabels { private: true, untrusted: true };
            let context =
                PolicyContext { labels, writes_outside: true, ..PolicyContext::new(Transport::Agent) };
            let decision = decisions.evaluate(&PolicyRequest {
                principal: to_policy(&Principal::owner(Transport::Command)),
                action: Action::Invoke,
                resource: Resource::Tool(any_tool()),
                context,
            });
            assert_eq!(decision.allowed, !before_labels, "{decision}");
        }
    }
}

//! The access policy: the one place that asks it, for every face.
//!
//! A policy narrows what scopes allow and never widens it. It is read when it changes; decisions are kept.

mod facts;
pub(crate) mod requests;

use std::sync::{Arc, PoisonError, RwLock};

use palyra_api::Problem;
use palyra_common::tally::{CacheCount, CacheTally};
use palyra_common::{JsonText, Scope, canonical_text};
use palyra_policy::{
    Action, DecisionCache, Face, PolicyContext, PolicyDecision, PolicyRequest, PolicySet, PrincipalKind,
    Resource,
};
use palyra_skills::Sha256Digest;
use palyra_skills::install::InstallOutcome;
use palyra_state::call::HookGate;
use palyra_state::{
    AccessPolicy, Approval, ApprovalGate, CallGate, CallQuestion, GateVerdict, InlineGate, SkillError, State,
};
use serde_json::json;

use crate::access::Principal;
use crate::problem::deciding_rule;

pub(crate) use facts::{any_tool, resource, unnamed_skill};
use facts::{requester, requester_of, skill_of_release, tool, tool_of_approval};

/// What is left where the stored policy cannot be read: the owner can look and set another one.
const UNREADABLE: &str = r#"
@id("stored-policy-unreadable")
@advice("the stored policy cannot be read by this version: see `palyra policy show`, then set another or `palyra policy reset`")
permit (principal, action in [Action::"read", Action::"admin"], resource)
when { principal.kind == Kind::"owner" };
"#;

/// The policy requests are under.
#[derive(Default)]
pub(crate) struct Policy {
    held: RwLock<Option<Held>>,
    tally: Arc<CacheTally>,
}

/// A policy that was read, with the decisions it made.
#[derive(Clone)]
struct Held {
    revision: u64,
    cache: Arc<DecisionCache>,
}

/// A question of one principal; what it is about comes with each.
#[derive(Clone)]
pub(crate) struct Asking {
    cache: Arc<DecisionCache>,
    principal: palyra_policy::Principal,
    face: Face,
}

impl Policy {
    /// Whoever asks, under the policy as it is now.
    pub(crate) fn asking(&self, state: &State, principal: &Principal) -> Asking {
        Asking {
            cache: self.current(&state.access_policy()),
            principal: principal.to_policy(),
            face: principal.face,
        }
    }

    /// Something of the daemon itself that calls, and is no token.
    pub(crate) fn asking_as(&self, state: &State, principal: palyra_policy::Principal, face: Face) -> Asking {
        Asking { cache: self.current(&state.access_policy()), principal, face }
    }

    /// The question of every hook: it may be called as a tool may, by whoever has no other right.
    pub(crate) fn hook_gate(self: &Arc<Self>, state: Arc<State>) -> HookGate {
        let policy = Arc::clone(self);
        HookGate::new(move |binding| {
            let principal = palyra_policy::Principal::new(PrincipalKind::Hook, &*binding.id, [Scope::Invoke]);
            Asking { cache: policy.current(&state.access_policy()), principal, face: Face::Hook }.call_gate()
        })
    }

    /// The policy as it is now.
    pub(crate) fn set(&self, state: &State) -> Arc<PolicySet> {
        Arc::clone(self.current(&state.access_policy()).set())
    }

    /// How often a question had been decided before.
    pub(crate) fn cache_count(&self) -> CacheCount {
        self.tally.count()
    }

    fn current(&self, stored: &AccessPolicy) -> Arc<DecisionCache> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(held) = held.filter(|held| held.revision == stored.revision) {
            return held.cache;
        }
        let cache = Arc::new(DecisionCache::counted(read(stored.text.as_deref()), Arc::clone(&self.tally)));
        let held = Held { revision: stored.revision, cache: Arc::clone(&cache) };
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = Some(held);
        cache
    }
}

impl Asking {
    /// Whether an action on something may happen.
    pub(crate) fn decide(&self, action: Action, resource: Resource) -> Arc<PolicyDecision> {
        self.evaluate(action, resource, PolicyContext::new(self.face))
    }

    /// The gate of a call, asked when its tool is known.
    pub(crate) fn call_gate(self) -> CallGate {
        CallGate::new(move |question| self.may_call(question))
    }

    /// The gate of a call that a routine makes: its creator has to be allowed as well.
    pub(crate) fn call_gate_for(self, creator: Self) -> CallGate {
        CallGate::new(move |question| {
            creator.may_call(question)?;
            self.may_call(question)
        })
    }

    fn may_call(&self, question: &CallQuestion<'_>) -> GateVerdict {
        let context =
            PolicyContext { arguments: self.arguments(question.input), ..PolicyContext::new(self.face) };
        let resource = Resource::Tool(tool(question.record, question.tool));
        permitted(self.evaluate(Action::Invoke, resource, context))
    }

    /// The gate of a module that comes with its call.
    pub(crate) fn inline_gate(self) -> InlineGate {
        InlineGate::new(move |question| {
            let arguments = self.arguments(question.input);
            let context = PolicyContext { arguments, ..PolicyContext::new(self.face) };
            permitted(self.evaluate(Action::Invoke, Resource::Daemon, context))
        })
    }

    /// Authorizes a planned installation; consent or trust given along with it needs the right to promote as well.
    pub(crate) fn authorize_install(
        &self,
        planned: &InstallOutcome,
        promotes: bool,
    ) -> Result<(), SkillError> {
        let record = &planned.record;
        let release = record.release(planned.payload).unwrap_or(&record.current);
        let actions = [Some(Action::Install), promotes.then_some(Action::Promote)];
        for action in actions.into_iter().flatten() {
            let resource = Resource::Skill(skill_of_release(record, release));
            permitted(self.decide(action, resource)).map_err(|decision| SkillError::Denied {
                skill_id: record.skill_id.clone(),
                version: release.manifest.version.to_string(),
                decision,
            })?;
        }
        Ok(())
    }

    /// The gate of a decision; the owner who is there decides from a terminal.
    pub(crate) fn approval_gate(self, state: &State, in_person: bool) -> ApprovalGate {
        let face = if in_person { Face::Terminal } else { self.face };
        self.gate(state, PolicyContext::new(face))
    }

    /// The gate of a decision that a person gave their MCP client.
    pub(crate) fn elicited_gate(self, state: &State) -> ApprovalGate {
        let context = PolicyContext { elicited: true, ..PolicyContext::new(self.face) };
        self.gate(state, context)
    }

    fn gate(self, state: &State, came: PolicyContext) -> ApprovalGate {
        // The gate is asked on the thread that writes, which must not wait for a view.
        let view = state.view();
        ApprovalGate::new(move |approval: &Approval| {
            let requester = Some(requester_of(approval));
            let context = PolicyContext { requester, ..came.clone() };
            let resource = Resource::Tool(tool_of_approval(&view, approval));
            permitted(self.evaluate(Action::Approve, resource, context))
        })
    }

    /// Which rule asks for a scope that is missing; nothing where no rule does.
    pub(crate) fn explain(&self, action: Action, resource: Resource) -> Option<Arc<PolicyDecision>> {
        let nobody = (action == Action::Approve).then(|| requester(""));
        let context = PolicyContext { requester: nobody, ..PolicyContext::new(self.face) };
        let resource = match (action, resource) {
            (Action::Approve, _) | (Action::Invoke, Resource::Tool(_)) => Resource::Tool(any_tool()),
            (_, resource) => resource,
        };
        permitted(self.evaluate(action, resource, context)).err()
    }

    /// What somebody is told who lacks the scope of an action.
    pub(crate) fn missing_scope(&self, scope: Scope, action: Action, resource: Resource) -> Problem {
        let rule = self.explain(action, resource);
        Problem::new("forbidden", format!("this needs a token with the scope `{scope}`"))
            .hint(format!("make one with `palyra tokens add NAME --scope {scope}`"))
            .details(
                json!({ "scope": scope, "action": action, "policy": rule.as_deref().map(deciding_rule) }),
            )
    }

    fn evaluate(&self, action: Action, resource: Resource, context: PolicyContext) -> Arc<PolicyDecision> {
        let principal = self.principal.clone();
        self.cache.evaluate(&PolicyRequest { principal, action, resource, context })
    }

    /// The digest of canonical arguments costs something: it is made only for rules that read it.
    fn arguments(&self, input: &JsonText) -> String {
        match self.cache.set().reads_arguments() {
            true => Sha256Digest::of(canonical_text(input).as_bytes()).to_string(),
            false => String::new(),
        }
    }
}

/// Whether the owner could still change a policy once it is in force, from a terminal and from a script.
pub(crate) fn leaves_the_owner_in(set: &PolicySet) -> Result<(), Box<PolicyDecision>> {
    let owner = palyra_policy::Principal::owner(crate::access::OWNER);
    for face in [Face::Terminal, Face::Command] {
        let decision = set.evaluate(&PolicyRequest {
            principal: owner.clone(),
            action: Action::Admin,
            resource: Resource::Daemon,
            context: PolicyContext::new(face),
        });
        if !decision.allowed {
            return Err(Box::new(decision));
        }
    }
    Ok(())
}

/// The action of a route that only says which scope it needs.
pub(crate) fn action_of(scope: Scope) -> Action {
    match scope {
        Scope::Read => Action::Read,
        Scope::Invoke => Action::Invoke,
        Scope::Operate => Action::Operate,
        Scope::Approve | Scope::Elicit => Action::Approve,
        Scope::Admin => Action::Admin,
    }
}

/// The scope an action needs, whatever the policy says.
pub(crate) fn scope_of(action: Action) -> Scope {
    match action {
        Action::Read => Scope::Read,
        Action::Invoke => Scope::Invoke,
        Action::Approve => Scope::Approve,
        Action::Operate | Action::Install => Scope::Operate,
        Action::Promote | Action::Grant | Action::Trust | Action::Vault | Action::Admin => Scope::Admin,
    }
}

/// Calls and decisions are always asked about inside their corridor, where it is known what they are about.
pub(crate) fn is_authorized_by_pipeline(action: Action) -> bool {
    matches!(action, Action::Invoke | Action::Approve)
}

fn read(text: Option<&str>) -> Arc<PolicySet> {
    let Some(text) = text else { return PolicySet::standard() };
    let set = PolicySet::parse(text).or_else(|error| {
        tracing::error!(%error, "the stored policy cannot be read");
        PolicySet::parse(UNREADABLE)
    });
    Arc::new(set.unwrap_or_else(|_| PolicySet::nothing()))
}

fn permitted(decision: Arc<PolicyDecision>) -> Result<(), Arc<PolicyDecision>> {
    if decision.allowed { Ok(()) } else { Err(decision) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn owner(face: Face) -> Principal {
        Principal::owner(face)
    }

    #[test]
    fn a_stored_policy_that_cannot_be_read_leaves_the_owner_a_way_back() {
        let policy = Policy::default();
        let stored = AccessPolicy { revision: 7, text: Some("permit everything".into()) };
        let asking = |principal: &Principal| Asking {
            cache: policy.current(&stored),
            principal: principal.to_policy(),
            face: principal.face,
        };
        let (reader, owner) = (Principal { owner: false, ..owner(Face::Http) }, owner(Face::Command));
        assert!(asking(&owner).decide(Action::Admin, Resource::Daemon).allowed);
        assert!(!asking(&owner).decide(Action::Install, Resource::Daemon).allowed);
        let denied = asking(&reader).decide(Action::Read, Resource::Daemon);
        assert_eq!((denied.allowed, denied.reasons[0].policy.as_str()), (false, "stored-policy-unreadable"));
    }

    #[test]
    fn policy_that_locks_out_the_owner_is_detected() {
        assert!(leaves_the_owner_in(&PolicySet::standard()).is_ok());
        let no_scripts = "@id(\"all\") @advice(\"all\") permit (principal, action, resource);\n\
            @id(\"no-scripts\") @advice(\"scripts do nothing\") forbid (principal, action, resource)\n\
            when { context.face == Face::\"command\" };";
        let shut = leaves_the_owner_in(&PolicySet::parse(no_scripts).unwrap()).unwrap_err();
        assert_eq!(shut.reasons[0].policy, "no-scripts");
        assert!(leaves_the_owner_in(&PolicySet::nothing()).is_err());
    }
}

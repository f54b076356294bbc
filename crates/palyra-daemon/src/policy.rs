//! The access policy on the daemon's side: the action and scope of each route, and the problem of a denial.
//!
//! Decisions are made by [`palyra_state::Authorizer`].

pub(crate) mod requests;

use palyra_api::Problem;
use palyra_common::{ErrorCode, Principal, Scope};
use palyra_policy::{Action, Face, PolicyContext, PolicyDecision, PolicyRequest, PolicySet, Resource};
use palyra_state::Authorizer;
use serde_json::json;

use crate::problem::deciding_rule;

/// Returns the problem of a principal without the scope of an action.
pub(crate) fn missing_scope(
    authorizer: &Authorizer,
    principal: &Principal,
    scope: Scope,
    action: Action,
    resource: Resource,
) -> Problem {
    let rule = authorizer.explain(principal, action, resource);
    Problem::new(ErrorCode::Forbidden, format!("a token with the scope `{scope}` is required"))
        .hint(format!("create one with `palyra tokens add NAME --scope {scope}`"))
        .details(json!({ "scope": scope, "action": action, "policy": rule.as_deref().map(deciding_rule) }))
}

/// Checks that the owner could still change this policy once it is in effect, from a terminal and from a script.
pub(crate) fn leaves_the_owner_in(set: &PolicySet) -> Result<(), Box<PolicyDecision>> {
    let owner = palyra_policy::Principal::owner(palyra_common::principal::OWNER);
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

/// Returns the action of a route that only declares its scope.
pub(crate) fn action_of(scope: Scope) -> Action {
    match scope {
        Scope::Read => Action::Read,
        Scope::Invoke => Action::Invoke,
        Scope::Operate => Action::Operate,
        Scope::Approve | Scope::Elicit => Action::Approve,
        Scope::Admin => Action::Admin,
    }
}

/// Returns the scope that an action requires, regardless of the policy.
pub(crate) fn scope_of(action: Action) -> Scope {
    match action {
        Action::Read => Scope::Read,
        Action::Invoke => Scope::Invoke,
        Action::Approve => Scope::Approve,
        Action::Operate | Action::Install => Scope::Operate,
        Action::Promote | Action::Grant | Action::Trust | Action::Vault | Action::Admin => Scope::Admin,
    }
}

/// Returns whether a pipeline authorizes the action, because only it knows the tool or approval.
pub(crate) fn is_authorized_by_pipeline(action: Action) -> bool {
    matches!(action, Action::Invoke | Action::Approve)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

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

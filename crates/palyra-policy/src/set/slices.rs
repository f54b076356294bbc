//! The rules that can apply to an action on a kind of resource, computed once per policy.
//!
//! The engine evaluates every rule of a set for every request. A rule whose scope names another action or another
//! kind of resource never applies, so each pair has a set without those rules.

use crate::entities::{action_uid, type_name};
use crate::text::CheckedRule;
use crate::vocabulary::{Action, ResourceKind, resources};
use cedar_policy::{ActionConstraint, Policy, PolicySet, ResourceConstraint};
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Slices(HashMap<(Action, ResourceKind), PolicySet>);

impl Slices {
    pub(super) fn new(rules: &[CheckedRule]) -> Result<Self, String> {
        let mut slices = HashMap::new();
        for action in Action::ALL.iter().copied() {
            for kind in resources(action).iter().copied() {
                let rules = rules.iter().map(|rule| &rule.policy);
                let about = rules.filter(|policy| can_apply(policy, action, kind)).cloned();
                let set = PolicySet::from_policies(about).map_err(|error| error.to_string())?;
                slices.insert((action, kind), set);
            }
        }
        Ok(Self(slices))
    }

    pub(super) fn get(&self, action: Action, kind: ResourceKind) -> Option<&PolicySet> {
        self.0.get(&(action, kind))
    }
}

/// Returns whether the scope of a rule lets it apply to the pair. Returns `true` if that depends on more than the pair.
fn can_apply(policy: &Policy, action: Action, kind: ResourceKind) -> bool {
    let (Some(action), Some(kind)) = (action_uid(action), type_name(kind)) else { return true };
    let of_action = match policy.action_constraint() {
        ActionConstraint::Any => true,
        ActionConstraint::Eq(only) => only == action,
        ActionConstraint::In(list) => list.contains(&action),
    };
    of_action
        && match policy.resource_constraint() {
            ResourceConstraint::Any | ResourceConstraint::In(_) => true,
            ResourceConstraint::Eq(only) => only.type_name() == kind,
            ResourceConstraint::Is(only) | ResourceConstraint::IsIn(only, _) => only == *kind,
        }
}

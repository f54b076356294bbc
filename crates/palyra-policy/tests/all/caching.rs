//! Tests of the decision cache: a cached decision is returned for the same request only.

use crate::requests::{any_request, default_policy, request, resource};
use palyra_policy::{Action, DecisionCache, PolicySet, PrincipalKind, ResourceKind, Scope, TrustState};
use proptest::prelude::*;
use std::sync::{Arc, LazyLock};

static CACHE: LazyLock<DecisionCache> = LazyLock::new(|| DecisionCache::new(Arc::new(default_policy())));
/// The default policy, with additional rules that read everything a rule can see.
static READER: LazyLock<DecisionCache> = LazyLock::new(|| {
    let text = r#"
@id("all") @advice("all") permit (principal, action, resource)
when { principal.name != "a" && principal.scopes.contains(Scope::"read") };
@id("calls") @advice("calls") forbid (principal, action == Action::"invoke", resource)
when { context.arguments == "" };
@id("labels") @advice("labels") forbid (principal, action == Action::"invoke", resource)
when { context.labels.contains(Label::"private") && context.writes_outside } unless { context.approved };
@id("approvals") @advice("approvals") forbid (principal, action == Action::"approve", resource)
when { context.requester.kind == Kind::"hook" || context.requester.name == "" || context.elicited };
@id("tools") @advice("tools") forbid (principal, action, resource is Tool)
when { resource.sensitive && !resource.requires_approval && resource.trust == Trust::"tofu" };
"#;
    DecisionCache::new(Arc::new(PolicySet::parse(text).unwrap()))
});

proptest! {
    #[test]
    fn a_cached_decision_is_the_decision(asked in any_request()) {
        for cache in [&*CACHE, &*READER] {
            let decision = cache.set().evaluate(&asked);
            prop_assert_eq!(&*cache.evaluate(&asked), &decision);
            prop_assert_eq!(&*cache.evaluate(&asked), &decision);
        }
    }

    #[test]
    fn one_key_is_one_decision(one in any_request(), other in any_request()) {
        for cache in [&*CACHE, &*READER] {
            let set = cache.set();
            if set.key(&one) == set.key(&other) {
                prop_assert_eq!(set.evaluate(&one), set.evaluate(&other));
            }
        }
    }
}

#[test]
fn a_key_holds_what_a_rule_can_see() {
    let tool = || resource(ResourceKind::Tool, TrustState::Trusted);
    let one = request(PrincipalKind::Token, &[Scope::Invoke], Action::Invoke, tool());
    let mut other = one.clone();
    other.context.arguments = "00".into();
    // No rule of the default policy reads the arguments, so all calls of a tool share a decision.
    assert_eq!(CACHE.set().key(&one), CACHE.set().key(&other));
    assert_ne!(READER.set().key(&one), READER.set().key(&other));
    // Lengths are part of the key: names cannot be shifted between fields.
    let skill = |id: &str, publisher: &str| {
        let mut asked = one.clone();
        asked.resource = palyra_policy::Resource::Skill(palyra_policy::Skill {
            id: id.into(),
            publisher: publisher.into(),
            version: "1.0.0".into(),
            trust: TrustState::Tofu,
        });
        CACHE.set().key(&asked)
    };
    assert_ne!(skill("ab", "c"), skill("a", "bc"));
    assert_ne!(CACHE.set().key(&one), READER.set().key(&one));
}

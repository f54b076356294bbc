//! Properties of every decision, tested with generated requests.

use crate::requests::{any_request, default_policy};
use palyra_policy::{Action, PolicySet, PolicyVerdict, PrincipalKind, Scope};
use proptest::prelude::*;
use std::sync::LazyLock;

static SET: LazyLock<PolicySet> = LazyLock::new(default_policy);
/// The default policy, and one rule that permits everything.
static OPEN: LazyLock<PolicySet> = LazyLock::new(|| {
    let all = "\n@id(\"all\") @advice(\"everything\") permit (principal, action, resource);\n";
    PolicySet::parse(&format!("{}{all}", palyra_policy::DEFAULT_POLICY)).unwrap()
});

fn is_program(kind: PrincipalKind) -> bool {
    !matches!(kind, PrincipalKind::Owner | PrincipalKind::Token)
}

proptest! {
    #[test]
    fn without_a_scope_nothing_is_allowed(mut asked in any_request()) {
        asked.principal.scopes.clear();
        prop_assert!(!SET.evaluate(&asked).allowed);
    }

    #[test]
    fn approving_is_implied_by_no_other_scope(mut asked in any_request()) {
        asked.action = Action::Approve;
        asked.principal.scopes.remove(&Scope::Approve);
        asked.principal.scopes.remove(&Scope::Elicit);
        prop_assert!(!SET.evaluate(&asked).allowed);
        asked.principal.scopes.insert(Scope::Elicit);
        if SET.evaluate(&asked).allowed {
            prop_assert!(asked.principal.kind == PrincipalKind::Mcp && asked.context.elicited);
        }
    }

    #[test]
    fn a_rule_that_forbids_wins(asked in any_request()) {
        let decision = SET.evaluate(&asked);
        let open = OPEN.evaluate(&asked);
        match decision.verdict {
            PolicyVerdict::Forbidden | PolicyVerdict::NotAQuestion => {
                prop_assert_eq!((open.allowed, open.verdict, open.reasons), (false, decision.verdict, decision.reasons));
            }
            _ => prop_assert!(open.allowed, "{}", open),
        }
    }

    #[test]
    fn programs_never_widen_whatever_permits(asked in any_request()) {
        let widens = matches!(
            asked.action,
            Action::Install | Action::Promote | Action::Grant | Action::Trust | Action::Vault | Action::Admin
        );
        let approves = asked.action == Action::Approve && !asked.context.elicited;
        if is_program(asked.principal.kind) && (widens || approves) {
            prop_assert!(!OPEN.evaluate(&asked).allowed);
        }
    }

    #[test]
    fn a_decision_is_the_same_each_time_and_gives_its_rules(asked in any_request()) {
        let decision = SET.evaluate(&asked);
        prop_assert_eq!(&SET.evaluate(&asked), &decision);
        prop_assert_eq!(decision.revision, SET.revision());
        prop_assert_eq!(decision.allowed, decision.verdict == PolicyVerdict::Permitted);
        prop_assert!(!matches!(decision.verdict, PolicyVerdict::Failed { .. }), "{}", decision);
        if decision.verdict != PolicyVerdict::NotAQuestion {
            prop_assert!(!decision.reasons.is_empty());
        }
        let written = serde_json::to_string(&decision).unwrap();
        prop_assert_eq!(serde_json::from_str::<palyra_policy::PolicyDecision>(&written).unwrap(), decision);
    }

    /// With the scope that is reported as missing, the request is allowed.
    #[test]
    fn a_missing_scope_would_be_enough(mut asked in any_request()) {
        if let PolicyVerdict::NotPermitted { missing_scope: Some(scope) } = SET.evaluate(&asked).verdict {
            prop_assert!(asked.principal.scopes.insert(scope));
            prop_assert!(SET.evaluate(&asked).allowed);
        }
    }
}

//! The text of a policy: read or refused with a place in it, and what is read decides the same each time.

use palyra_policy::{
    Action, Face, PolicyContext, PolicyRequest, PolicySet, Principal, PrincipalKind, Resource, Scope,
};

/// Takes the bytes as the text of a policy.
pub fn check_policy_text(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match PolicySet::parse(text) {
        Ok(set) => check_decisions(&set, text),
        Err(error) => {
            assert!(error.line >= 1 && error.line <= text.split('\n').count(), "a place outside of the text");
            assert!(error.column >= 1 && !error.hint().is_empty(), "a refusal without a hint");
        }
    }
}

fn check_decisions(set: &PolicySet, text: &str) {
    let again = PolicySet::parse(text).expect("a text is a policy once and for all");
    assert_eq!(set.revision(), again.revision());
    for action in Action::ALL.iter().copied() {
        let request = PolicyRequest {
            principal: Principal::new(
                PrincipalKind::Token,
                text.chars().take(40).collect::<String>(),
                [Scope::Read],
            ),
            action,
            resource: Resource::Daemon,
            context: PolicyContext::new(Face::Http),
        };
        let decision = set.evaluate(&request);
        assert_eq!(decision, again.evaluate(&request), "a policy has two opinions");
        assert_eq!(set.key(&request), again.key(&request));
    }
}

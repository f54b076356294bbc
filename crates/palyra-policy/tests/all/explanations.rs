//! Every decision names the rules that made it, with their text.

use crate::requests::{default_policy, request, resource};
use palyra_policy::{Action, PolicySet, PolicyVerdict, PrincipalKind, ResourceKind, Scope, TrustState};

#[test]
fn decisions_in_words() {
    let set = default_policy();
    let tool = |trust| resource(ResourceKind::Tool, trust);
    let daemon = || resource(ResourceKind::Daemon, TrustState::Trusted);
    let cases = [
        request(PrincipalKind::Token, &[Scope::Invoke], Action::Invoke, tool(TrustState::Tofu)),
        request(PrincipalKind::Token, &[Scope::Read], Action::Invoke, tool(TrustState::Tofu)),
        request(PrincipalKind::Token, &[Scope::Invoke], Action::Invoke, tool(TrustState::Revoked)),
        request(PrincipalKind::Token, &[], Action::Invoke, daemon()),
        request(PrincipalKind::Token, &[Scope::Invoke], Action::Invoke, daemon()),
        request(PrincipalKind::Agent, &Scope::ALL, Action::Vault, daemon()),
        request(PrincipalKind::Hook, &Scope::ALL, Action::Approve, tool(TrustState::Trusted)),
        request(PrincipalKind::Owner, &Scope::ALL, Action::Admin, tool(TrustState::Trusted)),
    ];
    let told: Vec<String> = cases.iter().map(|asked| set.evaluate(asked).to_string()).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn an_empty_policy_permits_nothing_and_says_so() {
    let set = PolicySet::parse("// nothing\n").unwrap();
    let asked = request(
        PrincipalKind::Owner,
        &Scope::ALL,
        Action::Read,
        resource(ResourceKind::Daemon, TrustState::Trusted),
    );
    let decision = set.evaluate(&asked);
    assert_eq!(decision.verdict, PolicyVerdict::NotPermitted { missing_scope: None });
    assert_eq!(decision.to_string(), "no rule permits `read` on the daemon for any principal");
}

/// A rule the engine would skip because it fails must not let a request through.
#[test]
fn a_rule_that_fails_denies() {
    let text = r#"
@id("all") @advice("everything") permit (principal, action, resource);
@id("sums") @advice("sums") forbid (principal, action, resource) when { 9223372036854775807 + 1 > 0 };
"#;
    let set = PolicySet::parse(text).unwrap();
    let asked = request(
        PrincipalKind::Owner,
        &Scope::ALL,
        Action::Read,
        resource(ResourceKind::Daemon, TrustState::Trusted),
    );
    let decision = set.evaluate(&asked);
    assert!(!decision.allowed);
    assert!(matches!(decision.verdict, PolicyVerdict::Failed { .. }), "{decision}");
    assert_eq!(decision.reasons.iter().map(|reason| reason.line).collect::<Vec<_>>(), [3]);
}

/// Rules can be about one principal, one publisher, one skill.
#[test]
fn rules_can_name_who_and_what() {
    let text = r#"
@id("ci") @advice("ci calls the notes of acme")
permit (principal == Principal::"token/ci", action == Action::"invoke", resource in Skill::"acme.notes");
@id("acme") @advice("tools of acme are looked at by anybody")
permit (principal, action == Action::"read", resource in Publisher::"acme");
@id("named") @advice("what is called add is not called by hooks")
forbid (principal, action == Action::"invoke", resource is Tool) when { resource.name like "*.add" && principal.kind == Kind::"hook" };
"#;
    let set = PolicySet::parse(text).unwrap();
    let tool = || resource(ResourceKind::Tool, TrustState::Trusted);
    let mut asked = request(PrincipalKind::Token, &[], Action::Invoke, tool());
    assert!(!set.evaluate(&asked).allowed);
    asked.principal.id = "ci".into();
    assert!(set.evaluate(&asked).allowed);
    asked.principal.kind = PrincipalKind::Hook;
    assert_eq!(set.evaluate(&asked).verdict, PolicyVerdict::Forbidden);
    for on in [ResourceKind::Tool, ResourceKind::Skill] {
        assert!(
            set.evaluate(&request(PrincipalKind::Token, &[], Action::Read, resource(on, TrustState::Tofu)))
                .allowed
        );
    }
    let daemon = resource(ResourceKind::Daemon, TrustState::Tofu);
    assert!(!set.evaluate(&request(PrincipalKind::Token, &[], Action::Read, daemon)).allowed);
}

//! Names that could be interpreted as syntax or as another name.

use crate::requests::{default_policy, request, resource};
use palyra_policy::{
    Action, PolicySet, Principal, PrincipalKind, Resource, ResourceKind, Scope, Skill, Tool, TrustState,
};

fn hostile_names() -> Vec<String> {
    let mut names: Vec<String> = [
        "\"",
        "\\",
        "\\\"",
        "ci\" || true || principal == Principal::\"",
        "token/ci\"}; permit(principal, action, resource); //",
        "ci\0",
        "\u{202e}ic",
        "c\u{200b}i",
        "сi",
        "CI",
        "ci ",
        "ci/",
        "../ci",
        "Principal::\"token/ci\"",
        "?principal",
        "*",
        "",
    ]
    .map(str::to_owned)
    .into();
    names.push("ci".repeat(5_000));
    names
}

/// A rule about `ci` applies to `ci` and to no similar name.
#[test]
fn no_name_is_taken_for_another() {
    let text = r#"@id("ci") @advice("ci reads") permit (principal == Principal::"token/ci", action == Action::"read", resource);"#;
    let set = PolicySet::parse(text).unwrap();
    let daemon = || resource(ResourceKind::Daemon, TrustState::Trusted);
    let ask = |kind: PrincipalKind, id: &str| {
        let mut asked = request(kind, &[], Action::Read, daemon());
        asked.principal = Principal::new(kind, id, []);
        set.evaluate(&asked).allowed
    };
    assert!(ask(PrincipalKind::Token, "ci"));
    for name in hostile_names() {
        assert!(!ask(PrincipalKind::Token, &name), "{name:?}");
    }
    for kind in PrincipalKind::ALL.iter().copied().filter(|kind| *kind != PrincipalKind::Token) {
        for name in ["ci", "token/ci", "/ci"] {
            assert!(!ask(kind, name), "{kind} {name}");
        }
    }
}

/// A name never changes a decision, wherever it occurs in the request.
#[test]
fn names_change_no_decision() {
    let set = default_policy();
    for name in hostile_names() {
        let (skill, publisher) = (name.clone(), name.clone());
        let tool = |trust| {
            Resource::Tool(Tool {
                id: name.clone(),
                skill: skill.clone(),
                publisher: publisher.clone(),
                trust,
                sensitive: true,
                requires_approval: true,
            })
        };
        let with_name = |scopes: &[Scope], action, resource| {
            let mut asked = request(PrincipalKind::Token, scopes, action, resource);
            asked.principal.id.clone_from(&name);
            asked.context.arguments.clone_from(&name);
            set.evaluate(&asked)
        };
        assert!(with_name(&[Scope::Invoke], Action::Invoke, tool(TrustState::Trusted)).allowed);
        assert!(!with_name(&[Scope::Read], Action::Invoke, tool(TrustState::Trusted)).allowed);
        assert!(!with_name(&Scope::ALL, Action::Invoke, tool(TrustState::Revoked)).allowed);
        let skill = Resource::Skill(Skill {
            id: name.clone(),
            publisher: name.clone(),
            version: name.clone(),
            trust: TrustState::Tofu,
        });
        assert!(with_name(&[Scope::Admin], Action::Promote, skill.clone()).allowed);
        let decision = with_name(&[Scope::Operate], Action::Promote, skill);
        assert!(!decision.allowed);
        // The message consists of the policy's own text, so a name cannot appear in it.
        assert!(name.is_empty() || name.len() < 3 || !decision.to_string().contains(&name), "{decision}");
        assert!(with_name(&[Scope::Admin], Action::Trust, Resource::Publisher(name.clone())).allowed);
    }
}

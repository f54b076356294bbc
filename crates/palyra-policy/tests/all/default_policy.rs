//! The default policy as a readable table, and the statements of the design about it.

use crate::requests::{default_policy, request, resource};
use palyra_common::InformationLabels;
use palyra_policy::{
    Action, Face, PolicyRequest, PolicySet, PolicyVerdict, Principal, PrincipalKind, ResourceKind, Scope,
    TrustState, resources,
};
use std::fmt::Write as _;

/// Each kind of caller has every scope, so the table shows the restrictions that no scope lifts.
#[test]
fn who_may_do_what_with_every_scope() {
    let set = default_policy();
    let mut table = String::from("action   on         trust       ");
    for kind in PrincipalKind::ALL {
        write!(table, " {kind:<8}").unwrap();
    }
    for action in Action::ALL.iter().copied() {
        for on in resources(action).iter().copied() {
            let trusts = match on {
                ResourceKind::Tool | ResourceKind::Skill => TrustState::ALL,
                _ => &[TrustState::Trusted],
            };
            for trust in trusts.iter().copied() {
                let shown = if trusts.len() > 1 { trust.as_str() } else { "" };
                write!(table, "\n{:<8} {:<10} {shown:<12}", action.as_str(), on.as_str()).unwrap();
                for kind in PrincipalKind::ALL.iter().copied() {
                    let asked = request(kind, &Scope::ALL, action, resource(on, trust));
                    let word = if set.evaluate(&asked).allowed { "yes" } else { "-" };
                    write!(table, " {word:<8}").unwrap();
                }
            }
        }
    }
    let table: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    insta::assert_snapshot!(table);
}

/// The permissions of each scope alone, for a minted token: no scope implies another.
#[test]
fn what_each_scope_is_good_for() {
    let set = default_policy();
    let mut table = String::new();
    for scope in Scope::ALL.iter().copied() {
        let allowed = Action::ALL.iter().copied().flat_map(|action| {
            let on = resources(action).iter().copied();
            on.map(move |on| (action, on))
        });
        let allowed: Vec<String> = allowed
            .filter(|(action, on)| {
                let asked =
                    request(PrincipalKind::Token, &[scope], *action, resource(*on, TrustState::Trusted));
                set.evaluate(&asked).allowed
            })
            .map(|(action, on)| format!("{action} {on}"))
            .collect();
        writeln!(table, "{:<8} {}", scope.wire_name(), allowed.join(", ")).unwrap();
    }
    insta::assert_snapshot!(table);
}

fn approval(decides: Principal, face: Face, asked: Option<Principal>, elicited: bool) -> PolicyRequest {
    let tool = resource(ResourceKind::Tool, TrustState::Trusted);
    let mut request = request(decides.kind, &[], Action::Approve, tool);
    request.principal = decides;
    request.context.face = face;
    request.context.requester = asked;
    request.context.elicited = elicited;
    request
}

/// A requester cannot decide the own call; only the owner in person can.
#[test]
fn requester_cannot_decide_own_request_except_owner_in_person() {
    let set = default_policy();
    let owner = Principal::owner("me");
    let token = |id: &str| Principal::new(PrincipalKind::Token, id, Scope::ALL.iter().copied());
    let cases = [
        (approval(owner.clone(), Face::Terminal, Some(owner.clone()), false), true),
        (approval(owner.clone(), Face::Console, Some(owner.clone()), false), true),
        (approval(owner.clone(), Face::Http, Some(owner.clone()), false), false),
        (approval(owner.clone(), Face::Command, Some(owner.clone()), false), false),
        (approval(owner.clone(), Face::Http, Some(token("ci")), false), true),
        (approval(token("ci"), Face::Http, Some(token("ci")), false), false),
        (approval(token("ci"), Face::Terminal, Some(token("ci")), false), false),
        (approval(token("ci"), Face::Console, Some(token("ci")), false), false),
        (approval(token("boss"), Face::Http, Some(token("ci")), false), true),
        // The requester is unknown and may therefore be the approver.
        (approval(token("boss"), Face::Http, None, false), false),
        (approval(owner.clone(), Face::Terminal, None, false), true),
        // A name alone is not an identity: the token `me` is not the owner `me`.
        (approval(token("me"), Face::Http, Some(owner), false), true),
    ];
    for (asked, expected) in cases {
        let decision = set.evaluate(&asked);
        assert_eq!(decision.allowed, expected, "{asked:?}: {decision}");
    }
}

/// An approval given in an MCP client is valid only if the operator gave its token the scope.
#[test]
fn elicitation_counts_only_for_a_token_that_may() {
    let set = default_policy();
    let client = |scopes: &[Scope]| Principal::new(PrincipalKind::Mcp, "editor", scopes.iter().copied());
    let ask = |scopes: &[Scope], face, elicited| {
        set.evaluate(&approval(client(scopes), face, Some(client(scopes)), elicited))
    };
    let (minted, enabled) = ([Scope::Read, Scope::Invoke], [Scope::Read, Scope::Invoke, Scope::Elicit]);
    assert!(!ask(&minted, Face::Mcp, true).allowed);
    // A token that can decide calls of others cannot decide its own.
    assert!(!ask(&[Scope::Read, Scope::Invoke, Scope::Approve], Face::Mcp, true).allowed);
    assert!(!ask(&enabled, Face::Mcp, false).allowed);
    assert!(!ask(&enabled, Face::Http, true).allowed);
    assert!(ask(&enabled, Face::Mcp, true).allowed);
    let agent = Principal::new(PrincipalKind::Agent, "loop", Scope::ALL.iter().copied());
    assert!(!set.evaluate(&approval(agent, Face::Mcp, None, true)).allowed);
}

/// The owner's token gives no access to a program that obtained it.
#[test]
fn the_owners_token_is_for_a_person() {
    let set = default_policy();
    for face in [Face::Mcp, Face::Agent, Face::Hook, Face::Routine] {
        let mut asked = request(
            PrincipalKind::Owner,
            &Scope::ALL,
            Action::Read,
            resource(ResourceKind::Daemon, TrustState::Trusted),
        );
        asked.context.face = face;
        let decision = set.evaluate(&asked);
        assert_eq!(decision.verdict, PolicyVerdict::Forbidden, "{decision}");
        assert_eq!(decision.reasons[0].policy, "owner-in-person");
    }
}

/// Once a session has read both kinds of content, every call that can send data outside needs approval.
#[test]
fn labelled_session_needs_approval_for_writes_outside() {
    let set = default_policy();
    let agent = |private, untrusted, writes_outside, approved| {
        let tool = resource(ResourceKind::Tool, TrustState::Trusted);
        let mut asked = request(PrincipalKind::Agent, &[Scope::Invoke], Action::Invoke, tool);
        asked.context.labels = InformationLabels { private, untrusted };
        (asked.context.writes_outside, asked.context.approved) = (writes_outside, approved);
        set.evaluate(&asked)
    };
    for bits in 0..8 {
        let [private, untrusted, writes] = [bits & 1, bits & 2, bits & 4].map(|bit| bit != 0);
        let decision = agent(private, untrusted, writes, false);
        assert_eq!(decision.allowed, bits != 7, "{bits}: {decision}");
        assert!(agent(private, untrusted, writes, true).allowed, "{bits}");
    }
    assert_eq!(agent(true, true, true, false).reasons[0].policy, "labelled-session-asks");
}

/// A policy from before rules could read labels keeps its text, and the default rule about labels applies as well.
#[test]
fn older_policy_gets_the_rule_about_labels() {
    let own = "@id(\"all\") @advice(\"all\")\npermit (principal, action, resource);\n// end";
    let asked = {
        let tool = resource(ResourceKind::Tool, TrustState::Trusted);
        let mut asked = request(PrincipalKind::Agent, &[Scope::Invoke], Action::Invoke, tool);
        asked.context.labels = InformationLabels { private: true, untrusted: true };
        asked.context.writes_outside = true;
        asked
    };
    assert!(PolicySet::parse(own).unwrap().evaluate(&asked).allowed, "an operator may leave the rule out");
    let older = PolicySet::parse_before_labels(own).unwrap();
    let decision = older.evaluate(&asked);
    assert_eq!((decision.allowed, decision.reasons[0].policy.as_str()), (false, "labelled-session-asks"));
    // The displayed text is the policy in effect, and can be set again.
    let shown = PolicySet::parse(older.text()).unwrap();
    assert_eq!(shown.revision(), older.revision());
    assert_eq!(shown.evaluate(&asked), decision);
    let named = "@id(\"labelled-session-asks\") @advice(\"mine\") permit (principal, action, resource);";
    assert_eq!(PolicySet::parse_before_labels(named).unwrap().text(), named);
}

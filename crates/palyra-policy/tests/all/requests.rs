//! Requests for tests, fixed or generated.

use palyra_common::InformationLabels;
use palyra_policy::{
    Action, DEFAULT_POLICY, Face, PolicyContext, PolicyRequest, PolicySet, Principal, PrincipalKind,
    Resource, ResourceKind, Scope, Skill, Tool, TrustState,
};
use proptest::prelude::*;

pub(crate) fn default_policy() -> PolicySet {
    PolicySet::parse(DEFAULT_POLICY).unwrap()
}

/// Creates a resource of a kind, with a skill of the given trust state.
pub(crate) fn resource(kind: ResourceKind, trust: TrustState) -> Resource {
    let (skill, publisher) = ("acme.notes".to_owned(), "acme".to_owned());
    match kind {
        ResourceKind::Tool => Resource::Tool(Tool {
            id: "acme.notes.add".into(),
            skill,
            publisher,
            trust,
            sensitive: false,
            requires_approval: false,
        }),
        ResourceKind::Skill => {
            Resource::Skill(Skill { id: skill, publisher, version: "1.0.0".into(), trust })
        }
        ResourceKind::Publisher => Resource::Publisher(publisher),
        ResourceKind::Daemon => Resource::Daemon,
    }
}

/// The usual transport of a kind of principal.
pub(crate) fn usual_face(kind: PrincipalKind) -> Face {
    match kind {
        PrincipalKind::Owner => Face::Terminal,
        PrincipalKind::Token => Face::Http,
        PrincipalKind::Mcp => Face::Mcp,
        PrincipalKind::Hook => Face::Hook,
        PrincipalKind::Routine => Face::Routine,
        PrincipalKind::Agent => Face::Agent,
    }
}

/// A request of a principal over its usual transport. A call to approve has another requester.
pub(crate) fn request(
    kind: PrincipalKind,
    scopes: &[Scope],
    action: Action,
    resource: Resource,
) -> PolicyRequest {
    let other = Principal::new(PrincipalKind::Token, "other", [Scope::Invoke]);
    PolicyRequest {
        principal: Principal::new(kind, "caller", scopes.iter().copied()),
        action,
        resource,
        context: PolicyContext { requester: Some(other), ..PolicyContext::new(usual_face(kind)) },
    }
}

pub(crate) fn any_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

/// Text that has a meaning in rules, or none.
pub(crate) fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("owner/owner".to_owned()),
        Just("\"]; permit(principal, action, resource); //".to_owned()),
        "[a-z.]{1,12}",
        ".{0,24}",
    ]
}

fn any_principal() -> impl Strategy<Value = Principal> {
    let scopes = prop::collection::btree_set(any_of(&Scope::ALL), 0..=Scope::ALL.len());
    (any_name(), any_of(PrincipalKind::ALL), scopes).prop_map(|(id, kind, scopes)| Principal {
        id,
        kind,
        scopes,
    })
}

fn any_resource() -> impl Strategy<Value = Resource> {
    let names = (any_name(), any_name(), any_name());
    (any_of(ResourceKind::ALL), names, any_of(TrustState::ALL), any::<bool>(), any::<bool>()).prop_map(
        |(kind, (id, skill, publisher), trust, sensitive, requires_approval)| match kind {
            ResourceKind::Tool => {
                Resource::Tool(Tool { id, skill, publisher, trust, sensitive, requires_approval })
            }
            ResourceKind::Skill => Resource::Skill(Skill { id, publisher, version: "1.0.0".into(), trust }),
            ResourceKind::Publisher => Resource::Publisher(id),
            ResourceKind::Daemon => Resource::Daemon,
        },
    )
}

fn any_context() -> impl Strategy<Value = PolicyContext> {
    let flags = prop::array::uniform5(any::<bool>());
    (any_of(Face::ALL), any_name(), prop::option::of(any_principal()), flags).prop_map(
        |(face, arguments, requester, flags)| {
            let [private, untrusted, writes_outside, approved, elicited] = flags;
            let labels = InformationLabels { private, untrusted };
            PolicyContext { face, arguments, labels, writes_outside, approved, requester, elicited }
        },
    )
}

pub(crate) fn any_request() -> impl Strategy<Value = PolicyRequest> {
    (any_principal(), any_of(Action::ALL), any_resource(), any_context()).prop_map(
        |(principal, action, resource, context)| PolicyRequest { principal, action, resource, context },
    )
}

//! Principals: created by the transport that authenticated the request and passed to every decision.

use std::borrow::Cow;
use std::sync::Arc;

use crate::access::{Scope, ScopeSet};
use crate::named_values::named_values;

/// The name of the owner of a state root, which no token can have.
pub const OWNER: &str = "owner";

/// The actor of a request, with every fact that a decision can depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The kind, as in access rules.
    pub kind: PrincipalKind,
    /// The name among principals of the same kind. [`Principal::actor`] is unique among all.
    pub name: String,
    /// The SHA-256 of the token; `None` for the owner, hooks and routines.
    pub identity: Option<[u8; 32]>,
    /// The upper bound of what the principal is permitted.
    pub scopes: ScopeSet,
    /// The transport by which the request arrived.
    pub transport: Transport,
    /// The principal it acts for, which must be allowed as well and counts as the requester.
    pub on_behalf_of: Option<Arc<Self>>,
}

named_values! {
    /// Kind of principal.
    #[schema(as = PolicyKind)]
    PrincipalKind in "Kind" {
        /// The person who owns the state root.
        Owner = "owner",
        /// The holder of a minted token.
        Token = "token",
        /// A model behind an MCP client, under a token.
        Mcp = "mcp",
        /// A hook that runs for an event.
        Hook = "hook",
        /// A routine that runs on its schedule.
        Routine = "routine",
        /// The model of the agent loop.
        Agent = "agent",
    }
}

named_values! {
    /// Transport of a request.
    #[schema(as = PolicyFace)]
    Transport in "Face" {
        /// `palyra` with a person at the terminal.
        Terminal = "terminal",
        /// `palyra` without a person: a script or a pipe.
        Command = "command",
        /// The console in a browser.
        Console = "console",
        /// The HTTP API, outside of the console.
        Http = "http",
        /// The gRPC API.
        Grpc = "grpc",
        /// An MCP client.
        Mcp = "mcp",
        /// The loop of the agent.
        Agent = "agent",
        /// The delivery of an event to a hook.
        Hook = "hook",
        /// The scheduler of routines.
        Routine = "routine",
    }
}

named_values! {
    /// The action; see `docs/policy.md`.
    #[schema(as = PolicyAction)]
    Action in "Action" {
        /// Read anything except secrets.
        Read = "read",
        /// Call a tool, or run a module that is part of the request.
        Invoke = "invoke",
        /// Approve or deny a waiting call.
        Approve = "approve",
        /// Cancel, replay, verify, audit, quarantine, disable, configure a plugin, seal a checkpoint.
        Operate = "operate",
        /// Install, update, roll back or remove a release.
        Install = "install",
        /// Enable a release, consent to its permissions, accept a finding, lift a quarantine.
        Promote = "promote",
        /// Change the grants of a plugin: profiles, mapped directories, addresses.
        Grant = "grant",
        /// Manage trusted publishers, or repair the state.
        Trust = "trust",
        /// Put or delete a secret or a signing key.
        Vault = "vault",
        /// Manage tokens and policies, or stop the daemon.
        Admin = "admin",
    }
}

impl Principal {
    /// Creates the owner of the state root, who has every scope.
    pub fn owner(transport: Transport) -> Self {
        Self { scopes: ScopeSet::all(), ..Self::new(PrincipalKind::Owner, OWNER, transport) }
    }

    /// Creates the holder of the token with this SHA-256.
    pub fn token(
        name: impl Into<String>,
        identity: [u8; 32],
        scopes: ScopeSet,
        transport: Transport,
    ) -> Self {
        let principal = Self::new(PrincipalKind::Token, name, transport);
        Self { identity: Some(identity), scopes, ..principal }.arriving_by(transport)
    }

    /// Creates a routine, which acts for its creator and can only call tools.
    pub fn routine(name: impl Into<String>, creator: Arc<Self>) -> Self {
        let principal = Self::new(PrincipalKind::Routine, name, Transport::Routine);
        Self { on_behalf_of: Some(creator), scopes: [Scope::Invoke].into_iter().collect(), ..principal }
    }

    /// Creates the agent of a session, which acts for its creator and can at most read and call tools.
    pub fn agent(creator: Arc<Self>) -> Self {
        let scopes = [Scope::Read, Scope::Invoke].into_iter().filter(|scope| creator.may(*scope)).collect();
        let principal = Self::new(PrincipalKind::Agent, creator.name.clone(), Transport::Agent);
        Self { on_behalf_of: Some(creator), scopes, ..principal }
    }

    /// Creates the hook of a binding, which can only be called.
    pub fn hook(binding: impl Into<String>) -> Self {
        let principal = Self::new(PrincipalKind::Hook, binding, Transport::Hook);
        Self { scopes: [Scope::Invoke].into_iter().collect(), ..principal }
    }

    fn new(kind: PrincipalKind, name: impl Into<String>, transport: Transport) -> Self {
        let (identity, scopes, on_behalf_of) = (None, ScopeSet::default(), None);
        Self { kind, name: name.into(), identity, scopes, transport, on_behalf_of }
    }

    /// Returns the principal with another transport. A token behind an MCP client becomes [`PrincipalKind::Mcp`].
    #[must_use]
    pub fn arriving_by(mut self, transport: Transport) -> Self {
        self.transport = transport;
        self.kind = match (self.kind, transport) {
            (PrincipalKind::Token, Transport::Mcp) => PrincipalKind::Mcp,
            (PrincipalKind::Mcp, transport) if transport != Transport::Mcp => PrincipalKind::Token,
            (kind, _) => kind,
        };
        self
    }

    /// Returns whether the principal is the owner of the state root.
    pub fn is_owner(&self) -> bool {
        self.kind == PrincipalKind::Owner
    }

    /// Returns whether its scopes include `scope`.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(scope)
    }

    /// Returns the requester of its calls: the principal it acts for, or itself.
    pub fn requester(&self) -> &Self {
        self.on_behalf_of.as_deref().unwrap_or(self)
    }

    /// Returns the name in events, receipts and rows.
    pub fn actor(&self) -> Cow<'_, str> {
        actor(self.kind, &self.name)
    }
}

/// Formats an actor for events, receipts and rows. Unambiguous, because no token has a name with a colon.
pub fn actor(kind: PrincipalKind, name: &str) -> Cow<'_, str> {
    match kind {
        PrincipalKind::Hook | PrincipalKind::Routine | PrincipalKind::Agent => {
            Cow::Owned(format!("{kind}:{name}"))
        }
        PrincipalKind::Owner | PrincipalKind::Token | PrincipalKind::Mcp => Cow::Borrowed(name),
    }
}

/// Parses an actor that [`actor`] formatted.
///
/// For stored records that contain only the text: the result names a principal and never authenticates one. Tokens
/// behind an MCP client are stored like any token and are parsed as tokens.
pub fn from_stored(actor: &str) -> (PrincipalKind, &str) {
    match actor.split_once(':') {
        Some(("hook", name)) => (PrincipalKind::Hook, name),
        Some(("routine", name)) => (PrincipalKind::Routine, name),
        Some(("agent", name)) => (PrincipalKind::Agent, name),
        _ if actor == OWNER => (PrincipalKind::Owner, actor),
        _ => (PrincipalKind::Token, actor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_actor_names_the_principal_that_wrote_it() {
        let owner = Arc::new(Principal::owner(Transport::Command));
        let token = Principal::token("ci", [7; 32], ScopeSet::all(), Transport::Http);
        let principals = [
            (Principal::clone(&owner), "owner"),
            (token.clone(), "ci"),
            (Principal::agent(Arc::clone(&owner)), "agent:owner"),
            (Principal::routine("nightly", owner), "routine:nightly"),
            (Principal::hook("acme:gate"), "hook:acme:gate"),
        ];
        for (principal, actor) in principals {
            assert_eq!(principal.actor(), actor);
            assert_eq!(from_stored(actor), (principal.kind, principal.name.as_str()));
        }
        let model = token.arriving_by(Transport::Mcp);
        assert_eq!((model.kind, model.actor().as_ref()), (PrincipalKind::Mcp, "ci"));
        assert_eq!(from_stored("other:ci"), (PrincipalKind::Token, "other:ci"));
    }

    #[test]
    fn routine_acts_for_its_creator_with_one_scope() {
        let creator = Arc::new(Principal::token("ci", [7; 32], ScopeSet::all(), Transport::Routine));
        let routine = Principal::routine("nightly", Arc::clone(&creator));
        assert_eq!(routine.requester(), &*creator);
        assert!(routine.may(Scope::Invoke) && !routine.may(Scope::Read) && routine.identity.is_none());
        assert_eq!(creator.requester(), &*creator);
    }

    #[test]
    fn agent_never_has_more_than_its_creator_and_never_approves() {
        let creator = |scopes: &[Scope]| {
            let scopes = scopes.iter().copied().collect();
            Arc::new(Principal::token("ci", [7; 32], scopes, Transport::Agent))
        };
        let agent = Principal::agent(creator(&Scope::ALL));
        assert_eq!(agent.scopes, [Scope::Read, Scope::Invoke].into_iter().collect());
        assert!(!Principal::agent(creator(&[Scope::Read])).may(Scope::Invoke));
    }
}

//! Admission of gRPC calls: authentication before a message is read, and deadlines.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use palyra_api::grpc::{DESCRIPTORS, status_of};
use palyra_api::tools::MAX_INVOKE_BYTES;
use palyra_api::{Client, Problem};
use palyra_common::{ErrorCode, Principal, Scope};
use palyra_policy::Resource;
use palyra_state::authorizer::any_tool;
use prost::Message as _;
use prost_types::{FileDescriptorProto, FileDescriptorSet, ServiceDescriptorProto};
use tokio::sync::OwnedSemaphorePermit;
use tonic::Status;

use super::answer::failed;
use super::deadline::{self, InTime, Timed};
use super::inward::Inward;
use super::metered::MeteredMessages;
use super::{MAX_PART_BYTES, Operation, operations};
use crate::app::App;
use crate::budget::{BudgetExceeded, Reservation};
use crate::denials;
use crate::policy::{action_of, missing_scope};
use crate::transport::connection_state::ConnectionState;
use crate::transport::held_body::HeldBody;
use crate::transport::http::route::SMALL_BODY;
use crate::transport::http::{Arrival, BodyTimeout, authenticate, identified, router, routes};

/// The one method without a token: load balancers call it, and it only reports that a daemon is running.
const HEALTH_CHECK: &str = "/grpc.health.v1.Health/Check";
/// Methods whose messages are not the body of an operation, with the maximum size of each.
const LONG_MESSAGES: [(&str, usize); 3] = [
    ("/palyra.gateway.v1.GatewayService/Invoke", MAX_INVOKE_BYTES),
    ("/palyra.gateway.v1.GatewayService/Run", MAX_INVOKE_BYTES),
    ("/palyra.skills.v1.SkillsService/InstallSkill", MAX_PART_BYTES),
];
/// Path prefix of the standard gRPC services, for which the scope `read` is sufficient.
const GENERAL: &str = "/grpc.";

/// The layer between the listener and the services.
pub(super) struct Admission {
    app: Arc<App>,
    router: Router,
    methods: HashMap<String, Method>,
}

/// Facts about a method from its descriptor.
struct Method {
    scope: Scope,
    /// True if the client streams messages, each with its own timeout.
    takes_stream: bool,
    /// Maximum size of a message of the method.
    limit: usize,
}

/// Resources that an admitted call holds until its response.
struct Admitted {
    /// `None` for a call without a token.
    reservation: Option<Reservation>,
    _anonymous: Option<OwnedSemaphorePermit>,
}

impl Admission {
    pub(super) fn new(app: &Arc<App>) -> Self {
        Self { app: Arc::clone(app), router: router(app), methods: methods() }
    }

    /// Admits a call as the principal of its token, with the scope of its method, before any byte of a message is read.
    async fn enter(&self, request: &mut Request) -> Result<Admitted, Status> {
        if request.uri().path() == HEALTH_CHECK {
            return anonymous(request);
        }
        let refused = |problem: Problem| status_of(&problem);
        let principal = authenticate(&self.app, request).map_err(refused)?;
        if let Some(Method { scope, .. }) = self.methods.get(request.uri().path()) {
            self.check_scope(&principal, *scope, request)?;
        }
        let exceeded = |exceeded: BudgetExceeded| status_of(&exceeded.into());
        let reservation = self.app.budget().open(&principal.name).map_err(exceeded)?;
        let inward = Inward::of(request, &self.router, &reservation);
        if request.uri().path().starts_with(GENERAL) {
            Client::new(inward.clone()).health().await.map_err(failed)?;
        }
        request.extensions_mut().insert(inward);
        Ok(Admitted { reservation: Some(reservation), _anonymous: None })
    }

    /// Checks the scope before the message is read; the route of the call checks it again, together with the policy.
    fn check_scope(&self, principal: &Principal, scope: Scope, request: &Request) -> Result<(), Status> {
        if principal.may(scope) {
            return Ok(());
        }
        let authorizer = self.app.authorizer();
        let resource = match scope {
            Scope::Invoke => Resource::Tool(any_tool()),
            _ => Resource::Daemon,
        };
        let problem = missing_scope(&authorizer, principal, scope, action_of(scope), resource);
        let from = request.extensions().get::<Arrival>().and_then(Arrival::address);
        let problem = identified(problem);
        let id = problem.request_id.as_deref().unwrap_or_default();
        denials::record(&self.app, id, &principal.name, from, &problem);
        Err(status_of(&problem))
    }

    fn takes_stream(&self, path: &str) -> bool {
        (path.starts_with(GENERAL) && path != HEALTH_CHECK)
            || self.methods.get(path).is_some_and(|method| method.takes_stream)
    }
}

/// Admits a call without a token, unless its connection has too many of them.
fn anonymous(request: &Request) -> Result<Admitted, Status> {
    let connection = request.extensions().get::<ConnectionState>();
    let permit = connection.map(|connection| {
        let many = || {
            Problem::new(ErrorCode::Busy, "too many calls without a token are in progress on this connection")
        };
        connection.anonymous_call().ok_or_else(|| status_of(&many()))
    });
    Ok(Admitted { reservation: None, _anonymous: permit.transpose()? })
}

/// Admits a request before it reaches a service.
pub(super) async fn admit(
    State(admission): State<Arc<Admission>>,
    mut request: Request,
    next: Next,
) -> Response {
    let until = match deadline::asked(request.headers()) {
        Ok(until) => until,
        Err(status) => return status.into_http(),
    };
    let admitted = match admission.enter(&mut request).await {
        Ok(admitted) => admitted,
        Err(status) => return status.into_http(),
    };
    let path = request.uri().path();
    let limit = admission.methods.get(path).map_or(SMALL_BODY, |method| method.limit);
    let patience =
        request.extensions().get::<BodyTimeout>().filter(|_| !admission.takes_stream(path)).copied();
    let reservation = admitted.reservation.clone();
    request = request.map(|message| Body::new(MeteredMessages::new(message, limit, reservation)));
    if let Some(BodyTimeout(patience)) = patience {
        request = request.map(|message| Body::new(InTime::new(message, patience)));
    }
    let answering = next.run(request);
    let response = match until {
        None => answering.await,
        Some(until) => match tokio::time::timeout_at(until, answering).await {
            Ok(response) => response.map(|answer| Body::new(Timed::new(answer, until))),
            Err(_) => return deadline::passed().into_http(),
        },
    };
    response.map(|answer| Body::new(HeldBody::new(answer, admitted)))
}

/// Returns the facts about every method from the descriptors.
fn methods() -> HashMap<String, Method> {
    let limits = limits();
    let mut found = HashMap::new();
    for (name, file, at, service) in described() {
        for (index, method) in service.method.iter().enumerate() {
            if let Some(scope) = scope(&file, at, index) {
                let (takes_stream, path) = (method.client_streaming(), format!("/{name}/{}", method.name()));
                let limit = limits.get(&path).copied().unwrap_or(SMALL_BODY);
                found.insert(path, Method { scope, takes_stream, limit });
            }
        }
    }
    found
}

/// Returns the maximum message size of each method: the body limit of its operation.
fn limits() -> HashMap<String, usize> {
    let bodies: HashMap<(String, String), usize> = routes()
        .into_iter()
        .map(|route| ((route.method.to_string(), without_names(route.path)), route.body_limit))
        .collect();
    let of = |operation: Operation| {
        let place = (operation.verb.to_owned(), without_names(operation.path));
        (operation.method, bodies.get(&place).copied().unwrap_or(SMALL_BODY))
    };
    let long = LONG_MESSAGES.iter().map(|(method, limit)| ((*method).to_owned(), *limit));
    operations().into_iter().map(of).chain(long).collect()
}

/// Replaces every name in a path by the same placeholder.
fn without_names(path: &str) -> String {
    let part = |part| if str::starts_with(part, '{') { "{}" } else { part };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Returns the scope in the comment of a method.
fn scope(file: &FileDescriptorProto, service: usize, method: usize) -> Option<Scope> {
    let place = [6, i32::try_from(service).ok()?, 2, i32::try_from(method).ok()?];
    let comments = &file.source_code_info.as_ref()?.location;
    let comment = comments.iter().find(|location| location.path == place)?.leading_comments();
    let word = comment.split_once("Requires the scope `")?.1.split('`').next()?;
    Scope::ALL.into_iter().find(|scope| scope.wire_name() == word)
}

/// Returns the full names of the services.
pub(super) fn services() -> Vec<String> {
    described().into_iter().map(|(name, ..)| name).collect()
}

/// Returns every service with its full name, its file and its index there.
fn described() -> Vec<(String, Arc<FileDescriptorProto>, usize, ServiceDescriptorProto)> {
    let files = FileDescriptorSet::decode(DESCRIPTORS).map(|set| set.file).unwrap_or_default();
    let named = |file: FileDescriptorProto| {
        let file = Arc::new(file);
        let services = file.service.clone().into_iter().enumerate();
        services.map(move |(at, service)| {
            (format!("{}.{}", file.package(), service.name()), Arc::clone(&file), at, service)
        })
    };
    files.into_iter().flat_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_methods_take_a_stream() {
        let methods = methods();
        let mut streams: Vec<&str> =
            methods.iter().filter(|(_, method)| method.takes_stream).map(|(path, _)| path.as_str()).collect();
        streams.sort_unstable();
        assert_eq!(
            streams,
            ["/palyra.gateway.v1.GatewayService/Run", "/palyra.skills.v1.SkillsService/InstallSkill"]
        );
    }

    #[test]
    fn every_method_has_a_scope_and_every_long_one_exists() {
        let methods = methods();
        let described: usize = described().iter().map(|(.., service)| service.method.len()).sum();
        assert_eq!(methods.len(), described, "a method without a scope would be let in without one");
        for (method, limit) in LONG_MESSAGES {
            assert_eq!(methods[method].limit, limit, "{method}");
        }
        assert_eq!(methods["/palyra.routines.v1.RoutinesService/AddRoutine"].limit, 320 << 10);
    }
}

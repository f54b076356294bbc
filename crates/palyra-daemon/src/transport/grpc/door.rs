//! The door of gRPC: who is let in before a message is read, and until when the answer is wanted.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use palyra_api::Client;
use palyra_api::grpc::{DESCRIPTORS, status_of};
use prost::Message as _;
use prost_types::{FileDescriptorProto, FileDescriptorSet, ServiceDescriptorProto};
use tonic::Status;

use super::answer::failed;
use super::deadline::{self, InTime, Timed};
use super::inward::Inward;
use crate::app::App;
use crate::transport::http::{BodyTimeout, knock, router};

/// The one method that needs no token: whoever balances load asks it, and it tells nothing but that a daemon is there.
const HEALTH_CHECK: &str = "/grpc.health.v1.Health/Check";
/// What every server of gRPC has; reading about the daemon is enough for it.
const GENERAL: &str = "/grpc.";

/// What stands between the listener and the services.
pub(super) struct Door {
    app: Arc<App>,
    router: Router,
    /// Methods whose messages come one by one, each in its own time.
    standing: HashSet<String>,
}

impl Door {
    pub(super) fn new(app: &Arc<App>) -> Self {
        Self { app: Arc::clone(app), router: router(app), standing: standing() }
    }

    /// Lets a request in as whoever its token is of.
    async fn enter(&self, request: &mut Request) -> Result<(), Status> {
        if request.uri().path() == HEALTH_CHECK {
            return Ok(());
        }
        knock(&self.app, request).map_err(|problem| status_of(&problem))?;
        let inward = Inward::of(request, &self.router);
        if request.uri().path().starts_with(GENERAL) {
            Client::new(inward.clone()).health().await.map_err(failed)?;
        }
        request.extensions_mut().insert(inward);
        Ok(())
    }

    fn stands(&self, path: &str) -> bool {
        (path.starts_with(GENERAL) && path != HEALTH_CHECK) || self.standing.contains(path)
    }
}

/// The layer around every service.
pub(super) async fn admit(State(door): State<Arc<Door>>, mut request: Request, next: Next) -> Response {
    let until = match deadline::asked(request.headers()) {
        Ok(until) => until,
        Err(status) => return status.into_http(),
    };
    if let Err(status) = door.enter(&mut request).await {
        return status.into_http();
    }
    if !door.stands(request.uri().path())
        && let Some(BodyTimeout(patience)) = request.extensions().get::<BodyTimeout>().copied()
    {
        request = request.map(|message| Body::new(InTime::new(message, patience)));
    }
    let Some(until) = until else { return next.run(request).await };
    match tokio::time::timeout_at(until, next.run(request)).await {
        Ok(response) => response.map(|answer| Body::new(Timed::new(answer, until))),
        Err(_) => deadline::passed().into_http(),
    }
}

/// The methods that take a stream, as their descriptions say.
fn standing() -> HashSet<String> {
    let mut found = HashSet::new();
    for (name, service) in described() {
        let taking = service.method.iter().filter(|method| method.client_streaming());
        found.extend(taking.map(|method| format!("/{name}/{}", method.name())));
    }
    found
}

/// The whole names of the services.
pub(super) fn services() -> Vec<String> {
    described().into_iter().map(|(name, _)| name).collect()
}

fn described() -> Vec<(String, ServiceDescriptorProto)> {
    let files = FileDescriptorSet::decode(DESCRIPTORS).map(|set| set.file).unwrap_or_default();
    let named = |file: FileDescriptorProto| {
        let package = file.package().to_owned();
        file.service.into_iter().map(move |service| (format!("{package}.{}", service.name()), service))
    };
    files.into_iter().flat_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_methods_take_a_stream() {
        let mut standing: Vec<String> = standing().into_iter().collect();
        standing.sort();
        assert_eq!(
            standing,
            ["/palyra.gateway.v1.GatewayService/Run", "/palyra.skills.v1.SkillsService/InstallSkill"]
        );
    }
}

//! gRPC: the same resources for typed clients, on a separate listener.
//!
//! A service decodes a message, sends it through the HTTP router of this process with its token, and encodes the
//! response. Only the router authorizes; `admission.rs` adds checks before a message is read, a timeout for bodies, and
//! deadlines. Nearly every method is a row of a table that names its operation of the HTTP API (`service.rs`,
//! `relay.rs`).

mod admission;
mod agent;
mod answer;
mod asked;
mod auth;
mod deadline;
mod gateway;
mod hooks;
mod inward;
mod metered;
mod plugins;
mod records;
mod relay;
mod routines;
mod run;
mod service;
mod skills;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use palyra_api::grpc::DESCRIPTORS;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_reflection::server::Builder as Reflection;

use crate::app::App;
use admission::{Admission, admit};
use service::Service;

/// Maximum size of a part of a package in bytes.
const MAX_PART_BYTES: usize = 4 << 20;

const SERVICES: [Service; 18] = [
    gateway::Gateway::SERVICE,
    agent::Sessions::SERVICE,
    agent::Models::SERVICE,
    agent::Surfaces::SERVICE,
    records::Runs::SERVICE,
    records::Journal::SERVICE,
    records::Channels::SERVICE,
    skills::Skills::SERVICE,
    plugins::Plugins::SERVICE,
    plugins::Tools::SERVICE,
    hooks::Hooks::SERVICE,
    routines::Routines::SERVICE,
    routines::Objectives::SERVICE,
    auth::Tokens::SERVICE,
    auth::Policy::SERVICE,
    auth::Trust::SERVICE,
    auth::Keys::SERVICE,
    auth::Vault::SERVICE,
];

/// Methods that are implemented without a table, with their operations.
const WRITTEN_OUT: [(&str, &str, &str); 6] = [
    ("/palyra.gateway.v1.GatewayService/Invoke", "POST", "/v1/tools/{tool}/invoke"),
    ("/palyra.gateway.v1.GatewayService/Run", "POST", "/v1/tools/{tool}/invoke"),
    ("/palyra.gateway.v1.GatewayService/DecideApproval", "POST", "/v1/approvals/{approval_id}/approve"),
    ("/palyra.gateway.v1.GatewayService/DecideApproval", "POST", "/v1/approvals/{approval_id}/deny"),
    ("/palyra.skills.v1.SkillsService/ListSkills", "GET", "/v1/skills"),
    ("/palyra.skills.v1.SkillsService/InstallSkill", "POST", "/v1/skills"),
];

/// A method with its operation of the HTTP API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Path of the method, such as `/palyra.gateway.v1.GatewayService/GetHealth`.
    pub method: String,
    /// HTTP method, such as `GET`.
    pub verb: &'static str,
    /// Path of the operation, such as `/v1/health`; a name in it is the name of a field.
    pub path: &'static str,
}

/// Returns every method with its operation; a method for two operations is listed with each.
pub fn operations() -> Vec<Operation> {
    let rows = SERVICES.iter().flat_map(|service| {
        service.rows.iter().map(|row| Operation {
            method: format!("/{}/{}", service.name, camel_case(row.method)),
            verb: row.verb,
            path: row.path,
        })
    });
    let written_out =
        WRITTEN_OUT.iter().map(|(method, verb, path)| Operation { method: (*method).to_owned(), verb, path });
    rows.chain(written_out).collect()
}

/// Converts a name such as `list_runs` to `ListRuns`.
fn camel_case(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}

/// Error of an invalid service descriptor.
#[derive(Debug, thiserror::Error)]
#[error("cannot describe the services: {0}")]
pub(crate) struct BadDescription(#[from] tonic_reflection::server::Error);

/// Returns all services over an app, behind the admission layer.
pub(crate) async fn grpc_router(app: &Arc<App>) -> Result<Router, BadDescription> {
    let described = || {
        Reflection::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let (reporter, health) = tonic_health::server::health_reporter();
    for service in admission::services() {
        reporter.set_service_status(service, ServingStatus::Serving).await;
    }
    let routes =
        Routes::new(health).add_service(described().build_v1()?).add_service(described().build_v1alpha()?);
    let routes = SERVICES.iter().fold(routes, |routes, service| (service.add_to)(routes));
    let admission = Arc::new(Admission::new(app));
    Ok(routes.into_axum_router().layer(from_fn_with_state(admission, admit)))
}

//! gRPC: the same resources for typed clients, on a listener of its own.
//!
//! A service decodes a message, asks the HTTP router of this process under the token the message came with, and encodes
//! the answer. Who may do what is decided there and nowhere else; what this face adds is in `door.rs`: the token is
//! looked at before a message is read, a body has to come in time, and a deadline ends the call.

mod admission;
mod answer;
mod asked;
mod deadline;
mod gateway;
mod hooks;
mod inward;
mod metered;
mod plugins;
mod routines;
mod run;
mod skills;
mod tools;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use palyra_api::grpc::DESCRIPTORS;
use palyra_api::grpc::gateway::v1::gateway_service_server::GatewayServiceServer;
use palyra_api::grpc::hooks::v1::hooks_service_server::HooksServiceServer;
use palyra_api::grpc::plugins::v1::plugins_service_server::PluginsServiceServer;
use palyra_api::grpc::plugins::v1::tools_service_server::ToolsServiceServer;
use palyra_api::grpc::routines::v1::routines_service_server::RoutinesServiceServer;
use palyra_api::grpc::skills::v1::skills_service_server::SkillsServiceServer;
use palyra_api::tools::MAX_INVOKE_BYTES;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_reflection::server::Builder as Reflection;

use crate::app::App;
use admission::{Admission, admit};

/// Longest message that is no call: a routine with its input, or a part of a package.
const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// Why the services cannot be offered.
#[derive(Debug, thiserror::Error)]
#[error("the services cannot be described: {0}")]
pub(crate) struct BadDescription(#[from] tonic_reflection::server::Error);

/// Every service over an app, behind its door.
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
    let routes = Routes::new(health)
        .add_service(described().build_v1()?)
        .add_service(described().build_v1alpha()?)
        .add_service(GatewayServiceServer::new(gateway::Gateway).max_decoding_message_size(MAX_INVOKE_BYTES))
        .add_service(SkillsServiceServer::new(skills::Skills).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(PluginsServiceServer::new(plugins::Plugins).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(ToolsServiceServer::new(tools::Tools).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(HooksServiceServer::new(hooks::Hooks).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(
            RoutinesServiceServer::new(routines::Routines).max_decoding_message_size(MAX_MESSAGE_BYTES),
        );
    let admission = Arc::new(Admission::new(app));
    Ok(routes.into_axum_router().layer(from_fn_with_state(admission, admit)))
}

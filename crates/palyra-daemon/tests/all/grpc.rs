//! gRPC with a client over a real connection: every method, every refusal, deadlines, streams and descriptions.

mod access;
mod agent;
mod auth;
mod breaking;
mod description;
mod limits;
mod methods;
mod records;
mod run;
mod unfinished;
mod wire;

pub(crate) use unfinished::{connect, status_before_message};
pub(crate) use wire::Wire;

use palyra_api::grpc::DESCRIPTORS;
use palyra_api::grpc::gateway::v1::gateway_service_client::GatewayServiceClient;
use palyra_api::grpc::gateway::v1::{InvokeAnswer, InvokeRequest};
use palyra_api::{ClientError, Problem};
use prost::Message;
use prost_types::FileDescriptorSet;

/// Returns the descriptors of every service.
fn descriptors() -> FileDescriptorSet {
    FileDescriptorSet::decode(DESCRIPTORS).unwrap()
}

fn problem<T: std::fmt::Debug>(result: Result<T, tonic::Status>) -> Problem {
    palyra_api::grpc::problem_of(&result.unwrap_err())
}

fn call(tool: &str, input: &str) -> InvokeRequest {
    InvokeRequest { tool: tool.into(), input_json: input.into(), ..InvokeRequest::default() }
}

/// Calls a tool like the other transports, with the same types.
pub(crate) async fn invoke(
    wire: &Wire,
    tool: &str,
    request: &palyra_api::tools::InvokeRequest,
) -> Result<InvokeAnswer, ClientError> {
    let input = request.input.as_ref().unwrap().get();
    let asked = InvokeRequest { limits: request.limits.clone(), ..call(tool, input) };
    let answer = GatewayServiceClient::new(wire.clone()).invoke(asked).await;
    let told = answer.map(|answer| answer.into_inner().answer.unwrap());
    told.map_err(|status| ClientError::Problem(Box::new(palyra_api::grpc::problem_of(&status))))
}

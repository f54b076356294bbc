//! `palyra.gateway.v1.GatewayService`.

use palyra_common::ErrorCode;
use std::pin::Pin;

use futures::Stream;
use futures::stream::unfold;
use palyra_api::approvals::{ApprovalQuery, ApproveRequest, DenyRequest};
use palyra_api::client::sse::SseStream;
use palyra_api::grpc::gateway::v1 as gateway;
use palyra_api::grpc::gateway::v1::gateway_service_server::GatewayService;
use palyra_api::grpc::gateway::v1::{
    ApprovalScope, ApprovalStatus, DecideApprovalRequest, DecideApprovalResponse, GetApprovalRequest,
    GetApprovalResponse, GetHealthRequest, GetHealthResponse, InvokeResponse, ListApprovalsRequest,
    ListApprovalsResponse, RunDecision, RunRequest, RunResponse, SubscribeEventsRequest,
    SubscribeEventsResponse,
};
use palyra_api::tools::InvokeRequest;
use palyra_api::{Client, ClientError, Problem};
use tonic::{Request, Response, Status, Streaming};

use super::answer::{Answer, enter, failed, refused, to_message};
use super::asked::{json, small, word};
use super::inward::Inward;
use super::run::converse;

pub(super) struct Gateway;

/// Messages as they come.
type Messages<M> = Pin<Box<dyn Stream<Item = Result<M, Status>> + Send>>;

#[tonic::async_trait]
impl GatewayService for Gateway {
    type RunStream = Messages<RunResponse>;
    type SubscribeEventsStream = Messages<SubscribeEventsResponse>;

    async fn get_health(&self, request: Request<GetHealthRequest>) -> Answer<GetHealthResponse> {
        let (client, _) = enter(request)?;
        let health = to_message(client.health().await)?;
        Ok(Response::new(GetHealthResponse { health }))
    }

    async fn invoke(&self, request: Request<gateway::InvokeRequest>) -> Answer<InvokeResponse> {
        let (client, asked) = enter(request)?;
        let (tool, call) = read_call(asked)?;
        let answer = to_message(client.invoke(&tool, &call).await)?;
        Ok(Response::new(InvokeResponse { answer }))
    }

    async fn run(&self, request: Request<Streaming<RunRequest>>) -> Answer<Self::RunStream> {
        let (client, messages) = enter(request)?;
        Ok(Response::new(Box::pin(converse(client, messages).await?)))
    }

    async fn subscribe_events(
        &self,
        request: Request<SubscribeEventsRequest>,
    ) -> Answer<Self::SubscribeEventsStream> {
        let (client, SubscribeEventsRequest { topics, after_sequence }) = enter(request)?;
        let topics: Vec<&str> = topics.iter().map(String::as_str).collect();
        let events = client.events(&topics, after_sequence).await.map_err(failed)?;
        Ok(Response::new(Box::pin(unfold(events, next_event))))
    }

    async fn list_approvals(&self, request: Request<ListApprovalsRequest>) -> Answer<ListApprovalsResponse> {
        let (client, ListApprovalsRequest { status, before, limit }) = enter(request)?;
        let status = word::<ApprovalStatus, _>(status)?;
        let query = ApprovalQuery { status, before, limit: small("limit", limit)? };
        to_message(client.approvals(&query).await).map(Response::new)
    }

    async fn get_approval(&self, request: Request<GetApprovalRequest>) -> Answer<GetApprovalResponse> {
        let (client, asked) = enter(request)?;
        let GetApprovalRequest { approval_id, arguments_from } = asked;
        let approval = match arguments_from {
            Some(from) => client.approval_arguments(&approval_id, from).await,
            None => client.approval(&approval_id).await,
        };
        let approval = to_message(approval)?;
        Ok(Response::new(GetApprovalResponse { approval }))
    }

    async fn decide_approval(
        &self,
        request: Request<DecideApprovalRequest>,
    ) -> Answer<DecideApprovalResponse> {
        let (client, asked) = enter(request)?;
        let DecideApprovalRequest { approval_id, approve, scope, reason, owner_present, arguments_sha256 } =
            asked;
        let decision = RunDecision { approval_id, approve, scope, reason, owner_present, arguments_sha256 };
        let approval = to_message(decide(&client, decision).await)?;
        Ok(Response::new(DecideApprovalResponse { approval }))
    }
}

/// A call in the shape of the API.
pub(super) fn read_call(asked: gateway::InvokeRequest) -> Result<(String, InvokeRequest), Status> {
    let gateway::InvokeRequest {
        tool,
        input_json,
        skill_id,
        limits,
        grants,
        wait_seconds,
        session,
        parent_run,
        record,
    } = asked;
    let input = json("input_json", input_json)?;
    Ok((tool, InvokeRequest { input, skill_id, limits, grants, wait_seconds, session, parent_run, record }))
}

/// Says yes or no, as whoever asks.
pub(super) async fn decide(
    client: &Client<Inward>,
    decision: RunDecision,
) -> Result<palyra_api::approvals::Approval, ClientError> {
    let RunDecision { approval_id, approve, scope, reason, owner_present, arguments_sha256 } = decision;
    if !approve {
        return client.deny(&approval_id, &DenyRequest { reason, owner_present }).await;
    }
    let scope = palyra_api::grpc::words::asked::<ApprovalScope, _>(scope);
    let scope = scope.map_err(|problem| ClientError::Problem(Box::new(problem)))?.unwrap_or_default();
    client.approve(&approval_id, &ApproveRequest { scope, arguments_sha256, reason, owner_present }).await
}

async fn next_event(mut events: SseStream) -> Option<(Result<SubscribeEventsResponse, Status>, SseStream)> {
    let event = match events.next().await {
        Ok(event) => serde_json::from_str(&event?.data)
            .map(|event| SubscribeEventsResponse { event: Some(event) })
            .map_err(|error| refused(&Problem::new(ErrorCode::Internal, error.to_string()))),
        Err(error) => Err(failed(error.into())),
    };
    Some((event, events))
}

//! Health of the daemon, tool calls, events and approvals.

use palyra_api::approvals::{ApproveRequest, DenyRequest};
use palyra_api::grpc::gateway::v1 as gateway;
use palyra_api::grpc::gateway::v1::{ApprovalScope, RunDecision};
use palyra_api::tools::InvokeRequest;
use palyra_api::{Client, ClientError};
use tonic::{Request, Response, Status, Streaming};

use super::answer::{Answer, enter, to_message};
use super::asked::json;
use super::inward::Inward;
use super::relay::Messages;
use super::run::converse;
use super::service::service;

service! {
    Gateway: GatewayService, GatewayServiceServer in gateway::v1::gateway_service_server;
    calls {
        get_health(GetHealthRequest) -> GetHealthResponse { health } = GET "/v1/health";
        list_approvals(ListApprovalsRequest) -> ListApprovalsResponse = GET "/v1/approvals";
        get_approval(GetApprovalRequest) -> GetApprovalResponse { approval } = GET "/v1/approvals/{approval_id}";
    }
    streams {
        subscribe_events(SubscribeEventsRequest) -> SubscribeEventsStream: SubscribeEventsResponse { event } = "/v1/events";
    }
    others {
        type RunStream = Messages<RunResponse>;

        async fn invoke(&self, request: Request<InvokeRequest>) -> Answer<InvokeResponse> {
            let (client, asked) = enter(request)?;
            let (tool, call) = read_call(asked)?;
            let answer = to_message(client.invoke(&tool, &call).await)?;
            Ok(Response::new(InvokeResponse { answer }))
        }

        async fn run(&self, request: Request<Streaming<RunRequest>>) -> Answer<Self::RunStream> {
            let (client, messages) = enter(request)?;
            Ok(Response::new(Box::pin(converse(client, messages).await?)))
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
}

/// Converts a call to the API's request.
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

/// Decides an approval as the caller.
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

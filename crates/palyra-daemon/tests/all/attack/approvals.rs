//! Attempts to approve one's own request, to use an approval twice, or for other arguments.

use super::Tally;
use super::rounds::Rounds;
use super::target::Target;
use palyra_api::approvals::{ApproveRequest, DenyRequest};
use palyra_api::client::remote::Remote;
use palyra_api::tools::InvokeRequest;
use palyra_api::{Client, ClientError};
use serde_json::value::RawValue;
use std::sync::Arc;

const TOOL: &str = "acme.bench.ask";

pub(super) async fn run(target: Arc<Target>, rounds: Arc<Rounds>) -> Tally {
    let attacker = target.over_tcp(&target.approver);
    let owner = target.over_socket(&target.owner);
    let mut tally = Tally::default();
    while rounds.next() {
        let outcome = attempt(&attacker, &owner, tally.tried).await;
        tally.tried += 1;
        tally.lost.extend(outcome.err());
    }
    tally
}

fn with(number: u64) -> InvokeRequest {
    InvokeRequest::with_input(RawValue::from_string(format!("{{\"n\": {number}}}")).unwrap())
}

/// Returns the approval that a call waits for.
async fn waits(client: &Client<Remote>, request: &InvokeRequest) -> Result<String, String> {
    match client.invoke(TOOL, request).await {
        Err(ClientError::Problem(problem)) if problem.code.as_str() == "approval_required" => {
            Ok(problem.details["approval_id"].as_str().unwrap_or_default().to_owned())
        }
        other => Err(format!("no approval was asked for: {other:?}")),
    }
}

async fn attempt(attacker: &Client<Remote>, owner: &Client<Remote>, number: u64) -> Result<(), String> {
    let (request, other) = (with(2 * number), with(2 * number + 1));
    let id = waits(attacker, &request).await?;
    let claims = ApproveRequest { owner_present: true, ..ApproveRequest::default() };
    for own in [&ApproveRequest::default(), &claims] {
        if attacker.approve(&id, own).await.is_ok() {
            return Err("the requester approved its own call".into());
        }
    }
    let approved = owner.approve(&id, &ApproveRequest::default()).await;
    approved.map_err(|error| format!("the owner could not approve: {error}"))?;
    let other = waits(attacker, &other).await?;
    let ran = attacker.invoke(TOOL, &request).await;
    ran.map_err(|error| format!("the approved call did not run: {error}"))?;
    let again = waits(attacker, &request).await?;
    // The number of pending requests is limited.
    for id in [other, again] {
        let denied = owner.deny(&id, &DenyRequest::default()).await;
        denied.map_err(|error| format!("the owner could not deny: {error}"))?;
    }
    Ok(())
}

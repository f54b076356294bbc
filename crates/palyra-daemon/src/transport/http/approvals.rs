//! `/v1/approvals`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::approvals::{Approval, ApprovalList, ApprovalStatus, ApproveRequest, DenyRequest};
use palyra_common::{ErrorCode, Principal, Scope, Transport};
use palyra_skills::Sha256Digest;
use palyra_state::{ApprovalDecision, ApprovalFilter, ApprovalVerdict, Presence, decide_approval};
use serde::Deserialize;
use utoipa::IntoParams;

use super::access::Caller;
use super::answer::{Answer, Json};
use super::blocking::blocking;
use super::params::{Asked, Named, page_limit};
use super::route::{Route, SMALL_BODY};
use crate::app::App;
use crate::to_api::ToApi;

/// Maximum number of approvals in one response.
const MAX_LISTED: u16 = 500;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/approvals", Scope::Read, list)
            .summary("List pending and decided approvals")
            .query::<ApprovalsQuery>()
            .answers::<ApprovalList>(),
        Route::get("/v1/approvals/{approval_id}", Scope::Read, show)
            .summary("Show an approval")
            .query::<ApprovalParts>()
            .answers::<Approval>(),
        Route::post("/v1/approvals/{approval_id}/approve", Scope::Approve, approve)
            .summary("Approve a call; the first decision counts, and the requester cannot decide")
            .takes::<ApproveRequest>(SMALL_BODY)
            .answers::<Approval>(),
        Route::post("/v1/approvals/{approval_id}/deny", Scope::Approve, deny)
            .summary("Deny a pending call")
            .takes::<DenyRequest>(SMALL_BODY)
            .answers::<Approval>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct ApprovalsQuery {
    /// Filter by status: `pending`, `approved`, `used`, `denied` or `expired`.
    #[param(value_type = Option<String>)]
    status: Option<ApprovalStatus>,
    /// Only items older than this id, to continue an earlier list.
    before: Option<String>,
    /// Maximum number of results.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct ApprovalParts {
    /// Offset in bytes from which `arguments` contains up to 1 MiB of the canonical arguments; without it, their first
    /// 4,096 bytes.
    #[param(minimum = 0)]
    arguments_from: Option<u64>,
}

async fn list(State(app): State<Arc<App>>, Asked(query): Asked<ApprovalsQuery>) -> Answer<ApprovalList> {
    let filter = ApprovalFilter {
        status: query.status,
        before: query.before,
        limit: page_limit(query.limit, MAX_LISTED)?,
    };
    let page = blocking(&app, move |app| app.approvals().list(&filter)).await?;
    Ok(Json(page.to_api()))
}

async fn show(
    State(app): State<Arc<App>>,
    Named(approval_id): Named<String>,
    Asked(ApprovalParts { arguments_from }): Asked<ApprovalParts>,
) -> Answer<Approval> {
    let approval = blocking(&app, move |app| match arguments_from {
        Some(from) => app.approvals().arguments(&approval_id, from),
        None => app.approvals().get(&approval_id),
    });
    Ok(Json(approval.await?.to_api()))
}

async fn approve(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(approval_id): Named<String>,
    Json(request): Json<ApproveRequest>,
) -> Answer<Approval> {
    let ApproveRequest { scope, arguments_sha256, reason, owner_present } = request;
    let verdict = ApprovalVerdict::Approve(scope);
    let arguments_sha256 = arguments_sha256.as_deref().map(read_digest).transpose()?;
    let decision = decision(&principal, verdict, owner_present, reason);
    let decision = ApprovalDecision { arguments_sha256, ..decision };
    Ok(Json(decide_approval(app.state(), &approval_id, decision).await?.to_api()))
}

async fn deny(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(approval_id): Named<String>,
    Json(request): Json<DenyRequest>,
) -> Answer<Approval> {
    let decision = decision(&principal, ApprovalVerdict::Deny, request.owner_present, request.reason);
    Ok(Json(decide_approval(app.state(), &approval_id, decision).await?.to_api()))
}

/// Builds the decision. Only the owner can be present, at a terminal or signed in to the console; the claim of a token
/// is ignored.
fn decision(
    principal: &Arc<Principal>,
    verdict: ApprovalVerdict,
    owner_present: bool,
    reason: Option<String>,
) -> ApprovalDecision {
    let in_console = principal.transport == Transport::Console;
    let present = principal.is_owner() && (owner_present || in_console);
    ApprovalDecision {
        verdict,
        decider: Arc::clone(principal),
        presence: if present { Presence::Owner } else { Presence::Unknown },
        reason,
        arguments_sha256: None,
    }
}

fn read_digest(text: &str) -> Result<Sha256Digest, Problem> {
    let digest = text.parse::<Sha256Digest>();
    digest.map_err(|error| Problem::new(ErrorCode::Usage, format!("invalid `arguments_sha256`: {error}")))
}

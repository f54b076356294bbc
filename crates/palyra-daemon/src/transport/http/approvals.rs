//! `/v1/approvals`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::approvals::{Approval, ApprovalList, ApprovalStatus, ApproveRequest, DenyRequest};
use palyra_common::Scope;
use palyra_state::{ApprovalDecision, ApprovalFilter, ApprovalScope, ApprovalVerdict};
use serde::Deserialize;
use utoipa::IntoParams;

use super::access::Caller;
use super::answer::{Answer, Json};
use super::blocking::blocking;
use super::params::{Asked, Named, page_limit};
use super::route::{Route, SMALL_BODY};
use super::shape::shape;
use crate::access::Principal;
use crate::app::App;

/// Most approvals of one answer.
const MAX_LISTED: u16 = 500;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/approvals", Scope::Read, list)
            .summary("Calls that wait for a person, and what became of earlier ones")
            .query::<ApprovalsQuery>()
            .answers::<ApprovalList>(),
        Route::get("/v1/approvals/{approval_id}", Scope::Read, show)
            .summary("One call that waits for a person, or waited")
            .answers::<Approval>(),
        Route::post("/v1/approvals/{approval_id}/approve", Scope::Approve, approve)
            .summary("Let a call run; of several who decide, one wins")
            .takes::<ApproveRequest>(SMALL_BODY)
            .answers::<Approval>(),
        Route::post("/v1/approvals/{approval_id}/deny", Scope::Approve, deny)
            .summary("Refuse a call that waits")
            .takes::<DenyRequest>(SMALL_BODY)
            .answers::<Approval>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct ApprovalsQuery {
    /// Only those of this status: `pending`, `approved`, `used`, `denied` or `expired`.
    #[param(value_type = Option<String>)]
    status: Option<ApprovalStatus>,
    /// Only those before this id, which are older: where an earlier answer stopped.
    before: Option<String>,
    /// How many at most.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

async fn list(State(app): State<Arc<App>>, Asked(query): Asked<ApprovalsQuery>) -> Answer<ApprovalList> {
    let filter = ApprovalFilter {
        status: query.status.map(of_state),
        before: query.before,
        limit: page_limit(query.limit, MAX_LISTED)?,
    };
    let page = blocking(&app, move |app| app.state().approvals(&filter)).await?;
    Ok(Json(shape(&page)?))
}

async fn show(State(app): State<Arc<App>>, Named(approval_id): Named<String>) -> Answer<Approval> {
    let approval = blocking(&app, move |app| app.state().approval(&approval_id)).await?;
    Ok(Json(shape(&approval)?))
}

async fn approve(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(approval_id): Named<String>,
    Json(request): Json<ApproveRequest>,
) -> Answer<Approval> {
    let verdict = ApprovalVerdict::Approve(reach(request.scope));
    let decision = decision(&app, principal, verdict, request.owner_present, request.reason);
    Ok(Json(shape(&app.state().decide_approval(&approval_id, decision).await?)?))
}

async fn deny(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(approval_id): Named<String>,
    Json(request): Json<DenyRequest>,
) -> Answer<Approval> {
    let decision = decision(&app, principal, ApprovalVerdict::Deny, request.owner_present, request.reason);
    Ok(Json(shape(&app.state().decide_approval(&approval_id, decision).await?)?))
}

/// Only the owner can say that it is there itself; a token that says so is no person.
fn decision(
    app: &App,
    principal: Principal,
    verdict: ApprovalVerdict,
    owner_present: bool,
    reason: Option<String>,
) -> ApprovalDecision {
    let asking = app.policy().asking(app.state(), &principal);
    let gate = asking.approval_gate(app.state(), owner_present && principal.owner);
    ApprovalDecision { verdict, principal: principal.name, gate, reason }
}

fn reach(scope: palyra_api::approvals::ApprovalScope) -> ApprovalScope {
    use palyra_api::approvals::ApprovalScope as Asked;
    match scope {
        Asked::Once => ApprovalScope::Once,
        Asked::Run => ApprovalScope::Run,
        Asked::Arguments => ApprovalScope::Arguments,
        Asked::Session => ApprovalScope::Session,
    }
}

fn of_state(status: ApprovalStatus) -> palyra_state::ApprovalStatus {
    use palyra_state::ApprovalStatus as Kept;
    match status {
        ApprovalStatus::Pending => Kept::Pending,
        ApprovalStatus::Approved => Kept::Approved,
        ApprovalStatus::Used => Kept::Used,
        ApprovalStatus::Denied => Kept::Denied,
        ApprovalStatus::Expired => Kept::Expired,
    }
}

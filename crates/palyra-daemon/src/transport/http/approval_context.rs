//! `/v1/approvals/{approval_id}/context`: compares a request with the last approved one of its tool, and shows what the
//! call can access.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::approvals::{ApprovalContext, CallReach, ReachedDirectory, ReachedSecret};
use palyra_common::capabilities::{
    FilesystemAccess, FilesystemGrant, SecretGrant, StorageAccess, StorageGrant,
};
use palyra_common::{OperatorGrants, Scope};
use palyra_runner::effective_grants_of_tool;
use palyra_state::{Approval, ApprovalFilter, ApprovalStatus};

use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::params::Named;
use super::route::Route;
use crate::app::App;
use crate::problem::ToProblem;
use crate::to_api::ToApi;

/// Maximum number of requests of each approved status that are searched for one of the same tool.
const MAX_SEARCHED: usize = 500;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/approvals/{approval_id}/context", Scope::Read, context)
            .summary(
                "Compare a request with the last approved one of its tool, and show what the call can access",
            )
            .answers::<ApprovalContext>(),
    ]
}

async fn context(State(app): State<Arc<App>>, Named(approval_id): Named<String>) -> Answer<ApprovalContext> {
    blocking(&app, move |app| {
        let state = app.state();
        let approval = state.approvals().arguments(&approval_id, 0)?;
        let last_approved = match last_approved(app, &approval)? {
            Some(last) => Some(state.approvals().arguments(&last, 0)?.to_api()),
            None => None,
        };
        let reach = reach(app, &approval)?;
        Ok::<_, Failure>(ApprovalContext { approval: approval.to_api(), last_approved, reach })
    })
    .await
    .map(Json)
}

/// Returns the id of the newest approved request of the same tool that is older than this one.
fn last_approved(app: &App, approval: &Approval) -> Result<Option<String>, Failure> {
    let mut newest: Option<String> = None;
    for status in [ApprovalStatus::Used, ApprovalStatus::Approved] {
        let before = Some(approval.approval_id.clone());
        let filter = ApprovalFilter { status: Some(status), before, limit: MAX_SEARCHED };
        let page = app.approvals().list(&filter)?;
        let found = page.approvals.into_iter().find(|other| other.tool_id == approval.tool_id);
        newest = newest.max(found.map(|found| found.approval_id));
    }
    Ok(newest)
}

/// Returns the resources that a run of the tool can access now, including the operator's grants for this call.
fn reach(app: &App, approval: &Approval) -> Result<CallReach, Problem> {
    let effective = effective_grants_of_tool(app.state(), &approval.skill_id, &approval.tool_id);
    let effective = effective.map_err(|error| error.to_problem())?;
    // Grants that can no longer be parsed permit nothing.
    let of_call = OperatorGrants::parse(&approval.grants).unwrap_or_default();
    let grants = &effective.grants;
    let mapped = grants.filesystem().iter().chain(of_call.capabilities.filesystem());
    let ranges = effective.allow_addresses.iter().chain(&of_call.allow_addresses);
    let mut reach = CallReach {
        hosts: grants.http().iter().map(ToString::to_string).collect(),
        secrets: grants.secrets().iter().map(secret).collect(),
        directories: mapped.filter_map(directory).collect(),
        channels: grants.channels().iter().map(ToString::to_string).collect(),
        storage: grants.storage().iter().map(storage).collect(),
        addresses: ranges.map(ToString::to_string).collect(),
    };
    reach.directories.sort();
    reach.directories.dedup();
    reach.addresses.sort();
    reach.addresses.dedup();
    Ok(reach)
}

fn secret(grant: &SecretGrant) -> ReachedSecret {
    ReachedSecret {
        secret: grant.secret.to_string(),
        hosts: grant.hosts().iter().map(ToString::to_string).collect(),
        inject: grant.inject().iter().map(ToString::to_string).collect(),
        readable: grant.reveal,
    }
}

/// Formats a prefix with its quotas, or as read only.
fn storage(grant: &StorageGrant) -> String {
    match grant.access {
        StorageAccess::Read => format!("{} read only", grant.prefix),
        StorageAccess::ReadWrite => grant.to_string().trim_start_matches("storage:").to_owned(),
    }
}

fn directory(grant: &FilesystemGrant) -> Option<ReachedDirectory> {
    Some(ReachedDirectory {
        root: format!("/{}", grant.root),
        directory: grant.directory()?.display().to_string(),
        writable: grant.access == FilesystemAccess::ReadWrite,
    })
}

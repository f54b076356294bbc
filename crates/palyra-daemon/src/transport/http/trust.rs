//! `/v1/trust`: trusted keys.

mod read;
mod show;

pub(super) use read::{publisher_name, reason};

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::trust::{
    Allowed, AppliedStatement, BlockRequest, BuilderRequest, KeysRequest, MAX_STATEMENT_BYTES, Publisher,
    PublisherInfo, SignedStatement, TrustList,
};
use palyra_common::Scope;
use palyra_policy::Action;
use palyra_skills::trust::{BuilderKey, TrustStatement};
use palyra_state::{StateError, StatementOutcome};

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::body::Raw;
use super::params::Named;
use super::route::{Route, SMALL_BODY};
use crate::app::App;
use crate::problem::equivocation;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/trust", Scope::Read, list)
            .summary("List trusted and blocked publishers, and revocations")
            .answers::<TrustList>(),
        Route::get("/v1/trust/publishers/{publisher}", Scope::Read, show)
            .summary("Show a publisher: keys and their history, skills, revocations")
            .answers::<PublisherInfo>(),
        Route::put("/v1/trust/publishers/{publisher}", Scope::Admin, allow)
            .does(Action::Trust)
            .summary("Trust the keys of a publisher")
            .takes::<KeysRequest>(SMALL_BODY)
            .answers::<Allowed>(),
        Route::post("/v1/trust/publishers/{publisher}/block", Scope::Admin, block)
            .does(Action::Trust)
            .summary("Block a publisher and stop its installed skills")
            .takes::<BlockRequest>(SMALL_BODY)
            .answers::<Publisher>(),
        Route::post("/v1/trust/publishers/{publisher}/unblock", Scope::Admin, unblock)
            .does(Action::Trust)
            .summary("Unblock a publisher; its skills stay quarantined until enabled")
            .answers::<Publisher>(),
        Route::post("/v1/trust/publishers/{publisher}/repin", Scope::Admin, repin)
            .does(Action::Trust)
            .summary("Replace the trusted keys of a publisher without a rotation")
            .takes::<KeysRequest>(SMALL_BODY)
            .answers::<Publisher>(),
        Route::put("/v1/trust/feeds/{feed}", Scope::Admin, follow)
            .does(Action::Trust)
            .summary("Trust a revocation feed")
            .takes::<KeysRequest>(SMALL_BODY)
            .answers::<Allowed>(),
        Route::put("/v1/trust/builders/{builder}", Scope::Admin, allow_builder)
            .does(Action::Trust)
            .summary("Trust the provenance of a builder, up to a level")
            .takes::<BuilderRequest>(SMALL_BODY)
            .answers::<Allowed>(),
        Route::post("/v1/trust/statements", Scope::Admin, apply)
            .does(Action::Trust)
            .summary("Apply a signed rotation or revocation list")
            .takes::<SignedStatement>(MAX_STATEMENT_BYTES)
            .answers::<AppliedStatement>(),
    ]
}

async fn list(State(app): State<Arc<App>>) -> Answer<TrustList> {
    let listed = blocking(&app, |app| Ok::<_, Problem>(show::list(&app.view())));
    Ok(Json(listed.await?))
}

async fn show(State(app): State<Arc<App>>, Named(name): Named<String>) -> Answer<PublisherInfo> {
    blocking(&app, move |app| show::info(&app.view(), &name)).await.map(Json)
}

async fn allow(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
    Json(request): Json<KeysRequest>,
) -> Answer<Allowed> {
    let (name, keys) = (publisher_name(&name)?, read::key_set(&request)?);
    let answer = show::allowed("publisher", &name, &keys);
    let by = principal.name.clone();
    let changed = blocking(&app, move |app| app.trust().allow_publisher(name.as_str(), keys, &by)).await?;
    Ok(Json(Allowed { changed, ..answer }))
}

async fn follow(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
    Json(request): Json<KeysRequest>,
) -> Answer<Allowed> {
    let (name, keys) = (publisher_name(&name)?, read::key_set(&request)?);
    let answer = show::allowed("feed", &name, &keys);
    let by = principal.name.clone();
    let changed = blocking(&app, move |app| app.trust().follow_feed(name.as_str(), keys, &by)).await?;
    Ok(Json(Allowed { changed, ..answer }))
}

async fn allow_builder(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
    Json(BuilderRequest { key, level }): Json<BuilderRequest>,
) -> Answer<Allowed> {
    let (name, key) = (publisher_name(&name)?, read::key(&key)?);
    let answer = Allowed {
        kind: "builder".into(),
        name: name.as_str().to_owned(),
        keys: vec![key.key_id().to_string()],
        threshold: 1,
        changed: false,
    };
    let builder = BuilderKey { name: answer.name.clone(), key, level };
    let changed = blocking(&app, move |app| app.trust().allow_builder(builder, &principal.name)).await?;
    Ok(Json(Allowed { changed, ..answer }))
}

async fn block(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
    Json(request): Json<BlockRequest>,
) -> Answer<Publisher> {
    let reason = reason(request.reason)?;
    let work = move |app: &App, name: &str| app.trust().block_publisher(name, &reason, &principal.name);
    changed(&app, &name, work).await
}

async fn unblock(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<Publisher> {
    let work = move |app: &App, name: &str| app.trust().unblock_publisher(name, &principal.name);
    changed(&app, &name, work).await
}

async fn repin(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
    Json(request): Json<KeysRequest>,
) -> Answer<Publisher> {
    let keys = read::key_set(&request)?;
    let work = move |app: &App, name: &str| app.trust().repin_publisher(name, keys, &principal.name);
    changed(&app, &name, work).await
}

async fn apply(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Raw(bytes): Raw,
) -> Answer<AppliedStatement> {
    blocking(&app, move |app| follow_statement(app, &bytes, &principal.name)).await.map(Json)
}

/// Changes a publisher and returns its new state.
async fn changed(
    app: &Arc<App>,
    name: &str,
    work: impl FnOnce(&App, &str) -> Result<(), StateError> + Send + 'static,
) -> Answer<Publisher> {
    let name = publisher_name(name)?;
    let publisher = blocking(app, move |app| {
        work(app, name.as_str())?;
        Ok::<_, StateError>(show::publisher_now(&app.view(), name.as_str()))
    });
    Ok(Json(publisher.await?))
}

fn follow_statement(app: &App, bytes: &[u8], by: &str) -> Result<AppliedStatement, Failure> {
    let statement = TrustStatement::parse(bytes)?;
    let outcome = app.trust().apply_statement(&statement, by)?;
    let applied = show::statement(&statement);
    let (outcome, newly_revoked) = match outcome {
        StatementOutcome::Rotated => ("rotated", None),
        StatementOutcome::Revoked { added } => ("revoked", Some(added as u64)),
        StatementOutcome::AlreadyKnown => ("already_known", None),
        StatementOutcome::Forked => return Err(equivocation(&applied.issuer).into()),
    };
    Ok(AppliedStatement { outcome: outcome.into(), newly_revoked, ..applied })
}

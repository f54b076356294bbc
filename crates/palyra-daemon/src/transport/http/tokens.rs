//! `/v1/tokens`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::tokens::{NewToken, NewTokenRequest, Token, TokenList};
use palyra_common::{ErrorCode, Principal, Scope, ScopeSet};
use palyra_state::TokenRecord;

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::params::Named;
use super::route::{Route, SMALL_BODY};
use crate::app::App;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/tokens", Scope::Admin, list)
            .summary("List tokens, without their secrets")
            .answers::<TokenList>(),
        Route::post("/v1/tokens", Scope::Admin, add)
            .summary("Create a token; only this response shows its secret")
            .takes::<NewTokenRequest>(SMALL_BODY)
            .answers::<NewToken>(),
        Route::delete("/v1/tokens/{name}", Scope::Admin, remove)
            .summary("Revoke a token at once")
            .answers::<Token>(),
    ]
}

async fn list(State(app): State<Arc<App>>) -> Answer<TokenList> {
    let now = app.expiry_now_ms();
    let tokens = app.tokens().list().iter().map(|record| token_to_api(record, now)).collect();
    Ok(Json(TokenList { tokens }))
}

async fn add(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(request): Json<NewTokenRequest>,
) -> Answer<NewToken> {
    blocking(&app, move |app| make(app, &principal, &request)).await.map(Json)
}

async fn remove(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<Token> {
    let removed = blocking(&app, move |app| app.tokens().remove(&name, &principal.name)).await?;
    Ok(Json(token_to_api(&removed, app.expiry_now_ms())))
}

fn make(app: &App, principal: &Principal, request: &NewTokenRequest) -> Result<NewToken, Failure> {
    let scopes: ScopeSet = request.scopes.iter().copied().collect();
    // A token can grant only scopes that its creator has: `admin` alone never creates an approver.
    if let Some(scope) = scopes.iter().find(|scope| !principal.may(*scope)) {
        return Err(Problem::new(
            ErrorCode::Forbidden,
            format!("a token without the scope `{scope}` cannot grant it"),
        )
        .into());
    }
    let now = app.expiry_now_ms();
    let expires = request.lifetime_seconds.map(|seconds| now.saturating_add(seconds.saturating_mul(1_000)));
    let made = app.tokens().add_by(&request.name, scopes, expires, principal)?;
    Ok(NewToken { token: token_to_api(&made.record, now), secret: made.secret.as_str().to_owned() })
}

fn token_to_api(record: &TokenRecord, now_ms: u64) -> Token {
    let TokenRecord { name, scopes, digest: _, created_ms, expires_ms, lineage: _ } = record;
    Token {
        name: name.clone(),
        scopes: scopes.iter().collect(),
        created_ms: *created_ms,
        expires_ms: *expires_ms,
        expired: record.is_expired(now_ms),
    }
}

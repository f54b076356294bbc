//! `/v1/vault`: names can be read, values only written.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::vault::{
    MAX_SECRET_BODY_BYTES, PutSecretAnswer, PutSecretRequest, RemovedSecret, SecretEntry, SecretList,
};
use palyra_common::capabilities::SecretRef;
use palyra_common::{ErrorCode, MIN_SECRET_BITS, Scope, is_weak_secret};
use palyra_policy::Action;
use palyra_state::StateError;
use palyra_vault::SecretInfo;

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::body::{Sealed, open_secret};
use super::params::Named;
use super::route::Route;
use crate::app::App;
use crate::problem::not_found;
use crate::when;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/vault", Scope::Read, list)
            .summary("List the names of secrets; no value is decrypted")
            .answers::<SecretList>(),
        Route::put("/v1/vault/{scope}/{key}", Scope::Admin, put)
            .does(Action::Vault)
            .summary("Store a secret, or replace it")
            .takes::<PutSecretRequest>(MAX_SECRET_BODY_BYTES)
            .answers::<PutSecretAnswer>(),
        Route::delete("/v1/vault/{scope}/{key}", Scope::Admin, remove)
            .does(Action::Vault)
            .summary("Remove a secret permanently")
            .answers::<RemovedSecret>(),
    ]
}

async fn list(State(app): State<Arc<App>>) -> Answer<SecretList> {
    blocking(&app, names).await.map(Json)
}

async fn put(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named((scope, key)): Named<(String, String)>,
    Sealed(request): Sealed<PutSecretRequest>,
) -> Answer<PutSecretAnswer> {
    let secret = reference(&scope, &key)?;
    let value = open_secret(&request.value)?;
    // An empty value is rejected by the vault.
    if !request.allow_weak && !value.expose().is_empty() && is_weak_secret(value.expose()) {
        return Err(weak(&secret).into());
    }
    let put = blocking(&app, move |app| app.vault().put_secret(&secret, &value, &principal.name)).await?;
    let SecretEntry { secret, created, updated } = entry(&put.info);
    Ok(Json(PutSecretAnswer { secret, created, updated, replaced: put.replaced }))
}

async fn remove(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named((scope, key)): Named<(String, String)>,
) -> Answer<RemovedSecret> {
    let secret = reference(&scope, &key)?;
    blocking(&app, move |app| take_away(app, &secret, &principal.name)).await.map(Json)
}

fn names(app: &App) -> Result<SecretList, StateError> {
    let list = app.state().vault().secrets().list()?;
    let protection = app.state().vault().describe();
    Ok(SecretList {
        secrets: list.secrets.iter().map(entry).collect(),
        damaged: list.damaged.iter().map(|file| file.error.to_string()).collect(),
        device_key: protection.name().to_owned(),
        protection: protection.describe().to_owned(),
    })
}

fn take_away(app: &App, secret: &SecretRef, by: &str) -> Result<RemovedSecret, Failure> {
    if !app.vault().remove_secret(secret, by)? {
        let known = names(app)?.secrets.into_iter().map(|entry| entry.secret).collect();
        return Err(not_found("secret", &secret.to_string(), known).into());
    }
    Ok(RemovedSecret { secret: secret.to_string() })
}

/// Returns the problem of a value that can be guessed from what a guest may do with it.
fn weak(secret: &SecretRef) -> Problem {
    let message =
        format!("the value of `{secret}` is too easy to guess: it has fewer than {MIN_SECRET_BITS} bits");
    Problem::new(ErrorCode::Usage, message).hint("use a longer random value").hint(format!(
        "store it anyway with `palyra vault put {secret} --allow-weak`, or `allow_weak` in the request"
    ))
}

/// Parses a secret reference. The error does not repeat the text, which may be a secret value.
fn reference(scope: &str, key: &str) -> Result<SecretRef, Problem> {
    format!("{scope}/{key}").parse().map_err(|_| {
        Problem::new(ErrorCode::Usage, "invalid secret reference: expected SCOPE/KEY").hint(
            "the scope is `global`, `principal:NAME`, `channel:NAME` or `skill:ID`, for example \
            `global/github_token`",
        )
    })
}

fn entry(info: &SecretInfo) -> SecretEntry {
    SecretEntry {
        secret: info.reference.to_string(),
        created: when(info.created_ms),
        updated: when(info.updated_ms),
    }
}

//! `/v1/keys`, and rotations from one key to another.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use palyra_api::keys::{
    ImportKeyRequest, KeyList, NewKeyRequest, ReleaseSignature, RevokeKeyRequest, RevokedKey, RotateRequest,
    Rotation, SealKeyRequest, SealedKey, SignReleaseRequest, SigningKey, Succession,
};
use palyra_api::{Problem, SecretBytes, SecretText};
use palyra_common::{ErrorCode, Principal, Scope};
use palyra_policy::Action;
use palyra_skills::signing::dsse::EnvelopeSignature;
use palyra_skills::signing::{ListedKey, PublisherKey};
use palyra_skills::trust::{SignedRotation, TrustStatement};
use palyra_state::{KeysError, RevocationStatement, RevokeKey, RotateKeys};
use palyra_vault::{KeyState, Passphrase, SigningKeyInfo};
use serde_json::value::RawValue;

use super::access::{Arrival, Caller};
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::body::{Sealed, open_secret};
use super::params::Named;
use super::route::{Route, SMALL_BODY};
use super::trust::{publisher_name, reason};
use crate::app::App;
use crate::problem::ToProblem;
use crate::when;

/// Maximum body of a signing request in bytes: a statement has at most 1 MiB, and JSON escapes its quotes.
const SIGN_BODY: usize = 2 << 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/keys", Scope::Read, list)
            .summary("List signing keys, without their secret halves")
            .answers::<KeyList>(),
        Route::post("/v1/keys", Scope::Admin, new)
            .does(Action::Vault)
            .summary("Create a signing key; its secret half stays in the vault")
            .takes::<NewKeyRequest>(SMALL_BODY)
            .answers::<SigningKey>(),
        Route::get("/v1/keys/{name}", Scope::Read, show)
            .summary("Show the public half of a key")
            .answers::<SigningKey>(),
        Route::post("/v1/keys/{name}/import", Scope::Admin, import)
            .does(Action::Vault)
            .summary("Import a key from an encrypted key file")
            .takes::<ImportKeyRequest>(SMALL_BODY)
            .answers::<SigningKey>(),
        Route::post("/v1/keys/{name}/seal", Scope::Admin, seal)
            .does(Action::Vault)
            .summary("Export a key encrypted with a passphrase; only for the owner on this machine")
            .takes::<SealKeyRequest>(SMALL_BODY)
            .answers::<SealedKey>(),
        Route::post("/v1/keys/{name}/sign", Scope::Admin, sign)
            .does(Action::Vault)
            .summary("Sign the statement of a release or key rotation; the key stays in the vault")
            .takes::<SignReleaseRequest>(SIGN_BODY)
            .answers::<ReleaseSignature>(),
        Route::get("/v1/trust/publishers/{publisher}/succession", Scope::Read, succession)
            .summary("Show the keys, epoch and rotation statements for the next release of a publisher")
            .answers::<Succession>(),
        Route::post("/v1/keys/{name}/revoke", Scope::Admin, revoke)
            .does(Action::Vault)
            .summary("Revoke a key permanently")
            .takes::<RevokeKeyRequest>(SMALL_BODY)
            .answers::<RevokedKey>(),
        Route::post("/v1/trust/publishers/{publisher}/rotate", Scope::Admin, rotate)
            .does(Action::Trust)
            .summary("Rotate a publisher to other keys of the vault and retire the old ones")
            .takes::<RotateRequest>(SMALL_BODY)
            .answers::<Rotation>(),
    ]
}

async fn list(State(app): State<Arc<App>>) -> Answer<KeyList> {
    let listed = blocking(&app, |app| {
        let list = app.state().vault().keys().list().map_err(KeysError::from)?;
        let keys = list.keys.iter().map(key_to_api).collect::<Result<_, _>>()?;
        let damaged = list.damaged.iter().map(|file| file.error.to_string()).collect();
        Ok::<_, KeysError>(KeyList { keys, damaged })
    });
    Ok(Json(listed.await?))
}

async fn new(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(request): Json<NewKeyRequest>,
) -> Answer<SigningKey> {
    let made = blocking(&app, move |app| {
        app.vault().create_key(&request.name, &principal.name).and_then(|info| key_to_api(&info))
    });
    Ok(Json(made.await?))
}

async fn show(State(app): State<Arc<App>>, Named(name): Named<String>) -> Answer<SigningKey> {
    let shown = blocking(&app, move |app| app.vault().signing_key(&name).and_then(|info| key_to_api(&info)));
    Ok(Json(shown.await?))
}

async fn import(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
    Sealed(request): Sealed<ImportKeyRequest>,
) -> Answer<SigningKey> {
    let imported = blocking(&app, move |app| {
        let passphrase = passphrase(&request.passphrase)?;
        let sealed = open_secret(&request.key_file)?;
        let info = app.vault().import_key(&name, sealed.expose(), &passphrase, &principal.name)?;
        Ok::<_, Failure>(key_to_api(&info)?)
    });
    Ok(Json(imported.await?))
}

async fn seal(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    arrival: Option<Extension<Arrival>>,
    Named(name): Named<String>,
    Sealed(request): Sealed<SealKeyRequest>,
) -> Answer<SealedKey> {
    must_be_here(&principal, arrival.map(|Extension(arrival)| arrival))?;
    let sealed = blocking(&app, move |app| {
        let (info, text) = app.vault().seal_key(&name, &passphrase(&request.passphrase)?, &principal.name)?;
        Ok::<_, Failure>(SealedKey { key: key_to_api(&info)?, key_file: SecretText::new(text) })
    });
    Ok(Json(sealed.await?))
}

async fn rotate(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(publisher): Named<String>,
    Json(request): Json<RotateRequest>,
) -> Answer<Rotation> {
    let publisher = publisher_name(&publisher)?.as_str().to_owned();
    let RotateRequest { from, to, from_threshold, to_threshold, epoch } = request;
    let request = RotateKeys { publisher, from, to, from_threshold, to_threshold, epoch };
    let rotation = blocking(&app, move |app| app.vault().rotate_keys(&request, &principal.name)).await?;
    handed_over(rotation).map(Json)
}

async fn sign(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
    Json(request): Json<SignReleaseRequest>,
) -> Answer<ReleaseSignature> {
    let signed = blocking(&app, move |app| {
        app.vault().sign_statement(&name, request.statement.as_bytes(), &principal.name)
    });
    let EnvelopeSignature { keyid, sig } = signed.await?;
    Ok(Json(ReleaseSignature { key_id: keyid.to_string(), signature: sig }))
}

async fn succession(State(app): State<Arc<App>>, Named(publisher): Named<String>) -> Answer<Succession> {
    let publisher = publisher_name(&publisher)?.as_str().to_owned();
    let known = blocking(&app, move |app| {
        let view = app.view();
        let anchor = view.trust().publisher(&publisher).and_then(|trust| trust.anchor.as_ref());
        let rotations = app.vault().signed_rotations(&publisher)?.into_iter();
        let statements = rotations.map(|rotation| written(&TrustStatement::Rotation(Box::new(rotation))));
        Ok::<_, Failure>(Succession {
            epoch: anchor.and_then(|anchor| anchor.epoch),
            keys: anchor
                .map(|anchor| anchor.keys.keys().map(ToString::to_string).collect())
                .unwrap_or_default(),
            threshold: anchor.map(|anchor| anchor.keys.threshold()),
            statements: statements.collect::<Result<_, _>>()?,
            publisher,
        })
    });
    Ok(Json(known.await?))
}

async fn revoke(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
    Json(request): Json<RevokeKeyRequest>,
) -> Answer<RevokedKey> {
    let wanted = request.statement.map(|statement| {
        let publisher = publisher_name(&statement.publisher)?.as_str().to_owned();
        let (sign_with, number) = (statement.sign_with, statement.number);
        Ok::<_, Problem>(RevocationStatement { publisher, sign_with, number })
    });
    let reason = reason(request.reason)?;
    let request = RevokeKey { name, reason: reason.clone(), statement: wanted.transpose()? };
    let revoked = blocking(&app, move |app| app.vault().revoke_key(&request, &principal.name)).await?;
    let statement = revoked.statement.as_ref().map(written).transpose()?;
    Ok(Json(RevokedKey { key: key_to_api(&revoked.info)?, reason, statement }))
}

/// Requires the owner on this machine: a whole key, even encrypted, leaves the vault only there.
fn must_be_here(principal: &Principal, arrival: Option<Arrival>) -> Result<(), Problem> {
    match arrival {
        Some(Arrival::InProcess | Arrival::Socket) if principal.is_owner() => Ok(()),
        _ => Err(Problem::new(ErrorCode::Forbidden, "only the owner on this machine can export a key")
            .hint("run `palyra keys export NAME --key-file FILE` on the machine of the daemon")),
    }
}

fn passphrase(secret: &SecretBytes) -> Result<Passphrase, Problem> {
    Passphrase::new(open_secret(secret)?.expose()).map_err(|error| error.to_problem())
}

fn handed_over(rotation: SignedRotation) -> Result<Rotation, Failure> {
    let statement = rotation.statement().clone();
    let ids = |keys: &[ListedKey]| keys.iter().map(|key| key.key_id.to_string()).collect();
    let statement_sha256 = rotation.digest().to_string();
    Ok(Rotation {
        publisher: statement.publisher,
        from_epoch: statement.from_epoch,
        to_epoch: statement.to_epoch,
        retired: ids(&statement.old_keys),
        new_keys: ids(&statement.new_keys),
        statement: written(&TrustStatement::Rotation(Box::new(rotation)))?,
        statement_sha256,
    })
}

/// Returns a statement byte for byte as it is published.
fn written(statement: &TrustStatement) -> Result<Box<RawValue>, Failure> {
    let internal = |error: String| Failure::from(Problem::new(ErrorCode::Internal, error));
    let bytes = statement.encode().map_err(|error| internal(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| internal(error.to_string()))?;
    RawValue::from_string(text).map_err(|error| internal(error.to_string()))
}

fn key_to_api(info: &SigningKeyInfo) -> Result<SigningKey, KeysError> {
    let SigningKeyInfo { name, public_key, created_ms, state } = info;
    let since = match *state {
        KeyState::Active => None,
        KeyState::Retired { since_ms } | KeyState::Revoked { since_ms } => Some(when(since_ms)),
    };
    Ok(SigningKey {
        name: name.clone(),
        key_id: info.key_id(),
        public_key: PublisherKey::from_bytes(public_key)?.to_string(),
        state: state.name().to_owned(),
        since,
        created: when(*created_ms),
    })
}

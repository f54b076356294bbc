//! Requests that run the install pipeline: install, enable, consent and rollback.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use palyra_api::Problem;
use palyra_api::skills::{ConsentAsked, ConsentBody, EnableBody, InstallOutcome, InstallQuery, RollbackBody};
use palyra_common::{ErrorCode, Principal, Scope};
use palyra_policy::Action;
use palyra_skills::RuntimeStatus;
use palyra_skills::consent::{ConsentGiven, ConsentRequest};
use palyra_state::authorizer::unnamed_skill;
use palyra_state::{Authorizer, InstallOptions};
use serde_json::json;

use super::known;
use super::pipeline::{install_authorized, walk};
use crate::app::App;
use crate::problem::deciding_rule;
use crate::to_api::ToApi;
use crate::transport::http::access::Caller;
use crate::transport::http::answer::{Answer, Failure, Json};
use crate::transport::http::blocking::blocking;
use crate::transport::http::params::{Asked, Named};
use crate::transport::http::upload::Upload;

/// The options of an installation and the permissions of its caller: scopes are checked before the package is read, and
/// the policy is evaluated for the planned release.
pub(super) struct Permitted {
    principal: Arc<Principal>,
    options: InstallOptions,
    promotes: bool,
    update: bool,
}

pub(super) async fn install(
    State(app): State<Arc<App>>,
    permitted: Permitted,
    upload: Upload,
) -> Answer<InstallOutcome> {
    let Permitted { principal, options, promotes, update } = permitted;
    let install = move |app: &App, bytes| {
        let request = options.request(bytes);
        walk(app, |state, observe| {
            if update {
                state.skills().plan_update(&request)?;
            }
            install_authorized(app, &principal, &request, promotes, observe)
        })
    };
    let outcome = upload.judge(&app, install).await?;
    Ok(compiled_soon(&app, outcome))
}

/// Starts compiling the release if it can run now; the response does not wait for it.
fn compiled_soon(app: &Arc<App>, outcome: InstallOutcome) -> Json<InstallOutcome> {
    let code = app.compile_in_background(&outcome.record.skill_id);
    Json(InstallOutcome { code, ..outcome })
}

pub(super) async fn enable(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
    Json(body): Json<EnableBody>,
) -> Answer<InstallOutcome> {
    let accept = each(&body.accept)?;
    blocking(&app, move |app| {
        known(app, &skill_id)?;
        walk(app, |state, observe| state.skills().enable(&skill_id, accept, &principal.name, observe))
    })
    .await
    .map(|outcome| compiled_soon(&app, outcome))
}

pub(super) async fn consent_asked(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
) -> Answer<ConsentAsked> {
    blocking(&app, move |app| {
        let record = known(app, &skill_id)?;
        let outcome = app.skills().plan_decision(&skill_id, &principal.name)?;
        let current = record.release(outcome.payload).unwrap_or(&record.current);
        let first = || ConsentRequest::new(&current.manifest, current.payload, None);
        let digest = outcome.consent_request.clone().unwrap_or_else(first).digest().to_string();
        let needed = outcome.status == RuntimeStatus::AwaitingConsent;
        Ok::<_, Failure>(ConsentAsked { digest, needed, outcome: outcome.to_api() })
    })
    .await
    .map(Json)
}

pub(super) async fn consent(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
    Json(body): Json<ConsentBody>,
) -> Answer<InstallOutcome> {
    let given = ConsentGiven {
        digest: one(&body.digest)?,
        principal: principal.name.clone(),
        secrets: each(&body.secrets)?,
    };
    blocking(&app, move |app| {
        known(app, &skill_id)?;
        walk(app, |state, observe| state.skills().consent(&skill_id, given, &principal.name, observe))
    })
    .await
    .map(|outcome| compiled_soon(&app, outcome))
}

pub(super) async fn rollback(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
    Json(body): Json<RollbackBody>,
) -> Answer<InstallOutcome> {
    blocking(&app, move |app| {
        known(app, &skill_id)?;
        walk(app, |state, observe| {
            let request = state.skills().rollback_request(&skill_id, body.version.as_deref())?;
            install_authorized(app, &principal, &request, false, observe)
        })
    })
    .await
    .map(|outcome| compiled_soon(&app, outcome))
}

/// Converts the consent in a query to options of the pipeline, with the consenting principal.
pub(in crate::transport::http) fn install_options(
    query: &InstallQuery,
    principal: &str,
) -> Result<InstallOptions, Failure> {
    let listed = |text: &Option<String>| -> Vec<String> {
        let parts = text.as_deref().unwrap_or_default().split(',').filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let secrets = each(&listed(&query.secrets))?;
    let consent = match &query.consent {
        Some(digest) => Some(ConsentGiven { digest: one(digest)?, principal: principal.to_owned(), secrets }),
        None if secrets.is_empty() => None,
        None => {
            return Err(Problem::new(ErrorCode::Usage, "`secrets` requires `consent`").into());
        }
    };
    Ok(InstallOptions { allow_tofu: query.allow_tofu, consent, accept: each(&listed(&query.accept))? })
}

impl FromRequestParts<Arc<App>> for Permitted {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        let Caller(principal) = Caller::from_request_parts(parts, app).await?;
        let Asked(query) = Asked::<InstallQuery>::from_request_parts(parts, app).await?;
        if query.widens() && !principal.may(Scope::Admin) {
            return Err(may_not_widen(&app.authorizer(), &principal).into());
        }
        let options = install_options(&query, &principal.name)?;
        Ok(Self { principal, options, promotes: query.widens(), update: query.update })
    }
}

/// Returns the problem of a consent without permission: consent with an installation promotes a skill, and requires
/// that scope before the package is read.
fn may_not_widen(authorizer: &Authorizer, principal: &Principal) -> Problem {
    let rule = authorizer.explain(principal, Action::Promote, unnamed_skill());
    let message = format!("consent with an installation requires the scope `{}`", Scope::Admin);
    Problem::new(ErrorCode::Forbidden, message)
        .hint("without it the skill is stored and awaits consent")
        .details(json!({ "scope": Scope::Admin, "action": Action::Promote,
            "policy": rule.as_deref().map(deciding_rule) }))
}

/// Parses one value with the type of the library.
fn one<T: FromStr<Err: Display>>(text: &str) -> Result<T, Failure> {
    text.parse().map_err(|error: T::Err| Problem::new(ErrorCode::Usage, error.to_string()).into())
}

fn each<T: FromStr<Err: Display> + Ord>(texts: &[String]) -> Result<BTreeSet<T>, Failure> {
    texts.iter().map(|text| one(text)).collect()
}

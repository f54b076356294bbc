//! `/v1/models`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::models::{AddModelRequest, Model, ModelList, ModelTest};
use palyra_common::{ErrorCode, Scope};
use palyra_models::Protocol;
use palyra_state::models::ModelRecord;

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::params::Named;
use super::route::{Route, SMALL_BODY};
use crate::app::App;
use crate::models::{probe, provider_for};
use crate::to_api::ToApi;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/models", Scope::Read, list)
            .summary("List models and the default one")
            .answers::<ModelList>(),
        Route::post("/v1/models", Scope::Admin, add)
            .summary("Add a model")
            .takes::<AddModelRequest>(SMALL_BODY)
            .answers::<Model>(),
        Route::get("/v1/models/{name}", Scope::Read, show).summary("Show a model").answers::<Model>(),
        Route::delete("/v1/models/{name}", Scope::Admin, remove).summary("Remove a model").answers::<Model>(),
        Route::post("/v1/models/{name}/default", Scope::Admin, set_default)
            .summary("Set the default model")
            .answers::<Model>(),
        Route::post("/v1/models/{name}/test", Scope::Operate, test)
            .summary("Test a model's latency, streaming and tool calls")
            .answers::<ModelTest>(),
    ]
}

async fn list(State(app): State<Arc<App>>) -> Answer<ModelList> {
    let list = |app: &App| -> Result<ModelList, Failure> {
        let models = app.models();
        let default = models.default_name();
        let shown = models.list().iter().map(|record| shown(record, default.as_deref())).collect();
        Ok(ModelList { models: shown, default })
    };
    blocking(&app, list).await.map(Json)
}

async fn show(State(app): State<Arc<App>>, Named(name): Named<String>) -> Answer<Model> {
    blocking(&app, move |app| Ok::<_, Failure>(show_one(app, &app.models().get(&name)?))).await.map(Json)
}

async fn add(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(request): Json<AddModelRequest>,
) -> Answer<Model> {
    let add = move |app: &App| -> Result<Model, Failure> {
        let record = app.models().add(record(request)?, &principal.name)?;
        Ok(show_one(app, &record))
    };
    blocking(&app, add).await.map(Json)
}

async fn remove(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<Model> {
    let remove = move |app: &App| -> Result<Model, Failure> {
        let models = app.models();
        let shown = show_one(app, &models.get(&name)?);
        models.remove(&name, &principal.name)?;
        Ok(shown)
    };
    blocking(&app, remove).await.map(Json)
}

async fn set_default(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<Model> {
    let choose = move |app: &App| -> Result<Model, Failure> {
        let record = app.models().set_default(&name, &principal.name)?;
        Ok(show_one(app, &record))
    };
    blocking(&app, choose).await.map(Json)
}

async fn test(State(app): State<Arc<App>>, Named(name): Named<String>) -> Answer<ModelTest> {
    let record = blocking(&app, move |app| app.models().get(&name)).await?;
    let provider = provider_for(&app, &record).await?;
    Ok(Json(probe(&provider, &record).await))
}

fn show_one(app: &App, record: &ModelRecord) -> Model {
    shown(record, app.models().default_name().as_deref())
}

fn shown(record: &ModelRecord, default: Option<&str>) -> Model {
    let ModelRecord {
        name,
        protocol,
        base_url,
        model,
        key,
        allow_loopback,
        context_tokens,
        max_output_tokens,
        price,
        small,
    } = record;
    Model {
        name: name.clone(),
        protocol: protocol.to_string(),
        base_url: base_url.clone(),
        model: model.clone(),
        key: key.clone(),
        allow_loopback: *allow_loopback,
        context_tokens: *context_tokens,
        max_output_tokens: *max_output_tokens,
        price: price.to_api(),
        small: *small,
        is_default: default == Some(name),
    }
}

fn record(request: AddModelRequest) -> Result<ModelRecord, Problem> {
    let AddModelRequest {
        name,
        protocol,
        base_url,
        model,
        key,
        allow_loopback,
        context_tokens,
        max_output_tokens,
        price,
        small,
    } = request;
    let protocol: Protocol = protocol
        .parse()
        .map_err(|error: palyra_models::UnknownProtocol| Problem::new(ErrorCode::Usage, error.to_string()))?;
    Ok(ModelRecord {
        name,
        protocol,
        base_url,
        model,
        key,
        allow_loopback,
        context_tokens,
        max_output_tokens,
        price,
        small,
    })
}

//! `/v1/hooks`.

mod bindings;
mod letters;

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::hooks::{
    ApplyRequest, BindRequest, DeadLetter, DeadLetterList, HookBinding, HookList, HookTest, TestRequest,
};
use palyra_common::{ErrorCode, JsonText, Scope};
use palyra_runner::HookInvocation;
use palyra_state::hooks::{HookBindingRecord, HookError, HookEventKind, sample_payload};

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::params::Named;
use super::route::{Route, SMALL_BODY};
use crate::app::App;
use crate::problem::{ToProblem, closest};
pub(super) use bindings::answered;
use bindings::{list_of, one_of};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![
        Route::get("/v1/hooks", Scope::Read, list)
            .summary("List the applied bindings and how `hooks/bindings.json` differs")
            .answers::<HookList>(),
        Route::post("/v1/hooks", Scope::Admin, bind)
            .summary("Bind a hook of a skill to an event")
            .takes::<BindRequest>(SMALL_BODY)
            .answers::<HookBinding>(),
        Route::post("/v1/hooks/apply", Scope::Admin, apply)
            .summary("Apply `hooks/bindings.json`, or restore it from the applied bindings")
            .takes::<ApplyRequest>(SMALL_BODY)
            .answers::<HookList>(),
        Route::get("/v1/hooks/bindings/{id}", Scope::Read, show)
            .summary("Show a binding with its progress")
            .answers::<HookBinding>(),
        Route::delete("/v1/hooks/bindings/{id}", Scope::Admin, unbind)
            .summary("Remove a binding")
            .answers::<HookBinding>(),
        Route::post("/v1/hooks/bindings/{id}/enable", Scope::Admin, enable)
            .summary("Enable a binding for events from now on")
            .answers::<HookBinding>(),
        Route::post("/v1/hooks/bindings/{id}/disable", Scope::Admin, disable)
            .summary("Disable a binding")
            .answers::<HookBinding>(),
        Route::post("/v1/hooks/bindings/{id}/test", Scope::Operate, test)
            .summary("Send a sample event to a hook in a separate run, and return its decision")
            .takes::<TestRequest>(SMALL_BODY)
            .answers::<HookTest>(),
    ];
    routes.extend(letters::routes());
    routes
}

async fn list(State(app): State<Arc<App>>) -> Answer<HookList> {
    blocking(&app, list_of).await.map(Json)
}

async fn show(State(app): State<Arc<App>>, Named(id): Named<String>) -> Answer<HookBinding> {
    blocking(&app, move |app| one_of(app, &id)).await.map(Json)
}

async fn bind(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(request): Json<BindRequest>,
) -> Answer<HookBinding> {
    let bind = move |app: &App| -> Result<HookBinding, Failure> {
        let binding = read(app, request)?;
        let id = binding.id.clone();
        app.hooks().bind(binding, &principal.name)?;
        one_of(app, &id)
    };
    blocking(&app, bind).await.map(Json)
}

async fn unbind(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(id): Named<String>,
) -> Answer<HookBinding> {
    let unbind = move |app: &App| -> Result<HookBinding, Failure> {
        let binding = one_of(app, &id)?;
        app.hooks().unbind(&id, &principal.name)?;
        Ok(binding)
    };
    blocking(&app, unbind).await.map(Json)
}

async fn enable(app: State<Arc<App>>, caller: Caller, id: Named<String>) -> Answer<HookBinding> {
    switch(app, caller, id, true).await
}

async fn disable(app: State<Arc<App>>, caller: Caller, id: Named<String>) -> Answer<HookBinding> {
    switch(app, caller, id, false).await
}

async fn switch(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(id): Named<String>,
    enabled: bool,
) -> Answer<HookBinding> {
    let switch = move |app: &App| -> Result<HookBinding, Failure> {
        app.hooks().switch(&id, enabled, &principal.name)?;
        one_of(app, &id)
    };
    blocking(&app, switch).await.map(Json)
}

async fn apply(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(request): Json<ApplyRequest>,
) -> Answer<HookList> {
    let apply = move |app: &App| -> Result<HookList, Failure> {
        if request.restore {
            app.hooks().restore_file()?
        } else {
            app.hooks().apply(&principal.name)?
        };
        list_of(app)
    };
    blocking(&app, apply).await.map(Json)
}

async fn test(
    State(app): State<Arc<App>>,
    Named(id): Named<String>,
    Json(request): Json<TestRequest>,
) -> Answer<HookTest> {
    let binding = bindings::binding(&app, &id)?;
    let payload =
        request.payload.as_ref().map_or_else(|| sample_payload(&binding, app.now_ms()), JsonText::from);
    let invocation = HookInvocation {
        binding: Arc::clone(&binding),
        payload,
        sequence: None,
        delivers: false,
        cancel: None,
    };
    let answer = app.run_hook(invocation).await.map_err(|error| error.to_problem())?;
    Ok(Json(answered(&binding.id, binding.event.as_str(), answer)))
}

/// Converts a request to a binding; missing parts come from the manifest.
fn read(app: &App, request: BindRequest) -> Result<HookBindingRecord, Failure> {
    let event = event(&request.event)?;
    let hook = match request.hook {
        Some(hook) => hook,
        None => only_hook(app, &request.plugin, event)?,
    };
    let id = request.id.unwrap_or_else(|| usual_id(&request.plugin, event));
    let usual = HookBindingRecord::new(id, event, request.plugin, hook);
    Ok(HookBindingRecord {
        enabled: !request.disabled,
        order: request.order.unwrap_or(usual.order),
        timeout_ms: request.timeout_ms,
        fuel: request.fuel,
        max_attempts: request.max_attempts,
        skills: request.skills,
        tools: request.tools,
        ..usual
    })
}

fn event(name: &str) -> Result<HookEventKind, Problem> {
    name.parse().map_err(|error: palyra_state::hooks::UnknownEvent| {
        let known: Vec<String> = HookEventKind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
        let meant = closest(name, &known).map(|name| format!("did you mean `{name}`?"));
        Problem::new(ErrorCode::Usage, error.to_string())
            .hints(meant)
            .details(serde_json::json!({ "known": known }))
    })
}

fn only_hook(app: &App, plugin: &str, event: HookEventKind) -> Result<String, Failure> {
    let view = app.view();
    let bad = |field, reason: String| HookError::Bad { id: plugin.to_owned(), field, reason };
    let record =
        view.index().get(plugin).ok_or_else(|| bad("plugin", format!("`{plugin}` is not installed")))?;
    let hears = |hook: &&palyra_skills::manifest::HookEntrypoint| {
        hook.events.iter().any(|name| name == event.as_str())
    };
    let mut found = record.current.manifest.entrypoints.hooks.iter().filter(hears);
    match (found.next(), found.next()) {
        (Some(hook), None) => Ok(hook.id.clone()),
        (None, _) => Err(bad("hook", format!("`{plugin}` has no hook for `{event}`")).into()),
        (Some(one), Some(other)) => {
            let reason = format!("both `{}` and `{}` handle `{event}`: choose one", one.id, other.id);
            Err(bad("hook", reason).into())
        }
    }
}

/// Returns the default id of a binding, such as `acme-notes-run-before_tool`.
fn usual_id(plugin: &str, event: HookEventKind) -> String {
    let name = format!("{plugin}-{event}").replace(['.', ':'], "-");
    name.chars().take(60).collect()
}

//! `/v1/plugins`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::plugins::{
    BlastRadius, Config, ConfigChange, PluginCheck, PluginGrants, PluginInfo, PluginList, Profile,
    ProfileChange, Removed,
};
use palyra_common::Scope;
use palyra_policy::Action;

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::params::Named;
use super::route::{Route, SMALL_BODY};
use crate::app::App;
use crate::plugins;

pub(super) fn routes() -> Vec<Route> {
    let looking = vec![
        Route::get("/v1/plugins", Scope::Read, list)
            .summary("List plugins with their effective grants")
            .answers::<PluginList>(),
        Route::get("/v1/plugins/{skill_id}", Scope::Read, info)
            .summary("Show a plugin: declared and used capabilities, profile and settings")
            .answers::<PluginInfo>(),
        Route::get("/v1/plugins/{skill_id}/grants", Scope::Read, grants)
            .summary("Show the effective grants and who allowed or denied each")
            .answers::<PluginGrants>(),
        Route::get("/v1/plugins/{skill_id}/check", Scope::Read, check)
            .summary("Check whether a call would start now, without running it")
            .answers::<PluginCheck>(),
        Route::get("/v1/plugins/{skill_id}/touched", Scope::Read, touched)
            .summary("Show everything a skill has used, even after its removal")
            .answers::<BlastRadius>(),
    ];
    looking.into_iter().chain(profile_routes()).chain(config_routes()).collect()
}

fn profile_routes() -> [Route; 3] {
    const PATH: &str = "/v1/plugins/{skill_id}/profile";
    [
        Route::get(PATH, Scope::Read, profile)
            .summary("Show the capability profile of a plugin")
            .answers::<Profile>(),
        Route::put(PATH, Scope::Admin, set_profile)
            .does(Action::Grant)
            .summary("Change the capability profile of a plugin")
            .takes::<ProfileChange>(SMALL_BODY)
            .answers::<Profile>(),
        Route::delete(PATH, Scope::Admin, remove_profile)
            .does(Action::Grant)
            .summary("Remove the capability profile of a plugin")
            .answers::<Removed>(),
    ]
}

fn config_routes() -> [Route; 3] {
    const PATH: &str = "/v1/plugins/{skill_id}/config";
    [
        Route::get(PATH, Scope::Read, config).summary("Show the settings of a plugin").answers::<Config>(),
        Route::put(PATH, Scope::Operate, set_config)
            .summary("Change settings of a plugin; other settings keep their values")
            .takes::<ConfigChange>(SMALL_BODY)
            .answers::<Config>(),
        Route::delete(PATH, Scope::Operate, remove_config)
            .summary("Remove all settings of a plugin")
            .answers::<Removed>(),
    ]
}

async fn list(State(app): State<Arc<App>>) -> Answer<PluginList> {
    let plugins = blocking(&app, |app| plugins::list(app.state())).await?;
    Ok(Json(PluginList { plugins }))
}

async fn info(State(app): State<Arc<App>>, Named(skill_id): Named<String>) -> Answer<PluginInfo> {
    blocking(&app, move |app| plugins::info(app.state(), &skill_id)).await.map(Json)
}

async fn grants(State(app): State<Arc<App>>, Named(skill_id): Named<String>) -> Answer<PluginGrants> {
    blocking(&app, move |app| plugins::grants(app.state(), &skill_id)).await.map(Json)
}

async fn check(State(app): State<Arc<App>>, Named(skill_id): Named<String>) -> Answer<PluginCheck> {
    blocking(&app, move |app| plugins::check(app.state(), &skill_id)).await.map(Json)
}

async fn touched(State(app): State<Arc<App>>, Named(skill_id): Named<String>) -> Answer<BlastRadius> {
    blocking(&app, move |app| plugins::touched(app.state(), &skill_id)).await.map(Json)
}

async fn profile(State(app): State<Arc<App>>, Named(skill_id): Named<String>) -> Answer<Profile> {
    blocking(&app, move |app| plugins::profile(app.state(), &skill_id)).await.map(Json)
}

async fn set_profile(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
    Json(change): Json<ProfileChange>,
) -> Answer<Profile> {
    blocking(&app, move |app| plugins::change_profile(app.state(), &skill_id, &change, &principal.name))
        .await
        .map(Json)
}

async fn remove_profile(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
) -> Answer<Removed> {
    blocking(&app, move |app| {
        plugins::installed(app.state(), &skill_id)?;
        let removed = app.settings().remove_profile(&skill_id, &principal.name)?;
        Ok::<_, Failure>(Removed { skill_id, removed })
    })
    .await
    .map(Json)
}

async fn config(State(app): State<Arc<App>>, Named(skill_id): Named<String>) -> Answer<Config> {
    blocking(&app, move |app| plugins::config(app.state(), &skill_id)).await.map(Json)
}

async fn set_config(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
    Json(change): Json<ConfigChange>,
) -> Answer<Config> {
    blocking(&app, move |app| {
        plugins::installed(app.state(), &skill_id)?;
        app.settings().set_plugin_config(&skill_id, &change.values, &principal.name)?;
        Ok::<_, Failure>(plugins::config(app.state(), &skill_id)?)
    })
    .await
    .map(Json)
}

async fn remove_config(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
) -> Answer<Removed> {
    blocking(&app, move |app| {
        plugins::installed(app.state(), &skill_id)?;
        let removed = app.settings().remove_plugin_config(&skill_id, &principal.name)?;
        Ok::<_, Failure>(Removed { skill_id, removed })
    })
    .await
    .map(Json)
}

//! `palyra.plugins.v1.PluginsService`.

use palyra_api::grpc::plugins::v1::plugins_service_server::PluginsService;
use palyra_api::grpc::plugins::v1::{
    CheckPluginRequest, CheckPluginResponse, GetConfigRequest, GetConfigResponse, GetGrantsRequest,
    GetGrantsResponse, GetPluginRequest, GetPluginResponse, GetProfileRequest, GetProfileResponse,
    GetTouchedRequest, GetTouchedResponse, ListPluginsRequest, ListPluginsResponse, RemoveConfigRequest,
    RemoveConfigResponse, RemoveProfileRequest, RemoveProfileResponse, SetConfigRequest, SetConfigResponse,
    SetProfileRequest, SetProfileResponse,
};
use palyra_api::plugins::{ConfigChange, ProfileChange};
use tonic::{Request, Response};

use super::answer::{Answer, enter, to_message};
use super::asked::value;

pub(super) struct Plugins;

#[tonic::async_trait]
impl PluginsService for Plugins {
    async fn list_plugins(&self, request: Request<ListPluginsRequest>) -> Answer<ListPluginsResponse> {
        let (client, _) = enter(request)?;
        to_message(client.plugins().await).map(Response::new)
    }

    async fn get_plugin(&self, request: Request<GetPluginRequest>) -> Answer<GetPluginResponse> {
        let (client, asked) = enter(request)?;
        let plugin = to_message(client.plugin(&asked.skill_id).await)?;
        Ok(Response::new(GetPluginResponse { plugin }))
    }

    async fn get_grants(&self, request: Request<GetGrantsRequest>) -> Answer<GetGrantsResponse> {
        let (client, asked) = enter(request)?;
        let grants = to_message(client.plugin_grants(&asked.skill_id).await)?;
        Ok(Response::new(GetGrantsResponse { grants }))
    }

    async fn check_plugin(&self, request: Request<CheckPluginRequest>) -> Answer<CheckPluginResponse> {
        let (client, asked) = enter(request)?;
        let check = to_message(client.check_plugin(&asked.skill_id).await)?;
        Ok(Response::new(CheckPluginResponse { check }))
    }

    async fn get_touched(&self, request: Request<GetTouchedRequest>) -> Answer<GetTouchedResponse> {
        let (client, asked) = enter(request)?;
        let touched = to_message(client.touched(&asked.skill_id).await)?;
        Ok(Response::new(GetTouchedResponse { touched }))
    }

    async fn get_profile(&self, request: Request<GetProfileRequest>) -> Answer<GetProfileResponse> {
        let (client, asked) = enter(request)?;
        let profile = to_message(client.profile(&asked.skill_id).await)?;
        Ok(Response::new(GetProfileResponse { profile }))
    }

    async fn set_profile(&self, request: Request<SetProfileRequest>) -> Answer<SetProfileResponse> {
        let (client, SetProfileRequest { skill_id, only, grants, limits }) = enter(request)?;
        let profile =
            to_message(client.set_profile(&skill_id, &ProfileChange { only, grants, limits }).await)?;
        Ok(Response::new(SetProfileResponse { profile }))
    }

    async fn remove_profile(&self, request: Request<RemoveProfileRequest>) -> Answer<RemoveProfileResponse> {
        let (client, asked) = enter(request)?;
        let removed = to_message(client.remove_profile(&asked.skill_id).await)?;
        Ok(Response::new(RemoveProfileResponse { removed }))
    }

    async fn get_config(&self, request: Request<GetConfigRequest>) -> Answer<GetConfigResponse> {
        let (client, asked) = enter(request)?;
        let config = to_message(client.config(&asked.skill_id).await)?;
        Ok(Response::new(GetConfigResponse { config }))
    }

    async fn set_config(&self, request: Request<SetConfigRequest>) -> Answer<SetConfigResponse> {
        let (client, SetConfigRequest { skill_id, values_json }) = enter(request)?;
        let values = values_json.into_iter().map(|(name, text)| Ok((value("values_json", &text)?, name)));
        let values = values.map(|read: Result<_, tonic::Status>| read.map(|(value, name)| (name, value)));
        let change = ConfigChange { values: values.collect::<Result<_, _>>()? };
        let config = to_message(client.set_config(&skill_id, &change).await)?;
        Ok(Response::new(SetConfigResponse { config }))
    }

    async fn remove_config(&self, request: Request<RemoveConfigRequest>) -> Answer<RemoveConfigResponse> {
        let (client, asked) = enter(request)?;
        let removed = to_message(client.remove_config(&asked.skill_id).await)?;
        Ok(Response::new(RemoveConfigResponse { removed }))
    }
}

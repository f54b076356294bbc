//! Grants of runs, profiles, settings, and the tool catalogue.

use super::service::service;

service! {
    Plugins: PluginsService, PluginsServiceServer in plugins::v1::plugins_service_server;
    calls {
        list_plugins(ListPluginsRequest) -> ListPluginsResponse = GET "/v1/plugins";
        get_plugin(GetPluginRequest) -> GetPluginResponse { plugin } = GET "/v1/plugins/{skill_id}";
        get_grants(GetGrantsRequest) -> GetGrantsResponse { grants } = GET "/v1/plugins/{skill_id}/grants";
        check_plugin(CheckPluginRequest) -> CheckPluginResponse { check } = GET "/v1/plugins/{skill_id}/check";
        get_touched(GetTouchedRequest) -> GetTouchedResponse { touched } = GET "/v1/plugins/{skill_id}/touched";
        get_profile(GetProfileRequest) -> GetProfileResponse { profile } = GET "/v1/plugins/{skill_id}/profile";
        set_profile(SetProfileRequest) -> SetProfileResponse { profile } = PUT "/v1/plugins/{skill_id}/profile";
        remove_profile(RemoveProfileRequest) -> RemoveProfileResponse { removed } = DELETE "/v1/plugins/{skill_id}/profile";
        get_config(GetConfigRequest) -> GetConfigResponse { config } = GET "/v1/plugins/{skill_id}/config";
        set_config(SetConfigRequest) -> SetConfigResponse { config } = PUT "/v1/plugins/{skill_id}/config";
        remove_config(RemoveConfigRequest) -> RemoveConfigResponse { removed } = DELETE "/v1/plugins/{skill_id}/config";
    }
    streams {}
    others {}
}

service! {
    Tools: ToolsService, ToolsServiceServer in plugins::v1::tools_service_server;
    calls {
        list_tools(ListToolsRequest) -> ListToolsResponse = GET "/v1/tools";
        get_tool(GetToolRequest) -> GetToolResponse { tool } = GET "/v1/tools/{tool}";
        set_alias(SetAliasRequest) -> SetAliasResponse { alias } = PUT "/v1/aliases/{alias}";
        remove_alias(RemoveAliasRequest) -> RemoveAliasResponse { alias } = DELETE "/v1/aliases/{alias}";
    }
    streams {}
    others {}
}

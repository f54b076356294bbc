//! Sessions, models, and documents of calls outside of sessions.

use super::service::service;

service! {
    Sessions: SessionsService, SessionsServiceServer in gateway::v1::sessions_service_server;
    calls {
        list_sessions(ListSessionsRequest) -> ListSessionsResponse = GET "/v1/sessions";
        create_session(CreateSessionRequest) -> CreateSessionResponse { session } = POST "/v1/sessions";
        get_session(GetSessionRequest) -> GetSessionResponse { session } = GET "/v1/sessions/{session_id}";
        change_session(ChangeSessionRequest) -> ChangeSessionResponse { session } = PUT "/v1/sessions/{session_id}";
        remove_session(RemoveSessionRequest) -> RemoveSessionResponse { session } = DELETE "/v1/sessions/{session_id}";
        send_message(SendMessageRequest) -> SendMessageResponse { run } = POST "/v1/sessions/{session_id}/messages";
        list_session_events(ListSessionEventsRequest) -> ListSessionEventsResponse = GET "/v1/sessions/{session_id}/history";
        list_agent_runs(ListAgentRunsRequest) -> ListAgentRunsResponse = GET "/v1/sessions/{session_id}/runs";
        get_agent_run(GetAgentRunRequest) -> GetAgentRunResponse { run } = GET "/v1/agent-runs/{run_id}";
        stop_agent_run(StopAgentRunRequest) -> StopAgentRunResponse { run } = POST "/v1/agent-runs/{run_id}/stop";
        list_pauses(ListPausesRequest) -> ListPausesResponse = GET "/v1/pauses";
        get_pause(GetPauseRequest) -> GetPauseResponse { pause } = GET "/v1/pauses/{pause_id}";
        answer_pause(AnswerPauseRequest) -> AnswerPauseResponse { pause } = POST "/v1/pauses/{pause_id}/answer";
        list_surfaces(ListSurfacesRequest) -> ListSurfacesResponse = GET "/v1/sessions/{session_id}/surfaces";
        get_surface(GetSurfaceRequest) -> GetSurfaceResponse { surface } = GET "/v1/sessions/{session_id}/surfaces/{surface}";
    }
    streams {
        subscribe_session(SubscribeSessionRequest) -> SubscribeSessionStream: SubscribeSessionResponse { event } = "/v1/sessions/{session_id}/events";
    }
    others {}
}

service! {
    Models: ModelsService, ModelsServiceServer in gateway::v1::models_service_server;
    calls {
        list_models(ListModelsRequest) -> ListModelsResponse = GET "/v1/models";
        add_model(AddModelRequest) -> AddModelResponse { model } = POST "/v1/models";
        get_model(GetModelRequest) -> GetModelResponse { model } = GET "/v1/models/{name}";
        remove_model(RemoveModelRequest) -> RemoveModelResponse { model } = DELETE "/v1/models/{name}";
        set_default_model(SetDefaultModelRequest) -> SetDefaultModelResponse { model } = POST "/v1/models/{name}/default";
        test_model(TestModelRequest) -> TestModelResponse { test } = POST "/v1/models/{name}/test";
    }
    streams {}
    others {}
}

service! {
    Surfaces: SurfacesService, SurfacesServiceServer in gateway::v1::surfaces_service_server;
    calls {
        list_call_surfaces(ListCallSurfacesRequest) -> ListCallSurfacesResponse = GET "/v1/surfaces";
        get_call_surface(GetCallSurfaceRequest) -> GetCallSurfaceResponse { surface } = GET "/v1/surfaces/{surface_id}";
        submit_call_surface(SubmitCallSurfaceRequest) -> SubmitCallSurfaceResponse { answer } = POST "/v1/surfaces/{surface_id}/submit";
    }
    streams {}
    others {}
}

//! Routines and objectives.

use super::service::service;

service! {
    Routines: RoutinesService, RoutinesServiceServer in routines::v1::routines_service_server;
    calls {
        list_routines(ListRoutinesRequest) -> ListRoutinesResponse = GET "/v1/routines";
        get_routine(GetRoutineRequest) -> GetRoutineResponse { routine } = GET "/v1/routines/{name}";
        add_routine(AddRoutineRequest) -> AddRoutineResponse { routine } = POST "/v1/routines";
        enable_routine(EnableRoutineRequest) -> EnableRoutineResponse { routine } = POST "/v1/routines/{name}/enable";
        disable_routine(DisableRoutineRequest) -> DisableRoutineResponse { routine } = POST "/v1/routines/{name}/disable";
        fire_routine(FireRoutineRequest) -> FireRoutineResponse { fire } = POST "/v1/routines/{name}/fire";
        list_fires(ListFiresRequest) -> ListFiresResponse = GET "/v1/routines/{name}/fires";
        remove_routine(RemoveRoutineRequest) -> RemoveRoutineResponse = DELETE "/v1/routines/{name}";
    }
    streams {}
    others {}
}

service! {
    Objectives: ObjectivesService, ObjectivesServiceServer in routines::v1::objectives_service_server;
    calls {
        list_objectives(ListObjectivesRequest) -> ListObjectivesResponse = GET "/v1/objectives";
        add_objective(AddObjectiveRequest) -> AddObjectiveResponse { objective } = POST "/v1/objectives";
        get_objective(GetObjectiveRequest) -> GetObjectiveResponse { objective } = GET "/v1/objectives/{name}";
        pause_objective(PauseObjectiveRequest) -> PauseObjectiveResponse { objective } = POST "/v1/objectives/{name}/pause";
        resume_objective(ResumeObjectiveRequest) -> ResumeObjectiveResponse { objective } = POST "/v1/objectives/{name}/resume";
        finish_objective(FinishObjectiveRequest) -> FinishObjectiveResponse { objective } = POST "/v1/objectives/{name}/done";
        remove_objective(RemoveObjectiveRequest) -> RemoveObjectiveResponse = DELETE "/v1/objectives/{name}";
    }
    streams {}
    others {}
}

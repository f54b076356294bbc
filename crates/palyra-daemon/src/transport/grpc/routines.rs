//! `palyra.routines.v1.RoutinesService`.

use palyra_api::grpc::routines::v1::routines_service_server::RoutinesService;
use palyra_api::grpc::routines::v1::{
    AddRoutineRequest, AddRoutineResponse, Concurrency, DisableRoutineRequest, DisableRoutineResponse,
    EnableRoutineRequest, EnableRoutineResponse, FireRoutineRequest, FireRoutineResponse, GetRoutineRequest,
    GetRoutineResponse, ListFiresRequest, ListFiresResponse, ListRoutinesRequest, ListRoutinesResponse,
    Misfire, RemoveRoutineRequest, RemoveRoutineResponse,
};
use palyra_api::routines::RoutineRequest;
use tonic::{Request, Response, Status};

use super::answer::{Answer, enter, to_message};
use super::asked::{json, small, word};

pub(super) struct Routines;

#[tonic::async_trait]
impl RoutinesService for Routines {
    async fn list_routines(&self, request: Request<ListRoutinesRequest>) -> Answer<ListRoutinesResponse> {
        let (client, _) = enter(request)?;
        to_message(client.routines().await).map(Response::new)
    }

    async fn get_routine(&self, request: Request<GetRoutineRequest>) -> Answer<GetRoutineResponse> {
        let (client, asked) = enter(request)?;
        let routine = to_message(client.routine(&asked.name).await)?;
        Ok(Response::new(GetRoutineResponse { routine }))
    }

    async fn add_routine(&self, request: Request<AddRoutineRequest>) -> Answer<AddRoutineResponse> {
        let (client, asked) = enter(request)?;
        let routine = to_message(client.add_routine(&read_routine(asked)?).await)?;
        Ok(Response::new(AddRoutineResponse { routine }))
    }

    async fn enable_routine(&self, request: Request<EnableRoutineRequest>) -> Answer<EnableRoutineResponse> {
        let (client, asked) = enter(request)?;
        let routine = to_message(client.enable_routine(&asked.name).await)?;
        Ok(Response::new(EnableRoutineResponse { routine }))
    }

    async fn disable_routine(
        &self,
        request: Request<DisableRoutineRequest>,
    ) -> Answer<DisableRoutineResponse> {
        let (client, asked) = enter(request)?;
        let routine = to_message(client.disable_routine(&asked.name).await)?;
        Ok(Response::new(DisableRoutineResponse { routine }))
    }

    async fn fire_routine(&self, request: Request<FireRoutineRequest>) -> Answer<FireRoutineResponse> {
        let (client, asked) = enter(request)?;
        let fire = to_message(client.fire_routine(&asked.name).await)?;
        Ok(Response::new(FireRoutineResponse { fire }))
    }

    async fn list_fires(&self, request: Request<ListFiresRequest>) -> Answer<ListFiresResponse> {
        let (client, ListFiresRequest { name, before, limit }) = enter(request)?;
        to_message(client.fires(&name, before, small("limit", limit)?).await).map(Response::new)
    }

    async fn remove_routine(&self, request: Request<RemoveRoutineRequest>) -> Answer<RemoveRoutineResponse> {
        let (client, asked) = enter(request)?;
        to_message(client.remove_routine(&asked.name).await).map(Response::new)
    }
}

fn read_routine(asked: AddRoutineRequest) -> Result<RoutineRequest, Status> {
    let input = json("input_json", asked.input_json.unwrap_or_default())?;
    Ok(RoutineRequest {
        name: asked.name,
        tool: asked.tool,
        input,
        cron: asked.cron,
        every: asked.every,
        at: asked.at,
        time_zone: asked.time_zone,
        quiet: asked.quiet,
        misfire: word::<Misfire, _>(asked.misfire)?.unwrap_or_default(),
        catch_up: small("catch_up", asked.catch_up)?,
        concurrency: word::<Concurrency, _>(asked.concurrency)?.unwrap_or_default(),
        jitter_seconds: asked.jitter_seconds,
        objective: asked.objective,
        wait_approval_seconds: asked.wait_approval_seconds,
        disabled: asked.disabled,
        replace: asked.replace,
    })
}

//! `palyra.hooks.v1.HooksService`.

use palyra_api::grpc::hooks::v1::hooks_service_server::HooksService;
use palyra_api::grpc::hooks::v1::{
    ApplyHooksRequest, ApplyHooksResponse, BindHookRequest, BindHookResponse, DisableHookRequest,
    DisableHookResponse, DropDeadLetterRequest, DropDeadLetterResponse, EnableHookRequest,
    EnableHookResponse, GetHookRequest, GetHookResponse, ListDeadLettersRequest, ListDeadLettersResponse,
    ListHooksRequest, ListHooksResponse, RetryDeadLetterRequest, RetryDeadLetterResponse, TestHookRequest,
    TestHookResponse, UnbindHookRequest, UnbindHookResponse,
};
use palyra_api::hooks::{ApplyRequest, BindRequest, TestRequest};
use tonic::{Request, Response};

use super::answer::{Answer, enter, to_message};
use super::asked::{small, value};

pub(super) struct Hooks;

#[tonic::async_trait]
impl HooksService for Hooks {
    async fn list_hooks(&self, request: Request<ListHooksRequest>) -> Answer<ListHooksResponse> {
        let (client, _) = enter(request)?;
        to_message(client.hooks().await).map(Response::new)
    }

    async fn get_hook(&self, request: Request<GetHookRequest>) -> Answer<GetHookResponse> {
        let (client, asked) = enter(request)?;
        let binding = to_message(client.hook(&asked.id).await)?;
        Ok(Response::new(GetHookResponse { binding }))
    }

    async fn bind_hook(&self, request: Request<BindHookRequest>) -> Answer<BindHookResponse> {
        let (client, asked) = enter(request)?;
        let binding = to_message(client.bind_hook(&read_binding(asked)).await)?;
        Ok(Response::new(BindHookResponse { binding }))
    }

    async fn unbind_hook(&self, request: Request<UnbindHookRequest>) -> Answer<UnbindHookResponse> {
        let (client, asked) = enter(request)?;
        let binding = to_message(client.unbind_hook(&asked.id).await)?;
        Ok(Response::new(UnbindHookResponse { binding }))
    }

    async fn enable_hook(&self, request: Request<EnableHookRequest>) -> Answer<EnableHookResponse> {
        let (client, asked) = enter(request)?;
        let binding = to_message(client.switch_hook(&asked.id, true).await)?;
        Ok(Response::new(EnableHookResponse { binding }))
    }

    async fn disable_hook(&self, request: Request<DisableHookRequest>) -> Answer<DisableHookResponse> {
        let (client, asked) = enter(request)?;
        let binding = to_message(client.switch_hook(&asked.id, false).await)?;
        Ok(Response::new(DisableHookResponse { binding }))
    }

    async fn test_hook(&self, request: Request<TestHookRequest>) -> Answer<TestHookResponse> {
        let (client, TestHookRequest { id, payload_json }) = enter(request)?;
        let payload = payload_json.map(|text| value("payload_json", &text)).transpose()?;
        let test = to_message(client.test_hook(&id, &TestRequest { payload }).await)?;
        Ok(Response::new(TestHookResponse { test }))
    }

    async fn apply_hooks(&self, request: Request<ApplyHooksRequest>) -> Answer<ApplyHooksResponse> {
        let (client, ApplyHooksRequest { restore }) = enter(request)?;
        to_message(client.apply_hooks(&ApplyRequest { restore }).await).map(Response::new)
    }

    async fn list_dead_letters(
        &self,
        request: Request<ListDeadLettersRequest>,
    ) -> Answer<ListDeadLettersResponse> {
        let (client, ListDeadLettersRequest { binding, limit }) = enter(request)?;
        to_message(client.dead_letters(binding.as_deref(), small("limit", limit)?).await).map(Response::new)
    }

    async fn retry_dead_letter(
        &self,
        request: Request<RetryDeadLetterRequest>,
    ) -> Answer<RetryDeadLetterResponse> {
        let (client, asked) = enter(request)?;
        let test = to_message(client.retry_dead_letter(asked.letter).await)?;
        Ok(Response::new(RetryDeadLetterResponse { test }))
    }

    async fn drop_dead_letter(
        &self,
        request: Request<DropDeadLetterRequest>,
    ) -> Answer<DropDeadLetterResponse> {
        let (client, asked) = enter(request)?;
        let dead_letter = to_message(client.drop_dead_letter(asked.letter).await)?;
        Ok(Response::new(DropDeadLetterResponse { dead_letter }))
    }
}

fn read_binding(asked: BindHookRequest) -> BindRequest {
    let BindHookRequest {
        id,
        event,
        plugin,
        hook,
        order,
        tools,
        skills,
        timeout_ms,
        fuel,
        max_attempts,
        disabled,
    } = asked;
    BindRequest { id, event, plugin, hook, disabled, order, timeout_ms, fuel, max_attempts, skills, tools }
}

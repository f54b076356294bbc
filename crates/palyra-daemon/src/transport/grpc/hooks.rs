//! Bindings of hooks.

use super::service::service;

service! {
    Hooks: HooksService, HooksServiceServer in hooks::v1::hooks_service_server;
    calls {
        list_hooks(ListHooksRequest) -> ListHooksResponse = GET "/v1/hooks";
        get_hook(GetHookRequest) -> GetHookResponse { binding } = GET "/v1/hooks/bindings/{id}";
        bind_hook(BindHookRequest) -> BindHookResponse { binding } = POST "/v1/hooks";
        unbind_hook(UnbindHookRequest) -> UnbindHookResponse { binding } = DELETE "/v1/hooks/bindings/{id}";
        enable_hook(EnableHookRequest) -> EnableHookResponse { binding } = POST "/v1/hooks/bindings/{id}/enable";
        disable_hook(DisableHookRequest) -> DisableHookResponse { binding } = POST "/v1/hooks/bindings/{id}/disable";
        test_hook(TestHookRequest) -> TestHookResponse { test } = POST "/v1/hooks/bindings/{id}/test";
        apply_hooks(ApplyHooksRequest) -> ApplyHooksResponse = POST "/v1/hooks/apply";
        list_dead_letters(ListDeadLettersRequest) -> ListDeadLettersResponse = GET "/v1/hooks/dead-letters";
        retry_dead_letter(RetryDeadLetterRequest) -> RetryDeadLetterResponse { test } = POST "/v1/hooks/dead-letters/{letter}/retry";
        drop_dead_letter(DropDeadLetterRequest) -> DropDeadLetterResponse { dead_letter } = DELETE "/v1/hooks/dead-letters/{letter}";
    }
    streams {}
    others {}
}

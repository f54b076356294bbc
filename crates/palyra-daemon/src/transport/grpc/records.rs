//! Runs, the journal, and the messages of channels.

use super::service::service;

service! {
    Runs: RunsService, RunsServiceServer in gateway::v1::runs_service_server;
    calls {
        list_runs(ListRunsRequest) -> ListRunsResponse = GET "/v1/runs";
        get_run(GetRunRequest) -> GetRunResponse { run } = GET "/v1/runs/{run_id}";
        list_run_lines(ListRunLinesRequest) -> ListRunLinesResponse = GET "/v1/runs/{run_id}/lines";
        get_receipt(GetReceiptRequest) -> GetReceiptResponse { receipt } = GET "/v1/runs/{run_id}/receipt";
        replay_run(ReplayRunRequest) -> ReplayRunResponse { replay } = POST "/v1/runs/{run_id}/replay";
        cancel_run(CancelRunRequest) -> CancelRunResponse { run } = POST "/v1/runs/{run_id}/cancel";
        list_run_steps(ListRunStepsRequest) -> ListRunStepsResponse { steps } = GET "/v1/runs/{run_id}/steps";
        get_run_denial(GetRunDenialRequest) -> GetRunDenialResponse { denial } = GET "/v1/runs/{run_id}/denial";
    }
    streams {
        subscribe_run(SubscribeRunRequest) -> SubscribeRunStream: SubscribeRunResponse = "/v1/runs/{run_id}/events";
    }
    others {}
}

service! {
    Journal: JournalService, JournalServiceServer in gateway::v1::journal_service_server;
    calls {
        query_journal(QueryJournalRequest) -> QueryJournalResponse = GET "/v1/journal";
        verify_journal(VerifyJournalRequest) -> VerifyJournalResponse { verified } = POST "/v1/journal/verify";
        sign_checkpoint(SignCheckpointRequest) -> SignCheckpointResponse { checkpoint } = POST "/v1/journal/checkpoint";
    }
    streams {}
    others {}
}

service! {
    Channels: ChannelsService, ChannelsServiceServer in gateway::v1::channels_service_server;
    calls {
        list_channels(ListChannelsRequest) -> ListChannelsResponse = GET "/v1/channels";
        add_channel(AddChannelRequest) -> AddChannelResponse { channel } = POST "/v1/channels";
        get_channel(GetChannelRequest) -> GetChannelResponse { channel } = GET "/v1/channels/{name}";
        remove_channel(RemoveChannelRequest) -> RemoveChannelResponse { channel } = DELETE "/v1/channels/{name}";
        list_messages(ListMessagesRequest) -> ListMessagesResponse = GET "/v1/channels/{name}/messages";
        list_channel_dead_letters(ListChannelDeadLettersRequest) -> ListChannelDeadLettersResponse = GET "/v1/channels/{name}/dead-letters";
        retry_channel_dead_letter(RetryChannelDeadLetterRequest) -> RetryChannelDeadLetterResponse { dead_letter } = POST "/v1/channels/{name}/dead-letters/{letter}/retry";
        drop_channel_dead_letter(DropChannelDeadLetterRequest) -> DropChannelDeadLetterResponse { dead_letter } = DELETE "/v1/channels/{name}/dead-letters/{letter}";
    }
    streams {
        subscribe_messages(SubscribeMessagesRequest) -> SubscribeMessagesStream: SubscribeMessagesResponse { message } = "/v1/channels/{name}/events";
    }
    others {}
}

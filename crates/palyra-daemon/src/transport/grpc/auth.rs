//! Tokens, the access policy, trust and keys.

use super::service::service;

service! {
    Tokens: TokensService, TokensServiceServer in auth::v1::tokens_service_server;
    calls {
        list_tokens(ListTokensRequest) -> ListTokensResponse = GET "/v1/tokens";
        add_token(AddTokenRequest) -> AddTokenResponse = POST "/v1/tokens";
        remove_token(RemoveTokenRequest) -> RemoveTokenResponse { token } = DELETE "/v1/tokens/{name}";
    }
    streams {}
    others {}
}

service! {
    Policy: PolicyService, PolicyServiceServer in auth::v1::policy_service_server;
    calls {
        get_policy(GetPolicyRequest) -> GetPolicyResponse { policy } = GET "/v1/policy";
        set_policy(SetPolicyRequest) -> SetPolicyResponse { policy } = PUT "/v1/policy";
        reset_policy(ResetPolicyRequest) -> ResetPolicyResponse = DELETE "/v1/policy";
        check_policy(CheckPolicyRequest) -> CheckPolicyResponse { answer } = POST "/v1/policy/check";
    }
    streams {}
    others {}
}

service! {
    Trust: TrustService, TrustServiceServer in auth::v1::trust_service_server;
    calls {
        list_trust(ListTrustRequest) -> ListTrustResponse = GET "/v1/trust";
        get_publisher(GetPublisherRequest) -> GetPublisherResponse { publisher } = GET "/v1/trust/publishers/{publisher}";
        get_publisher_history(GetPublisherHistoryRequest) -> GetPublisherHistoryResponse { history } = GET "/v1/trust/publishers/{publisher}/history";
        allow_publisher(AllowPublisherRequest) -> AllowPublisherResponse { allowed } = PUT "/v1/trust/publishers/{publisher}";
        block_publisher(BlockPublisherRequest) -> BlockPublisherResponse { publisher } = POST "/v1/trust/publishers/{publisher}/block";
        unblock_publisher(UnblockPublisherRequest) -> UnblockPublisherResponse { publisher } = POST "/v1/trust/publishers/{publisher}/unblock";
        repin_publisher(RepinPublisherRequest) -> RepinPublisherResponse { publisher } = POST "/v1/trust/publishers/{publisher}/repin";
        allow_feed(AllowFeedRequest) -> AllowFeedResponse { allowed } = PUT "/v1/trust/feeds/{feed}";
        allow_builder(AllowBuilderRequest) -> AllowBuilderResponse { allowed } = PUT "/v1/trust/builders/{builder}";
    }
    streams {}
    others {}
}

service! {
    Keys: KeysService, KeysServiceServer in auth::v1::keys_service_server;
    calls {
        list_keys(ListKeysRequest) -> ListKeysResponse = GET "/v1/keys";
        create_key(CreateKeyRequest) -> CreateKeyResponse { key } = POST "/v1/keys";
        get_key(GetKeyRequest) -> GetKeyResponse { key } = GET "/v1/keys/{name}";
        sign_release(SignReleaseRequest) -> SignReleaseResponse { signature } = POST "/v1/keys/{name}/sign";
    }
    streams {}
    others {}
}

service! {
    Vault: VaultService, VaultServiceServer in auth::v1::vault_service_server;
    calls {
        list_secrets(ListSecretsRequest) -> ListSecretsResponse = GET "/v1/vault";
    }
    streams {}
    others {}
}

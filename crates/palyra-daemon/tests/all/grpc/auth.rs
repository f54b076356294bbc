//! Tokens, the policy, trust, keys and the names of secrets over gRPC.

use super::methods::at;
use super::{Wire, problem};
use crate::daemon::Daemon;
use palyra_api::grpc::auth::v1::keys_service_client::KeysServiceClient;
use palyra_api::grpc::auth::v1::policy_service_client::PolicyServiceClient;
use palyra_api::grpc::auth::v1::tokens_service_client::TokensServiceClient;
use palyra_api::grpc::auth::v1::trust_service_client::TrustServiceClient;
use palyra_api::grpc::auth::v1::vault_service_client::VaultServiceClient;
use palyra_api::grpc::auth::v1::{
    AddTokenRequest, AllowBuilderRequest, AllowFeedRequest, AllowPublisherRequest, BlockPublisherRequest,
    CheckPolicyRequest, CreateKeyRequest, GetKeyRequest, GetPolicyRequest, GetPublisherHistoryRequest,
    GetPublisherRequest, ListKeysRequest, ListSecretsRequest, ListTokensRequest, ListTrustRequest,
    PolicyAction, PolicyFace, PolicyKind, RemoveTokenRequest, RepinPublisherRequest, ResetPolicyRequest,
    ScopeList, ScopeName, SetPolicyRequest, SignReleaseRequest, TrustMode, UnblockPublisherRequest,
};
use palyra_api::grpc::gateway::v1::GetHealthRequest;
use palyra_api::grpc::gateway::v1::gateway_service_client::GatewayServiceClient;

pub(super) async fn tokens(daemon: &Daemon, wire: &Wire) {
    let mut client = TokensServiceClient::new(wire.clone());
    let scopes = vec![ScopeName::Read.into()];
    let add = AddTokenRequest { name: "ci".into(), scopes, lifetime_seconds: Some(60) };
    let added = client.add_token(add).await.unwrap().into_inner();
    assert_eq!(added.token.unwrap().scopes().collect::<Vec<_>>(), [ScopeName::Read]);
    let mut ci = GatewayServiceClient::new(Wire::new(daemon, Some(&added.secret)));
    ci.get_health(GetHealthRequest {}).await.unwrap();
    let listed = client.list_tokens(ListTokensRequest {}).await.unwrap().into_inner();
    assert_eq!(listed, at(daemon, "/v1/tokens").await);
    client.remove_token(RemoveTokenRequest { name: "ci".into() }).await.unwrap();
    assert_eq!(problem(ci.get_health(GetHealthRequest {}).await).code.as_str(), "authentication");
    let none = AddTokenRequest { name: "none".into(), ..Default::default() };
    assert_ne!(problem(client.add_token(none).await).code.as_str(), "internal");
}

pub(super) async fn policy(daemon: &Daemon, wire: &Wire) {
    let mut client = PolicyServiceClient::new(wire.clone());
    let policy = client.get_policy(GetPolicyRequest {}).await.unwrap().into_inner().policy.unwrap();
    assert_eq!(policy, at(daemon, "/v1/policy").await);
    let text = format!("// Ours.\n{}", policy.text);
    let set = client.set_policy(SetPolicyRequest { text }).await.unwrap().into_inner().policy.unwrap();
    assert!(!set.default && set.text.starts_with("// Ours."));
    let ask = |scopes: Option<Vec<i32>>| CheckPolicyRequest {
        action: PolicyAction::Read.into(),
        kind: PolicyKind::Token.into(),
        name: Some("ci".into()),
        scopes: scopes.map(|scopes| ScopeList { scopes }),
        face: PolicyFace::Grpc.into(),
        ..Default::default()
    };
    for (scopes, allowed) in [(vec![ScopeName::Read.into()], true), (Vec::new(), false)] {
        let answer = client.check_policy(ask(Some(scopes))).await.unwrap().into_inner().answer.unwrap();
        assert_eq!(answer.allowed, allowed, "{answer:?}");
    }
    let bad = problem(client.set_policy(SetPolicyRequest { text: "permit".into() }).await);
    assert_eq!(bad.code.as_str(), "invalid_policy");
    assert!(client.reset_policy(ResetPolicyRequest {}).await.unwrap().into_inner().removed);
}

pub(super) async fn trust(daemon: &Daemon, wire: &Wire) {
    let mut client = TrustServiceClient::new(wire.clone());
    let publisher = || "acme".to_owned();
    let known = client.get_publisher(GetPublisherRequest { publisher: publisher() }).await.unwrap();
    let known = known.into_inner().publisher.unwrap();
    assert_eq!(known, at(daemon, "/v1/trust/publishers/acme").await);
    let keys: Vec<String> = known.keys.iter().map(|key| key.public_key.clone()).collect();
    let allow = AllowPublisherRequest { publisher: publisher(), keys: keys.clone(), threshold: Some(1) };
    let allowed = client.allow_publisher(allow).await.unwrap().into_inner().allowed.unwrap();
    assert_eq!((allowed.name.as_str(), allowed.threshold), ("acme", 1));
    let repin = RepinPublisherRequest { publisher: publisher(), keys: keys.clone(), threshold: None };
    let repinned = client.repin_publisher(repin).await.map(|answer| answer.into_inner().publisher.unwrap());
    assert!(repinned.is_ok() || problem(repinned).code.as_str() != "internal");
    let feed = AllowFeedRequest { feed: "acme_feed".into(), keys: keys.clone(), threshold: None };
    assert_eq!(client.allow_feed(feed).await.unwrap().into_inner().allowed.unwrap().kind, "feed");
    let builder =
        AllowBuilderRequest { builder: "https://ci.example/1".into(), key: keys[0].clone(), level: 2 };
    let builder_allowed =
        client.allow_builder(builder).await.map(|answer| answer.into_inner().allowed.unwrap());
    assert!(builder_allowed.is_ok() || problem(builder_allowed).code.as_str() != "internal");
    let block = BlockPublisherRequest { publisher: publisher(), reason: "a test".into() };
    let blocked = client.block_publisher(block).await.unwrap().into_inner().publisher.unwrap();
    assert_eq!(blocked.mode(), TrustMode::Blocked);
    let free = UnblockPublisherRequest { publisher: publisher() };
    assert!(client.unblock_publisher(free).await.unwrap().into_inner().publisher.unwrap().blocked.is_none());
    let listed = client.list_trust(ListTrustRequest {}).await.unwrap().into_inner();
    assert_eq!(listed, at(daemon, "/v1/trust").await);
    let history = GetPublisherHistoryRequest { publisher: publisher() };
    let history = client.get_publisher_history(history).await.unwrap().into_inner().history.unwrap();
    assert_eq!(history, at(daemon, "/v1/trust/publishers/acme/history").await);
}

pub(super) async fn keys(daemon: &Daemon, wire: &Wire) {
    let mut client = KeysServiceClient::new(wire.clone());
    let name = || "release".to_owned();
    let made = client.create_key(CreateKeyRequest { name: name() }).await.unwrap().into_inner().key.unwrap();
    let shown = client.get_key(GetKeyRequest { name: name() }).await.unwrap().into_inner().key.unwrap();
    assert_eq!((&shown, made.state.as_str()), (&made, "active"));
    let listed = client.list_keys(ListKeysRequest {}).await.unwrap().into_inner();
    assert_eq!(listed, at(daemon, "/v1/keys").await);
    let sign = SignReleaseRequest { name: name(), statement: "no statement".into() };
    assert_ne!(problem(client.sign_release(sign).await).code.as_str(), "internal");
    let mut client = VaultServiceClient::new(wire.clone());
    let names = client.list_secrets(ListSecretsRequest {}).await.unwrap().into_inner();
    assert_eq!(names, at(daemon, "/v1/vault").await);
}

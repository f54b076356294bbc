//! Every method once, compared with the HTTP response for the same request.

use super::{Wire, agent, auth, call, descriptors, problem, records};
use crate::daemon::Daemon;
use crate::guests::package;
use palyra_api::approvals::ApprovalQuery;
use palyra_api::grpc::gateway::v1 as gateway;
use palyra_api::grpc::gateway::v1::gateway_service_client::GatewayServiceClient;
use palyra_api::grpc::hooks::v1 as hooks;
use palyra_api::grpc::hooks::v1::hooks_service_client::HooksServiceClient;
use palyra_api::grpc::plugins::v1 as plugins;
use palyra_api::grpc::plugins::v1::plugins_service_client::PluginsServiceClient;
use palyra_api::grpc::plugins::v1::tools_service_client::ToolsServiceClient;
use palyra_api::grpc::routines::v1 as routines;
use palyra_api::grpc::routines::v1::routines_service_client::RoutinesServiceClient;
use palyra_api::grpc::skills::v1 as skills;
use palyra_api::grpc::skills::v1::install_skill_request::Part;
use palyra_api::grpc::skills::v1::skills_service_client::SkillsServiceClient;
use palyra_api::grpc::skills::v1::{InstallOptions, InstallSkillRequest, Placement, SkillStatus};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

const ID: &str = "acme.bench";

/// Converts an HTTP response to a message.
fn read<M: DeserializeOwned>(told: &impl Serialize) -> M {
    serde_json::from_str(&serde_json::to_string(told).unwrap()).unwrap()
}

/// Returns the response of an HTTP path as a message.
pub(super) async fn at<M: DeserializeOwned>(daemon: &Daemon, path: &str) -> M {
    let answer: Box<RawValue> = daemon.over_tcp().get(path).await.unwrap();
    serde_json::from_str(answer.get()).unwrap()
}

fn parts(
    bytes: &[u8],
    options: InstallOptions,
) -> impl futures::Stream<Item = InstallSkillRequest> + 'static {
    let first = InstallSkillRequest { part: Some(Part::Options(options)) };
    let chunks: Vec<_> = bytes.chunks(1_000).map(|chunk| Part::Chunk(chunk.to_vec())).collect();
    let rest = chunks.into_iter().map(|part| InstallSkillRequest { part: Some(part) });
    futures::stream::iter(std::iter::once(first).chain(rest))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_method_does_what_its_path_does() {
    let daemon = crate::hooks::daemon().await;
    let wire = Wire::owner(&daemon);
    gateway(&daemon, &wire).await;
    plugins(&daemon, &wire).await;
    hooks(&daemon, &wire).await;
    routines(&daemon, &wire).await;
    skills(&daemon, &wire).await;
    agent::sessions(&daemon, &wire).await;
    agent::surfaces(&daemon, &wire).await;
    agent::models(&daemon, &wire).await;
    records::runs(&daemon, &wire).await;
    records::journal(&daemon, &wire).await;
    records::channels(&daemon, &wire).await;
    records::objectives(&daemon, &wire).await;
    auth::tokens(&daemon, &wire).await;
    auth::policy(&daemon, &wire).await;
    auth::trust(&daemon, &wire).await;
    auth::keys(&daemon, &wire).await;
    let set = descriptors();
    let mut called = wire.called();
    for file in &set.file {
        for service in &file.service {
            for method in &service.method {
                let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                assert!(called.remove(&path), "{path} was not called");
            }
        }
    }
    assert_eq!(called.len(), 0);
}

async fn gateway(daemon: &Daemon, wire: &Wire) {
    let (mut client, http) = (GatewayServiceClient::new(wire.clone()), daemon.over_tcp());
    let health = client.get_health(gateway::GetHealthRequest {}).await.unwrap().into_inner().health.unwrap();
    assert_eq!((health.status.as_str(), health.pid), ("ok", std::process::id()));
    let events = gateway::SubscribeEventsRequest { topics: vec!["run".into()], after_sequence: None };
    let mut events = client.subscribe_events(events).await.unwrap().into_inner();
    let text = r#"{"n": 1, "é": [true, 1.50]}"#;
    let answer = client.invoke(call("acme.bench.echo", text)).await.unwrap().into_inner().answer.unwrap();
    assert_eq!((answer.result_json.as_str(), answer.skill_id.as_str()), (text, ID));
    let event = events.message().await.unwrap().unwrap().event.unwrap();
    let receipt = answer.receipt.unwrap();
    assert_eq!((event.kind.as_str(), event.sequence), ("run:completed", receipt.sequence));
    assert_eq!(event.run.as_deref(), Some(answer.run_id.as_str()));
    assert!(event.details_json.starts_with('{') && event.details_json.contains("output_sha256"));
    let mut replayed = client
        .subscribe_events(gateway::SubscribeEventsRequest {
            topics: Vec::new(),
            after_sequence: Some(receipt.sequence - 1),
        })
        .await
        .unwrap()
        .into_inner();
    assert_eq!(replayed.message().await.unwrap().unwrap().event.unwrap(), event);

    let refused = problem(client.invoke(call("acme.bench.ask", "{}")).await);
    let approval_id = refused.details["approval_id"].as_str().unwrap().to_owned();
    let listed = gateway::ListApprovalsRequest {
        status: gateway::ApprovalStatus::Pending.into(),
        limit: Some(5),
        ..Default::default()
    };
    let listed = client.list_approvals(listed).await.unwrap().into_inner();
    assert_eq!(listed, read(&http.approvals(&ApprovalQuery::default()).await.unwrap()));
    let shown = gateway::GetApprovalRequest { approval_id: approval_id.clone(), ..Default::default() };
    let shown = client.get_approval(shown).await.unwrap().into_inner().approval.unwrap();
    assert_eq!(shown, listed.approvals[0]);
    let decision = |approve, owner_present| gateway::DecideApprovalRequest {
        approval_id: approval_id.clone(),
        approve,
        owner_present,
        reason: Some("fine".into()),
        ..Default::default()
    };
    assert_eq!(problem(client.decide_approval(decision(true, false)).await).code.as_str(), "forbidden");
    let decided = client.decide_approval(decision(true, true)).await.unwrap().into_inner().approval.unwrap();
    assert_eq!(decided.status(), gateway::ApprovalStatus::Approved);
    assert_eq!(problem(client.decide_approval(decision(false, true)).await).code.as_str(), "already_decided");
    client.invoke(call("acme.bench.ask", "{}")).await.unwrap();
    let start = gateway::RunRequest {
        message: Some(gateway::run_request::Message::Start(call("acme.bench.say", ""))),
    };
    let mut run = client.run(futures::stream::iter([start])).await.unwrap().into_inner();
    let mut told = Vec::new();
    while let Some(message) = run.message().await.unwrap() {
        told.push(message.message.unwrap());
    }
    assert!(matches!(told.first(), Some(gateway::run_response::Message::Started(_))), "{told:?}");
    assert!(matches!(told.last(), Some(gateway::run_response::Message::Answer(_))), "{told:?}");
}

async fn plugins(daemon: &Daemon, wire: &Wire) {
    let (mut client, http) = (PluginsServiceClient::new(wire.clone()), daemon.over_tcp());
    let skill_id = ID.to_owned();
    let listed = client.list_plugins(plugins::ListPluginsRequest {}).await.unwrap().into_inner();
    assert_eq!(listed, read(&http.plugins().await.unwrap()));
    let asked = plugins::GetPluginRequest { skill_id: skill_id.clone() };
    let plugin = client.get_plugin(asked).await.unwrap().into_inner().plugin.unwrap();
    assert_eq!(plugin, read(&http.plugin(ID).await.unwrap()));
    let asked = plugins::GetGrantsRequest { skill_id: skill_id.clone() };
    let grants = client.get_grants(asked).await.unwrap().into_inner().grants.unwrap();
    assert_eq!(grants, read(&http.plugin_grants(ID).await.unwrap()));
    let asked = plugins::CheckPluginRequest { skill_id: skill_id.clone() };
    let check = client.check_plugin(asked).await.unwrap().into_inner().check.unwrap();
    assert_eq!(check, read(&http.check_plugin(ID).await.unwrap()));
    let asked = plugins::GetTouchedRequest { skill_id: skill_id.clone() };
    let touched = client.get_touched(asked).await.unwrap().into_inner().touched.unwrap();
    assert_eq!(touched, read(&http.touched(ID).await.unwrap()));

    let asked = plugins::GetProfileRequest { skill_id: skill_id.clone() };
    let unset = client.get_profile(asked.clone()).await.unwrap().into_inner().profile.unwrap();
    assert_eq!((unset.revision, unset.grants), (0, None), "no list is something else than an empty one");
    let change = plugins::SetProfileRequest {
        skill_id: skill_id.clone(),
        only: true,
        grants: Vec::new(),
        limits: vec!["fuel=1000000".into()],
    };
    let set = client.set_profile(change).await.unwrap().into_inner().profile.unwrap();
    assert_eq!(
        (set.grants.clone().map(|list| list.grants), set.limits["fuel"]),
        (Some(Vec::new()), 1_000_000)
    );
    assert_eq!(set, read(&http.profile(ID).await.unwrap()));
    let asked = plugins::RemoveProfileRequest { skill_id: skill_id.clone() };
    assert!(client.remove_profile(asked).await.unwrap().into_inner().removed.unwrap().removed);
    let asked = plugins::GetConfigRequest { skill_id: skill_id.clone() };
    let config = client.get_config(asked).await.unwrap().into_inner().config.unwrap();
    assert_eq!(config, read(&http.config(ID).await.unwrap()));
    let change = |name: &str, text: &str| plugins::SetConfigRequest {
        skill_id: ID.into(),
        values_json: [(name.to_owned(), text.to_owned())].into(),
    };
    let bad = problem(client.set_config(change("n", "hush")).await);
    assert_eq!(bad.code.as_str(), "usage");
    assert!(!bad.detail.contains("hush"), "{bad}");
    assert_eq!(problem(client.set_config(change("nothing", "1")).await).code.as_str(), "invalid_setting");
    let asked = plugins::RemoveConfigRequest { skill_id };
    assert!(!client.remove_config(asked).await.unwrap().into_inner().removed.unwrap().removed);

    let mut client = ToolsServiceClient::new(wire.clone());
    let listed = client.list_tools(plugins::ListToolsRequest::default()).await.unwrap().into_inner();
    assert_eq!(listed, read(&http.tools().await.unwrap()));
    let search = plugins::ListToolsRequest { search: Some("echo".into()), limit: Some(1) };
    assert_eq!(client.list_tools(search).await.unwrap().into_inner().tools[0].tool_id, "acme.bench.echo");
    let asked = plugins::GetToolRequest { tool: "acme.bench.echo".into() };
    let tool = client.get_tool(asked).await.unwrap().into_inner().tool.unwrap();
    assert_eq!(tool, read(&http.tool("acme.bench.echo").await.unwrap()));
    assert!(tool.input_schema_json.contains("\"integer\""));
    let alias = plugins::SetAliasRequest { alias: "copy".into(), tool: "acme.bench.echo".into() };
    assert_eq!(client.set_alias(alias).await.unwrap().into_inner().alias.unwrap().tool_id, "acme.bench.echo");
    let alias = plugins::RemoveAliasRequest { alias: "copy".into() };
    assert_eq!(client.remove_alias(alias).await.unwrap().into_inner().alias.unwrap().alias, "copy");
}

async fn hooks(daemon: &Daemon, wire: &Wire) {
    let (mut client, http) = (HooksServiceClient::new(wire.clone()), daemon.over_tcp());
    let bind = |hook: &str, event: &str| hooks::BindHookRequest {
        id: Some(hook.into()),
        event: event.into(),
        plugin: "acme.watch".into(),
        hook: Some(format!("acme.watch.{hook}")),
        max_attempts: Some(1),
        ..Default::default()
    };
    let bound = client.bind_hook(bind("agree", "skill:enabled")).await.unwrap().into_inner().binding.unwrap();
    assert_eq!((bound.id.as_str(), bound.enabled, bound.gate), ("agree", true, false));
    let id = "agree".to_owned();
    let shown = client.get_hook(hooks::GetHookRequest { id: id.clone() }).await.unwrap().into_inner();
    assert_eq!(shown.binding.unwrap(), read(&http.hook("agree").await.unwrap()));
    let listed = client.list_hooks(hooks::ListHooksRequest {}).await.unwrap().into_inner();
    assert_eq!(listed, read(&http.hooks().await.unwrap()));
    let off = client.disable_hook(hooks::DisableHookRequest { id: id.clone() }).await.unwrap().into_inner();
    assert!(!off.binding.unwrap().enabled);
    let on = client.enable_hook(hooks::EnableHookRequest { id: id.clone() }).await.unwrap().into_inner();
    assert!(on.binding.unwrap().enabled);
    let test = hooks::TestHookRequest { id: id.clone(), payload_json: None };
    let test = client.test_hook(test).await.unwrap().into_inner().test.unwrap();
    assert_eq!((test.binding.as_str(), test.decision.as_str()), ("agree", "continue"));
    let applied = client.apply_hooks(hooks::ApplyHooksRequest { restore: true }).await.unwrap().into_inner();
    assert_eq!(applied.bindings.len(), 1);
    client.unbind_hook(hooks::UnbindHookRequest { id }).await.unwrap();

    client.bind_hook(bind("trap", "run:completed")).await.unwrap();
    daemon.app.become_gateway(crate::hooks::quick());
    let mut calls = GatewayServiceClient::new(wire.clone());
    calls.invoke(call("acme.bench.echo", "{}")).await.unwrap();
    let letters = |daemon: &Daemon| {
        daemon.state().deliveries().dead_letters(&Default::default(), 10).unwrap().len() == 1
    };
    crate::hooks::until(daemon, "a dead letter", letters).await;
    let letters = hooks::ListDeadLettersRequest { binding: Some("trap".into()), limit: None };
    let letters = client.list_dead_letters(letters).await.unwrap().into_inner();
    assert_eq!(letters, read(&http.dead_letters(None, None).await.unwrap()));
    let letter = letters.dead_letters[0].letter;
    let retried = problem(client.retry_dead_letter(hooks::RetryDeadLetterRequest { letter }).await);
    assert_eq!(retried.code.as_str(), "trapped");
    let dropped =
        client.drop_dead_letter(hooks::DropDeadLetterRequest { letter }).await.unwrap().into_inner();
    assert_eq!(dropped.dead_letter.unwrap().letter, letter);
}

async fn routines(daemon: &Daemon, wire: &Wire) {
    let (mut client, http) = (RoutinesServiceClient::new(wire.clone()), daemon.over_tcp());
    let name = "hourly".to_owned();
    let add = routines::AddRoutineRequest {
        name: name.clone(),
        tool: Some("acme.bench.echo".into()),
        input_json: Some(r#"{"n":  3}"#.into()),
        every: Some("1h".into()),
        misfire: routines::Misfire::Skip.into(),
        ..Default::default()
    };
    let added = client.add_routine(add).await.unwrap().into_inner().routine.unwrap();
    assert_eq!(
        (added.misfire(), added.concurrency()),
        (routines::Misfire::Skip, routines::Concurrency::Forbid)
    );
    let listed = client.list_routines(routines::ListRoutinesRequest {}).await.unwrap().into_inner();
    assert_eq!(listed, read(&http.routines().await.unwrap()));
    let shown = client.get_routine(routines::GetRoutineRequest { name: name.clone() }).await.unwrap();
    assert_eq!(shown.into_inner().routine.unwrap(), read(&http.routine(&name).await.unwrap()));
    let off = client.disable_routine(routines::DisableRoutineRequest { name: name.clone() }).await.unwrap();
    assert!(!off.into_inner().routine.unwrap().enabled);
    let on = client.enable_routine(routines::EnableRoutineRequest { name: name.clone() }).await.unwrap();
    assert!(on.into_inner().routine.unwrap().enabled);
    let fire = client.fire_routine(routines::FireRoutineRequest { name: name.clone() }).await.unwrap();
    assert_eq!(fire.into_inner().fire.unwrap().status, "completed");
    let fires = routines::ListFiresRequest { name: name.clone(), ..Default::default() };
    let fires = client.list_fires(fires).await.unwrap().into_inner();
    assert_eq!(fires, read(&http.fires(&name, None, None).await.unwrap()));
    let gone = client.remove_routine(routines::RemoveRoutineRequest { name: name.clone() }).await.unwrap();
    assert_eq!(gone.into_inner().name, name);
}

async fn skills(daemon: &Daemon, wire: &Wire) {
    let (mut client, http) = (SkillsServiceClient::new(wire.clone()), daemon.over_tcp());
    let ((bytes, digest), skill_id) = (package("new", "", 1), "acme.new".to_owned());
    let unknown =
        client.install_skill(parts(&bytes, InstallOptions { update: true, ..Default::default() })).await;
    assert_eq!(problem(unknown).code.as_str(), "not_installed");
    let options = InstallOptions { allow_tofu: true, ..Default::default() };
    let stored = client.install_skill(parts(&bytes, options)).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!((stored.status(), stored.placement()), (SkillStatus::AwaitingConsent, Placement::Current));
    assert_eq!(stored.consent_digest, Some(digest.to_string()));
    let asked = client.get_consent(skills::GetConsentRequest { skill_id: skill_id.clone() }).await.unwrap();
    assert_eq!(asked.into_inner().asked.unwrap().digest, digest.to_string());
    let consent = skills::ConsentToSkillRequest {
        skill_id: skill_id.clone(),
        digest: digest.to_string(),
        secrets: Vec::new(),
    };
    let agreed = client.consent_to_skill(consent).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!(agreed.status(), SkillStatus::Active);
    let listed = client.list_skills(skills::ListSkillsRequest {}).await.unwrap().into_inner();
    assert_eq!(listed, read(&http.skills().await.unwrap()));
    let shown = client.get_skill(skills::GetSkillRequest { skill_id: skill_id.clone() }).await.unwrap();
    assert_eq!(shown.into_inner().skill.unwrap(), read(&http.skill(&skill_id).await.unwrap()));
    let verified =
        client.verify_skill(skills::VerifySkillRequest { skill_id: skill_id.clone() }).await.unwrap();
    assert_eq!(verified.into_inner().verified.unwrap().steps.len(), 10);
    let audited = client.audit_skill(skills::AuditSkillRequest { skill_id: skill_id.clone() }).await.unwrap();
    assert_eq!(audited.into_inner().audits.len(), 1);
    let audited = client.audit_all_skills(skills::AuditAllSkillsRequest {}).await.unwrap();
    assert_eq!(audited.into_inner().audits.len(), 3);

    let reason = "look at it".to_owned();
    let stopped = skills::QuarantineSkillRequest { skill_id: skill_id.clone(), reason: reason.clone() };
    let stopped = client.quarantine_skill(stopped).await.unwrap().into_inner().changed.unwrap();
    assert_eq!(stopped.runtime_status(), SkillStatus::Quarantined);
    let enable = skills::EnableSkillRequest { skill_id: skill_id.clone(), accept: Vec::new() };
    let enabled = client.enable_skill(enable.clone()).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!(enabled.status(), SkillStatus::Active);
    let off = skills::DisableSkillRequest { skill_id: skill_id.clone(), reason: Some(reason) };
    let off = client.disable_skill(off).await.unwrap().into_inner().changed.unwrap();
    assert_eq!(off.runtime_status(), SkillStatus::Disabled);
    client.enable_skill(enable).await.unwrap();
    let (next, _) = package("new", "", 2);
    client.install_skill(parts(&next, InstallOptions { update: true, ..Default::default() })).await.unwrap();
    let back = skills::RollBackSkillRequest { skill_id: skill_id.clone(), version: None };
    let back = client.roll_back_skill(back).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!(back.record.unwrap().current.unwrap().payload, stored.payload);
    let gone = skills::RemoveSkillRequest { skill_id, keep_data: false };
    assert_eq!(client.remove_skill(gone).await.unwrap().into_inner().removed.unwrap().publisher, "acme");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_package_that_begins_otherwise_or_breaks_off_is_not_kept() {
    let daemon = Daemon::start().await;
    let mut client = SkillsServiceClient::new(Wire::owner(&daemon));
    let (bytes, _) = package("new", "", 1);
    let chunk = || InstallSkillRequest { part: Some(Part::Chunk(bytes[..100].to_vec())) };
    let options = || InstallSkillRequest { part: Some(Part::Options(InstallOptions::default())) };
    for messages in [vec![], vec![chunk()], vec![options(), options()], vec![options(), chunk(), options()]] {
        let refused = problem(client.install_skill(futures::stream::iter(messages)).await);
        assert_eq!(refused.code.as_str(), "usage");
    }
    let short = problem(client.install_skill(futures::stream::iter(vec![options(), chunk()])).await);
    assert_ne!(short.code.as_str(), "usage");
    assert!(daemon.state().skills().list().is_empty());
}

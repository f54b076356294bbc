//! The access policy over every transport: its defaults, and policies of an operator.

use crate::daemon::Daemon;
use crate::guests::package;
use crate::raw::ask;
use palyra_api::client::full_body;
use palyra_api::policy::{PolicyAction, PolicyChange, PolicyKind, PolicyQuestion};
use palyra_api::sessions::SessionLabels;
use palyra_api::skills::{InstallOutcome, InstallQuery, Placement, RollbackBody};
use palyra_api::tokens::ScopeName;
use palyra_api::tools::InvokeRequest;
use palyra_api::{ClientError, Problem};
use palyra_common::Scope;
use palyra_daemon::transport::http::routes;
use palyra_journal::{EventKind, Query};
use palyra_policy::{
    DEFAULT_POLICY, Face, PolicyContext, PolicyRequest, PolicySet, Principal, PrincipalKind, Resource,
    ResourceKind, Skill, Tool, TrustState,
};
use serde_json::value::RawValue;

const TOOL: &str = "acme.bench.echo";

fn problem<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Problem {
    result.unwrap_err().into_problem()
}

fn input() -> InvokeRequest {
    InvokeRequest::with_input(RawValue::from_string("{\"n\": 1}".into()).unwrap())
}

fn with_rule(rule: &str) -> PolicyChange {
    PolicyChange { text: format!("{DEFAULT_POLICY}\n{rule}\n") }
}

fn question(action: PolicyAction, scopes: &[ScopeName]) -> PolicyQuestion {
    PolicyQuestion {
        action,
        kind: PolicyKind::Token,
        name: "ci".into(),
        scopes: Some(scopes.to_vec()),
        face: palyra_api::policy::PolicyFace::Http,
        tool: None,
        skill: None,
        publisher: None,
        requester: None,
        labels: SessionLabels::default(),
        writes_outside: None,
    }
}

/// Returns the question whether a principal of this kind, with the scopes of its actual requests, may call a tool.
pub(crate) fn about(tool: &str, kind: PolicyKind) -> PolicyQuestion {
    PolicyQuestion {
        kind,
        scopes: None,
        tool: Some(tool.into()),
        face: palyra_api::policy::PolicyFace::Agent,
        ..question(PolicyAction::Invoke, &[])
    }
}

fn some(kind: ResourceKind) -> Resource {
    let (skill, publisher, trust) = ("acme.bench".to_owned(), "acme".to_owned(), TrustState::Trusted);
    match kind {
        ResourceKind::Tool => Resource::Tool(Tool {
            id: TOOL.into(),
            skill,
            publisher,
            trust,
            sensitive: false,
            requires_approval: true,
        }),
        ResourceKind::Skill => {
            Resource::Skill(Skill { id: skill, publisher, version: "1.0.0".into(), trust })
        }
        ResourceKind::Publisher => Resource::Publisher(publisher),
        ResourceKind::Daemon => Resource::Daemon,
    }
}

/// Every route × every set of scopes: the scope of a route admits exactly the principals to whom its action is
/// permitted.
#[test]
fn the_default_policy_says_what_the_table_of_routes_says() {
    let set = PolicySet::standard();
    for route in routes() {
        let (kind, _) = route.about();
        // The calls of a session are authorized one by one, as calls of its tools.
        let by_call = route.scope == Scope::Invoke && route.pipeline_authorizes;
        let kind = if route.scope == Scope::Approve || by_call { ResourceKind::Tool } else { kind };
        for bits in 0..1_u32 << Scope::ALL.len() {
            let scopes = Scope::ALL.into_iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
            let scopes: Vec<Scope> = scopes.map(|(_, scope)| scope).collect();
            let request = PolicyRequest {
                principal: Principal::new(PrincipalKind::Token, "ci", scopes.clone()),
                action: route.action,
                resource: some(kind),
                context: PolicyContext {
                    requester: Some(Principal::new(PrincipalKind::Token, "agent", [])),
                    ..PolicyContext::new(Face::Http)
                },
            };
            let decision = set.evaluate(&request);
            let (method, path) = (&route.method, route.path);
            let wanted = [Some(route.scope), route.also];
            // The scopes of a route are checked first; an action with one scope may be on a route with two.
            let let_in = route.also.is_none_or(|also| scopes.contains(&also));
            assert_eq!(
                decision.allowed && let_in,
                wanted.into_iter().flatten().all(|scope| scopes.contains(&scope)),
                "{method} {path} {scopes:?}: {decision}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_scope_is_explained_by_the_rule_that_asks_for_it() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp_as(&daemon.token_with("reader", &[Scope::Read]));
    let refused = problem(client.invoke(TOOL, &input()).await);
    assert_eq!((refused.code.as_str(), refused.status), ("forbidden", 403));
    assert_eq!(refused.details["scope"], "invoke");
    assert_eq!(refused.details["policy"]["id"], "invoke", "{refused:?}");
    assert_eq!(refused.details["policy"]["revision"], PolicySet::standard().revision().to_string());
    let refused = problem(client.approve("apr_none", &Default::default()).await);
    assert_eq!(refused.details["policy"]["id"], "approve", "{refused:?}");
    let refused = problem(client.tokens().await);
    assert_eq!(
        (&refused.details["policy"]["id"], &refused.details["action"]),
        (&"admin".into(), &"admin".into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_of_the_operator_decides_from_the_next_request_on() {
    let daemon = Daemon::with_bench().await;
    let ci = daemon.over_tcp_as(&daemon.token_with("ci", &[Scope::Read, Scope::Invoke, Scope::Operate]));
    let owner = daemon.over_socket();
    ci.invoke(TOOL, &input()).await.unwrap();
    let rule = "@id(\"ci-only-looks\")\n@advice(\"ci calls nothing of acme\")\n\
        forbid (principal == Principal::\"token/ci\", action in [Action::\"invoke\", Action::\"install\"], resource);";
    let set = owner.set_policy(&with_rule(rule)).await.unwrap();
    assert!(!set.default && set.problem.is_none());
    assert_eq!((set.rules.len(), set.rules[14].id.as_str()), (15, "ci-only-looks"));
    for client in [&ci, &daemon.over_tcp_as(&daemon.token_with("ci2", &[Scope::Read]))] {
        assert_eq!(client.policy().await.unwrap(), set);
    }
    let denied = problem(ci.invoke(TOOL, &input()).await);
    assert_eq!((denied.code.as_str(), denied.status), ("forbidden", 403));
    assert_eq!(denied.detail, "`invoke` on a tool is forbidden by the rule `ci-only-looks`");
    assert_eq!(denied.hints, ["ci calls nothing of acme"]);
    assert_eq!(
        (&denied.details["tool_id"], &denied.details["skill_id"]),
        (&TOOL.into(), &"acme.bench".into())
    );
    assert_eq!(denied.details["policy"]["revision"], set.revision.as_str());
    assert_eq!(denied.details["policy"]["line"], set.rules[14].line);
    assert_eq!(
        problem(ci.remove_skill("acme.bench", Default::default()).await).details["policy"]["id"],
        "ci-only-looks"
    );
    owner.invoke(TOOL, &input()).await.unwrap();
    daemon.in_process().invoke(TOOL, &input()).await.unwrap();
    // The journal has one writer, so this also waits for earlier events.
    daemon.token_with("last", &[Scope::Read]);
    let told = Query { kinds: vec![EventKind::AccessRefused], ..Query::default() };
    let told = daemon.state().journal().query(&told).unwrap().events;
    assert_eq!(told.len(), 2);
    let first = &told[0].event;
    assert_eq!((first.actor.as_deref(), first.skill.as_deref()), (Some("ci"), Some("acme.bench")));
    assert_eq!(first.details["policy"]["id"], "ci-only-looks");
    let reset = owner.reset_policy().await.unwrap();
    assert!(reset.removed && !owner.reset_policy().await.unwrap().removed);
    assert!(owner.policy().await.unwrap().default);
    ci.invoke(TOOL, &input()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_never_widens_a_token() {
    let daemon = Daemon::with_bench().await;
    let owner = daemon.over_socket();
    let all = "@id(\"all\") @advice(\"everything\") permit (principal, action, resource);";
    owner.set_policy(&PolicyChange { text: all.into() }).await.unwrap();
    let reader = daemon.token_with("reader", &[Scope::Read]);
    let refused = problem(daemon.over_tcp_as(&reader).invoke(TOOL, &input()).await);
    assert_eq!((refused.code.as_str(), &refused.details["policy"]), ("forbidden", &serde_json::Value::Null));
    assert_eq!(problem(daemon.over_tcp_as(&reader).reset_policy().await).code.as_str(), "forbidden");
    let answer = owner.check_policy(&question(PolicyAction::Admin, &[ScopeName::Read])).await.unwrap();
    assert!(!answer.allowed, "{answer:?}");
    assert!(answer.reason.contains("the scope `admin`"), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_no_policy_is_refused_with_its_place() {
    let daemon = Daemon::start().await;
    let owner = daemon.over_socket();
    let before = owner.policy().await.unwrap();
    assert!(before.default);
    assert_eq!((before.text.as_str(), before.rules.len()), (DEFAULT_POLICY, 14));
    let lines = DEFAULT_POLICY.lines().count();
    for (rule, line, column) in [
        ("permit (principal, action, resource);", lines + 2, 1),
        (
            "@id(\"x\") @advice(\"x\")\npermit (principal, action == Action::\"fly\", resource);",
            lines + 3,
            30,
        ),
        ("@id(\"read\") @advice(\"x\") permit (principal, action, resource);", lines + 2, 1),
    ] {
        let refused = problem(owner.set_policy(&with_rule(rule)).await);
        assert_eq!((refused.code.as_str(), refused.status), ("invalid_policy", 422), "{refused:?}");
        assert_eq!(
            (&refused.details["line"], &refused.details["column"]),
            (&line.into(), &column.into()),
            "{refused:?}"
        );
        assert_eq!(refused.hints.len(), 1);
    }
    let long = PolicyChange { text: "// long\n".repeat(9_000) };
    assert_eq!(problem(owner.set_policy(&long).await).code.as_str(), "invalid_policy");
    assert_eq!(owner.policy().await.unwrap(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_shuts_the_owner_out_is_refused() {
    let daemon = Daemon::start().await;
    let owner = daemon.over_socket();
    let no_scripts = "@id(\"no-scripts\") @advice(\"scripts do nothing\") forbid (principal, action, resource) \
        when { context.face == Face::\"command\" };";
    for (change, rule) in [
        (PolicyChange { text: String::new() }, serde_json::Value::Null),
        (with_rule(no_scripts), "no-scripts".into()),
    ] {
        let refused = problem(owner.set_policy(&change).await);
        assert_eq!((refused.code.as_str(), &refused.details["policy"]["id"]), ("invalid_policy", &rule));
    }
    assert!(owner.policy().await.unwrap().default);
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_answered_without_doing_anything() {
    let daemon = Daemon::with_bench().await;
    let reader = daemon.over_tcp_as(&daemon.token_with("reader", &[Scope::Read]));
    let about_tool = |action, scopes: &[ScopeName]| PolicyQuestion {
        tool: Some("acme__bench__echo".into()),
        ..question(action, scopes)
    };
    let yes = reader.check_policy(&about_tool(PolicyAction::Invoke, &[ScopeName::Invoke])).await.unwrap();
    assert!(yes.allowed && yes.rules[0].id == "invoke", "{yes:?}");
    let no = reader.check_policy(&about_tool(PolicyAction::Invoke, &[ScopeName::Read])).await.unwrap();
    assert!(!no.allowed && no.reason.contains("without the scope `invoke`"), "{no:?}");
    let own = reader.check_policy(&about_tool(PolicyAction::Approve, &[ScopeName::Approve])).await.unwrap();
    assert_eq!((own.allowed, own.rules[0].id.as_str()), (false, "not-your-own-request"));
    let other = PolicyQuestion {
        requester: Some("agent".into()),
        ..about_tool(PolicyAction::Approve, &[ScopeName::Approve])
    };
    assert!(reader.check_policy(&other).await.unwrap().allowed);
    let model =
        PolicyQuestion { kind: PolicyKind::Agent, ..question(PolicyAction::Install, &[ScopeName::Operate]) };
    assert_eq!(reader.check_policy(&model).await.unwrap().rules[0].id, "programs-never-widen");
    let missing =
        PolicyQuestion { tool: Some("acme.bench.ech".into()), ..question(PolicyAction::Invoke, &[]) };
    assert_eq!(problem(reader.check_policy(&missing).await).code.as_str(), "not_found");
    let both = PolicyQuestion { skill: Some("acme.bench".into()), ..about_tool(PolicyAction::Read, &[]) };
    assert_eq!(problem(reader.check_policy(&both).await).code.as_str(), "usage");
    let in_use = |kind, name: &str| PolicyQuestion {
        kind,
        name: name.into(),
        scopes: None,
        ..about_tool(PolicyAction::Invoke, &[])
    };
    let reads = reader.check_policy(&in_use(PolicyKind::Token, "reader")).await.unwrap();
    assert_eq!((reads.allowed, reads.scopes), (false, vec![ScopeName::Read]), "the scopes of the real token");
    daemon.token_with("caller", &[Scope::Invoke]);
    for kind in [PolicyKind::Token, PolicyKind::Mcp] {
        assert!(reader.check_policy(&in_use(kind, "caller")).await.unwrap().allowed);
    }
    assert!(reader.check_policy(&in_use(PolicyKind::Routine, "nightly")).await.unwrap().allowed);
    let unknown = problem(reader.check_policy(&in_use(PolicyKind::Token, "calle")).await);
    assert_eq!(unknown.code.as_str(), "not_found");
    assert!(unknown.hints.iter().any(|hint| hint.contains("`--scope`")), "{unknown:?}");
    let odd = ask(
        &daemon,
        "POST",
        "/v1/policy/check",
        Some(&daemon.token),
        &[("Content-Type", "application/json")],
        "{\"action\": \"fly\"}",
    )
    .await;
    assert_eq!(odd.code().as_str(), "usage");
}

/// Every form of an installation: stored only, pinned, with consent, an update, a pending update.
#[tokio::test(flavor = "multi_thread")]
async fn a_rule_about_a_publisher_catches_installation_in_every_form() {
    let daemon = Daemon::start().await;
    let owner = daemon.over_socket();
    let ci = daemon.over_tcp_as(&daemon.token_with("ci", &Scope::ALL));
    let ((first, digest), (second, _)) = (package("bench", "", 1), package("bench", "", 2));
    let send = async |bytes: &[u8], query: &InstallQuery| -> Result<InstallOutcome, ClientError> {
        ci.install(full_body(bytes.to_vec()), query).await
    };
    let none = InstallQuery::default();
    let tofu = InstallQuery { allow_tofu: true, ..none.clone() };
    let agreed = InstallQuery { consent: Some(digest.to_string()), ..tofu.clone() };
    let update = InstallQuery { update: true, ..none.clone() };
    let forbid = |what: &str, on: &str| {
        let rule = format!(
            "@id(\"not-these\") @advice(\"none of acme\") forbid (principal == Principal::\"token/ci\", {what}, resource is Skill) when {{ {on} }};"
        );
        with_rule(&rule)
    };
    let install = "action == Action::\"install\"";
    owner.set_policy(&forbid(install, "resource in Publisher::\"acme\"")).await.unwrap();
    let before = daemon.state().journal().head().size;
    for query in [&none, &tofu, &agreed] {
        let denied = problem(send(&first, query).await);
        assert_eq!((denied.code.as_str(), denied.status), ("forbidden", 403), "{denied:?}");
        assert_eq!(denied.details["policy"]["id"], "not-these");
        assert_eq!(
            (&denied.details["skill_id"], &denied.details["version"]),
            (&"acme.bench".into(), &"1.0.0".into())
        );
    }
    assert_eq!(problem(send(&first, &update).await).code.as_str(), "not_installed");
    assert!(
        owner.skills().await.unwrap().skills.is_empty() && owner.trust().await.unwrap().publishers.is_empty()
    );
    // The journal has one writer, so this also waits for earlier events.
    daemon.token_with("last", &[Scope::Read]);
    let query =
        Query { kinds: vec![EventKind::AccessRefused], from_sequence: Some(before), ..Query::default() };
    let told = daemon.state().journal().query(&query).unwrap().events;
    assert_eq!((told.len(), told[0].event.skill.as_deref()), (3, Some("acme.bench")));
    // Consent that is given with an installation promotes it, so both actions are evaluated.
    let promote = "action == Action::\"promote\"";
    owner.set_policy(&forbid(promote, "resource == Skill::\"acme.bench\"")).await.unwrap();
    assert_eq!(problem(send(&first, &agreed).await).details["action"], "promote");
    assert_eq!(send(&first, &none).await.unwrap().placement, Placement::Current);
    owner.reset_policy().await.unwrap();
    send(&first, &agreed).await.unwrap();
    owner
        .set_policy(&forbid(install, "resource.version == \"2.0.0\" && resource.trust == Trust::\"tofu\""))
        .await
        .unwrap();
    for query in [&none, &update] {
        assert_eq!(problem(send(&second, query).await).details["version"], "2.0.0");
    }
    assert_eq!(owner.skill("acme.bench").await.unwrap().waiting, None);
    owner.set_policy(&forbid(install, "resource in Publisher::\"other\"")).await.unwrap();
    send(&second, &update).await.unwrap();
}

/// A forbidden release can be left for a permitted one, but not the other way round.
#[tokio::test(flavor = "multi_thread")]
async fn going_back_is_asked_about_the_release_it_goes_to() {
    let daemon = Daemon::start().await;
    let owner = daemon.over_socket();
    let ((first, digest), (second, _)) = (package("bench", "", 1), package("bench", "", 2));
    let agreed =
        InstallQuery { allow_tofu: true, consent: Some(digest.to_string()), ..InstallQuery::default() };
    owner.install(full_body(first), &agreed).await.unwrap();
    owner.install(full_body(second), &InstallQuery::default()).await.unwrap();
    let forbid = |version: &str| {
        with_rule(&format!(
            "@id(\"not-this\") @advice(\"not {version}\") forbid (principal, action == Action::\"install\", resource is Skill) when {{ resource.version == \"{version}\" }};"
        ))
    };
    owner.set_policy(&forbid("1.0.0")).await.unwrap();
    let back = RollbackBody { version: None };
    let denied = problem(owner.roll_back_skill("acme.bench", &back).await);
    assert_eq!((denied.code.as_str(), &denied.details["policy"]["id"]), ("forbidden", &"not-this".into()));
    assert_eq!(denied.details["version"], "1.0.0");
    let version = async || {
        let info = owner.skill("acme.bench").await.unwrap();
        info.entry.record.current.manifest_text("version").to_owned()
    };
    assert_eq!(version().await, "2.0.0");
    owner.set_policy(&forbid("2.0.0")).await.unwrap();
    owner.roll_back_skill("acme.bench", &back).await.unwrap();
    assert_eq!(version().await, "1.0.0");
}

/// A policy for a single publisher is possible, because nothing is evaluated for a skill whose name is unknown.
#[tokio::test(flavor = "multi_thread")]
async fn one_publisher_and_no_other_can_be_let_in() {
    let daemon = Daemon::start().await;
    let owner = daemon.over_socket();
    let only = |publisher: &str| {
        with_rule(&format!(
            "@id(\"only\") @advice(\"only {publisher}\") forbid (principal, action in [Action::\"install\", Action::\"promote\"], resource) unless {{ resource in Publisher::\"{publisher}\" }};"
        ))
    };
    let (bytes, digest) = package("bench", "", 1);
    let agreed =
        InstallQuery { allow_tofu: true, consent: Some(digest.to_string()), ..InstallQuery::default() };
    owner.set_policy(&only("other")).await.unwrap();
    let denied = problem(owner.install(full_body(bytes.clone()), &agreed).await);
    assert_eq!(denied.details["policy"]["id"], "only");
    owner.set_policy(&only("acme")).await.unwrap();
    owner.install(full_body(bytes), &agreed).await.unwrap();
    owner.invoke(TOOL, &input()).await.unwrap();
}

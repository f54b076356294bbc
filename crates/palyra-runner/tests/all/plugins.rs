//! Policy, profiles, settings, derived grants, and modules that come with a call.

use base64::Engine as _;
use palyra_common::capabilities::OperatorGrants;
use palyra_common::{
    JsonText, LimitKind, PluginCapabilityProfile, WasmPluginRunError, WasmPluginRunErrorKind as Kind,
    WasmPluginRunnerPolicy,
};
use palyra_journal::EventKind;
use palyra_policy::PolicySet;
use palyra_runner::{CallError, GrantAuthority, INLINE, InlineInvocation};
use palyra_skills::Sha256Digest;
use palyra_state::{AccessPolicy, ConfigSource, PluginSettingError};
use palyra_testkit::{COUNTER, ECHO, HONEST, Release};
use serde_json::json;

use crate::calls::{World, failure, invocation};

const STORAGE: &str = "[capabilities]\nstorage_prefixes = [\"counters/\"]";

fn counter() -> World {
    World::new(&Release { wat: COUNTER.into(), tables: STORAGE, ..Release::default() })
}

#[tokio::test]
async fn a_profile_narrows_and_the_denial_says_so() {
    let world = counter();
    world.call("acme.notes.add", "{}").await.unwrap();
    let nothing = PluginCapabilityProfile::parse(["channel:alerts"]).unwrap();
    let revision = world.state.settings().set_profile("acme.notes", &nothing, "owner").unwrap();
    assert_eq!(world.state.settings().profile("acme.notes").unwrap().revision, revision);
    match failure(world.call("acme.notes.add", "{}").await) {
        WasmPluginRunError::CapabilityDenied(denial) => {
            assert!(denial.reason.contains("the profile does not include it"), "{denial}");
        }
        other => panic!("{other}"),
    }
    let grants = palyra_runner::effective_grants(&world.state, "acme.notes").unwrap();
    assert_eq!(grants.derivations[0].refusal().unwrap().by, GrantAuthority::Profile);
    assert!(world.state.settings().remove_profile("acme.notes", "owner").unwrap());
    assert!(!world.state.settings().remove_profile("acme.notes", "owner").unwrap());
    world.call("acme.notes.add", "{}").await.unwrap();
    let told = world.events(EventKind::PluginProfileChanged);
    assert_eq!((told.len(), told[0].event.actor.as_deref()), (2, Some("owner")));
}

#[tokio::test]
async fn tool_gets_what_its_table_leaves_of_the_skill() {
    let table =
        |risk| World::new(&Release { wat: COUNTER.into(), tables: STORAGE, risk, ..Release::default() });
    let denied = async |world: &World| match failure(world.call("acme.notes.add", "{}").await) {
        WasmPluginRunError::CapabilityDenied(denial) => denial,
        other => panic!("{other}"),
    };
    let reads = table("capabilities = { storage_read_prefixes = [\"counters/\"] }");
    let denial = denied(&reads).await;
    assert!(denial.reason.starts_with("`counters/` is granted for reading only"), "{denial}");
    let release = "install a release whose `[entrypoints.tools.capabilities]` of `acme.notes.add` include \
                   `storage:counters/`";
    assert!(denial.manifest.unwrap().ends_with(release));
    let shown = |grants: palyra_runner::EffectiveGrants| -> Vec<String> {
        Vec::<palyra_common::Capability>::from((*grants.grants).clone())
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    let skill = palyra_runner::effective_grants(&reads.state, "acme.notes").unwrap();
    assert_eq!(shown(skill), ["storage:counters/"]);
    let tool = palyra_runner::effective_grants_of_tool(&reads.state, "acme.notes", "acme.notes.add").unwrap();
    assert_eq!(tool.derivations[0].refusal().unwrap().by, GrantAuthority::Tool);
    assert_eq!(shown(tool), ["storage-read:counters/"]);
    let denial = denied(&table("capabilities = { }")).await;
    assert!(denial.reason.ends_with("the tool `acme.notes.add` leaves it out"), "{denial}");
    let whole = table("capabilities = { storage_prefixes = [\"counters/\"] }");
    whole.call("acme.notes.add", "{}").await.unwrap();
}

#[tokio::test]
async fn profile_can_leave_reading_alone() {
    let world = counter();
    let reading = PluginCapabilityProfile::parse(["storage-read:counters/"]).unwrap();
    world.state.settings().set_profile("acme.notes", &reading, "owner").unwrap();
    match failure(world.call("acme.notes.add", "{}").await) {
        WasmPluginRunError::CapabilityDenied(denial) => {
            let remedy = "palyra plugins profile set acme.notes --grant 'storage:counters/'";
            assert!(denial.manifest.as_deref().is_some_and(|text| text.ends_with(remedy)), "{denial}");
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_profile_caps_limits_and_lasts() {
    let world = World::new(&Release::default());
    let mut profile = PluginCapabilityProfile::default();
    profile.limits.insert(LimitKind::Output, 5);
    world.state.settings().set_profile("acme.notes", &profile, "owner").unwrap();
    assert_eq!(failure(world.call("acme.notes.add", "{}").await).kind(), Kind::QuotaExceeded);
    let World { home, state, caller } = world;
    drop((caller, state));
    let state = home.open();
    assert_eq!(state.settings().profile("acme.notes").unwrap().value, profile);
    // Removing a skill removes its profile.
    state.skills().remove("acme.notes", "owner").unwrap();
    assert!(state.settings().profile("acme.notes").is_none());
}

#[tokio::test]
async fn profiles_with_state_root_or_unknown_skill_are_rejected() {
    let world = World::new(&Release::default());
    let mut profile = PluginCapabilityProfile::default();
    profile.directories.insert("docs".parse().unwrap(), world.home.root.path().join("vault"));
    match world.state.settings().set_profile("acme.notes", &profile, "owner").unwrap_err() {
        PluginSettingError::Bad(bad) => assert_eq!(bad.field, "directories.docs"),
        other => panic!("{other}"),
    }
    let missing =
        world.state.settings().set_profile("acme.mail", &PluginCapabilityProfile::default(), "owner");
    assert_eq!(missing.unwrap_err().code().as_str(), "not_installed");
}

#[tokio::test]
async fn profile_made_from_an_older_revision_is_rejected() {
    let world = World::new(&Release::default());
    let settings = world.state.settings();
    let profile = PluginCapabilityProfile::default();
    let first = settings.change_profile("acme.notes", &profile, Some(0), "owner").unwrap();
    let second = settings.change_profile("acme.notes", &profile, Some(first), "owner").unwrap();
    match settings.change_profile("acme.notes", &profile, Some(first), "owner").unwrap_err() {
        PluginSettingError::Changed { expected, found } => assert_eq!((expected, found), (first, second)),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn the_policy_is_a_ceiling_for_every_run() {
    let world = counter();
    let narrow = WasmPluginRunnerPolicy {
        allowed_storage_prefixes: Some(vec![]),
        ..WasmPluginRunnerPolicy::default()
    };
    world.state.settings().set_runner_policy(&narrow, "owner").unwrap();
    match failure(world.call("acme.notes.add", "{}").await) {
        WasmPluginRunError::CapabilityDenied(denial) => assert!(denial.reason.contains("policy"), "{denial}"),
        other => panic!("{other}"),
    }
    for (policy, kind) in [
        (WasmPluginRunnerPolicy { fuel_budget: 2, ..Default::default() }, Kind::QuotaExceeded),
        (WasmPluginRunnerPolicy { max_module_bytes: 20, ..Default::default() }, Kind::InvalidInput),
        (WasmPluginRunnerPolicy { enabled: false, ..Default::default() }, Kind::Disabled),
    ] {
        world.state.settings().set_runner_policy(&policy, "owner").unwrap();
        assert_eq!(failure(world.call("acme.notes.add", "{}").await).kind(), kind);
    }
    let zero = WasmPluginRunnerPolicy { fuel_budget: 0, ..Default::default() };
    assert!(world.state.settings().set_runner_policy(&zero, "owner").is_err());
    assert_eq!(world.events(EventKind::PolicyChanged).len(), 4);
}

const SETTINGS: &str = r#"[operator.config.city]
type = "string"
required = true
[operator.config.days]
type = "integer"
default = 3
[operator.config.pin]
type = "string"
redacted = true
[operator.config.token]
type = "secret"
[[capabilities.secrets]]
scope = "global"
key_names = ["weather"]
reveal = true"#;

#[tokio::test]
async fn a_required_setting_refuses_with_the_command_that_sets_it() {
    let world = World::new(&Release { wat: HONEST.into(), tables: SETTINGS, ..Release::default() });
    match failure(world.call("acme.notes.add", "{}").await) {
        WasmPluginRunError::NotRunnable { remedy, reason, .. } => {
            assert_eq!(remedy, "palyra plugins config set acme.notes city=VALUE");
            assert_eq!(reason, "its setting `city` has no value");
        }
        other => panic!("{other}"),
    }
    let set = |values: serde_json::Value| {
        let values = serde_json::from_value(values).unwrap();
        world.state.settings().set_plugin_config("acme.notes", &values, "owner")
    };
    for wrong in [
        json!({ "city": 7 }),
        json!({ "days": 1.5 }),
        json!({ "token": "hunter2" }),
        json!({ "token": "global/other" }),
        json!({ "town": "Oslo" }),
    ] {
        let error = set(wrong.clone()).unwrap_err();
        assert_eq!(error.code().as_str(), "invalid_setting", "{wrong}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
    set(json!({ "city": "Oslo", "pin": "1234", "token": "global/weather" })).unwrap();
    let run = world.call("acme.notes.add", "{}").await.unwrap();
    let delivered = r#"{"city":"Oslo","days":3,"pin":"1234","token":"global/weather"}"#;
    assert_eq!(run.tape.header.operator_config.as_str(), delivered);
    let shown = world.state.settings().plugin_config("acme.notes").unwrap();
    let field = |name: &str| shown.fields.iter().find(|field| field.name == name).unwrap();
    assert_eq!((field("city").source, field("days").source), (ConfigSource::Operator, ConfigSource::Default));
    assert!(field("pin").value.is_null() && field("pin").redacted);
    let told = world.events(EventKind::PluginConfigChanged);
    assert!(!told[0].event.details.to_string().contains("1234"));
    set(json!({ "city": null })).unwrap();
    assert_eq!(failure(world.call("acme.notes.add", "{}").await).kind(), Kind::NotRunnable);
}

fn inline(wat: &str) -> InlineInvocation {
    let module = base64::engine::general_purpose::STANDARD.encode(wat::parse_str(wat).unwrap());
    InlineInvocation::new(module, JsonText::parse(r#"{"a":1}"#).unwrap(), crate::calls::owner())
}

#[tokio::test]
async fn inline_modules_run_by_policy_only_and_are_journalled() {
    let world = World::new(&Release::default());
    let refused = world.caller.call_inline(inline(ECHO)).await;
    assert_eq!(failure(refused).kind(), Kind::Disabled);
    assert_eq!(world.events(EventKind::RunRefused)[0].event.skill.as_deref(), Some(INLINE));
    let policy = WasmPluginRunnerPolicy { allow_inline_modules: true, ..Default::default() };
    world.state.settings().set_runner_policy(&policy, "owner").unwrap();
    let result = world.caller.call_inline(inline(ECHO)).await.unwrap();
    assert_eq!(result.output.as_str(), r#"{"a":1}"#);
    assert_eq!(world.events(EventKind::RunCompleted)[0].event.skill.as_deref(), Some(INLINE));
    for grant in ["secret:global/a reveal", "storage:a/", "fs-write:out=/tmp"] {
        let operator = OperatorGrants::parse([grant]).unwrap();
        let refused = world.caller.call_inline(InlineInvocation { operator, ..inline(ECHO) }).await;
        assert_eq!(failure(refused).kind(), Kind::InvalidInput, "{grant}");
    }
    for module_base64 in ["%", "AAAA", ""] {
        let broken = InlineInvocation { module_base64: module_base64.into(), ..inline(ECHO) };
        assert_eq!(failure(world.caller.call_inline(broken).await).kind(), Kind::InvalidInput);
    }
    assert_eq!(world.events(EventKind::RunRefused).len(), 7);
    let denied = failure(world.caller.call_inline(inline(COUNTER)).await);
    assert_eq!(denied.kind(), Kind::CapabilityDenied);
    assert!(denied.to_string().contains("an inline module never gets storage"), "{denied}");
    assert!(!denied.hints().iter().any(|hint| hint.contains("--grant")), "{:?}", denied.hints());
}

#[tokio::test]
async fn directories_of_the_profile_reach_the_run() {
    let tables = "[capabilities.filesystem]\nread_roots = [\"docs\"]";
    let world = World::new(&Release { tables, ..Release::default() });
    let grants = palyra_runner::effective_grants(&world.state, "acme.notes").unwrap();
    assert!(grants.grants.is_empty());
    let folder = tempfile::tempdir().unwrap();
    let mut profile = PluginCapabilityProfile::default();
    let directory = folder.path().canonicalize().unwrap();
    profile.directories.insert("docs".parse().unwrap(), directory.clone());
    world.state.settings().set_profile("acme.notes", &profile, "owner").unwrap();
    let result = world.call("acme.notes.add", "{}").await.unwrap();
    assert_eq!(result.tape.header.grants.filesystem()[0].directory(), Some(directory.as_path()));
}

#[tokio::test]
async fn access_policy_is_stored_and_journalled() {
    let world = World::new(&Release::default());
    assert_eq!(world.state.settings().access_policy(), AccessPolicy::default());
    let text = "@id(\"nothing\") @advice(\"nothing is allowed\") forbid (principal, action, resource);\n";
    let revision =
        world.state.settings().set_access_policy(&PolicySet::parse(text).unwrap(), "owner").unwrap();
    let told = world.events(EventKind::PolicyChanged);
    assert_eq!((told.len(), told[0].event.subject.as_deref()), (1, Some("access")));
    assert_eq!(told[0].event.details["rules"], 1);
    let World { home, state, caller } = world;
    drop((caller, state));
    let state = home.open();
    assert_eq!(
        state.settings().access_policy(),
        AccessPolicy { revision, text: Some(text.into()), before_labels: false }
    );
    assert!(state.settings().reset_access_policy("owner").unwrap());
    assert!(!state.settings().reset_access_policy("owner").unwrap());
    assert_eq!(state.settings().access_policy(), AccessPolicy::default());
}

#[tokio::test]
async fn policy_decides_about_the_tool_that_was_found_and_its_arguments() {
    let world = World::new(&Release::default());
    let arguments = Sha256Digest::of(br#"{"a":1}"#);
    let text = format!(
        "@id(\"all\") @advice(\"all\") permit (principal, action, resource);\n\
         @id(\"not-these\") @advice(\"not these arguments\")\n\
         forbid (principal, action == Action::\"invoke\", resource == Tool::\"acme.notes.add\")\n\
         when {{ resource in Publisher::\"acme\" && context.arguments == \"{arguments}\" }};\n"
    );
    world.state.settings().set_access_policy(&PolicySet::parse(&text).unwrap(), "owner").unwrap();
    let call = |input: &str| invocation("acme__notes__add", input);
    world.caller.call(call("{}")).await.unwrap();
    let denied = world.caller.call(call(r#"{"a":1}"#)).await.unwrap_err();
    assert!(
        matches!(&denied, CallError::Denied { skill_id, tool_id, .. }
            if skill_id == "acme.notes" && tool_id == "acme.notes.add"),
        "{denied}"
    );
    world.state.skills().disable("acme.notes", "for now", "owner").unwrap();
    assert_eq!(failure(world.caller.call(call(r#"{"a":1}"#)).await).kind(), Kind::NotRunnable);
}

//! The call pipeline: rows G05 (schema), G06, G20, and the records of a call.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use palyra_common::capabilities::OperatorGrants;
use palyra_common::{
    JsonText, Principal, ScopeSet, SecretValue, Transport, WasmPluginRunError, WasmPluginRunErrorKind as Kind,
};
use palyra_journal::{EventKind, Query, RecordedEvent};
use palyra_plugins_runtime::InProcessCompiler;
use palyra_runner::{CallContext, CallError, CallerConfig, ToolCaller, ToolInvocation, ToolResult};
use palyra_skills::consent::ConsentGiven;
use palyra_skills::index::QuarantineCause;
use palyra_skills::trust::RevocationTarget;
use palyra_skills::{RuntimeStatus, Sha256Digest, capability_digest};
use palyra_state::{InstallOptions, State};
use palyra_testkit::{
    COUNTER, ECHO, Home, Release, describing, install, one_operation, signing_key, try_install,
};

pub(crate) struct World {
    pub(crate) home: Home,
    pub(crate) state: Arc<State>,
    pub(crate) caller: ToolCaller,
}

impl World {
    pub(crate) fn new(release: &Release) -> Self {
        Self::at(Home::new(), release)
    }

    /// Creates a world whose clock reads `time`.
    pub(crate) fn with_clock(release: &Release, time: Arc<AtomicU64>) -> Self {
        let mut home = Home::new();
        home.options.clock = Arc::new(move || time.load(Ordering::SeqCst));
        Self::at(home, release)
    }

    fn at(home: Home, release: &Release) -> Self {
        let state = Arc::new(home.open());
        let outcome = install(&state, &release.build());
        assert_eq!(outcome.status, RuntimeStatus::Active, "{:?}", outcome.audit.map(|audit| audit.findings));
        let caller = caller(&state);
        Self { home, state, caller }
    }

    pub(crate) async fn call(&self, tool: &str, input: &str) -> Result<ToolResult, CallError> {
        self.caller.call(invocation(tool, input)).await
    }

    /// Returns the events of a kind, oldest first.
    pub(crate) fn events(&self, kind: EventKind) -> Vec<RecordedEvent> {
        self.state.journal().query(&Query { kinds: vec![kind], ..Query::default() }).unwrap().events
    }

    fn status(&self) -> RuntimeStatus {
        self.state.view().index().get("acme.notes").unwrap().runtime_status()
    }
}

pub(crate) fn caller(state: &Arc<State>) -> ToolCaller {
    ToolCaller::new(Arc::clone(state), caller_config()).unwrap()
}

pub(crate) fn caller_config() -> CallerConfig {
    CallerConfig {
        compiler: Arc::new(InProcessCompiler),
        keep_compiled_code: false,
        egress: None,
        ceiling: None,
        max_concurrent_runs: 8,
        queue_time: Duration::from_secs(5),
    }
}

/// Returns the owner, calling from a script, where no person can confirm.
pub(crate) fn owner() -> Arc<Principal> {
    Arc::new(Principal::owner(Transport::Command))
}

/// Returns the holder of a token whose digest is that of its name.
pub(crate) fn holder(name: &str) -> Arc<Principal> {
    let digest = Sha256Digest::of(name.as_bytes());
    Arc::new(Principal::token(name, *digest.as_bytes(), ScopeSet::all(), Transport::Http))
}

pub(crate) fn invocation(tool: &str, input: &str) -> ToolInvocation {
    ToolInvocation {
        tool: tool.into(),
        skill_id: None,
        input: JsonText::parse(input).unwrap(),
        principal: owner(),
        operator: OperatorGrants::default(),
        limits: None,
        cancel: None,
        listener: None,
        context: CallContext::default(),
    }
}

pub(crate) fn failure(result: Result<ToolResult, CallError>) -> WasmPluginRunError {
    match result {
        Err(CallError::Run(error)) => error,
        Err(CallError::Failed(run)) => run.error,
        Err(other) => panic!("{other}"),
        Ok(result) => panic!("it gave {}", result.output),
    }
}

#[tokio::test]
async fn a_call_leaves_a_receipt() {
    let world = World::new(&Release { wat: ECHO.into(), ..Release::default() });
    let result = world.call("acme.notes.add", r#"{"a":1}"#).await.unwrap();
    assert_eq!(result.output.as_str(), r#"{"a":1}"#);
    let receipts = world.events(EventKind::RunCompleted);
    let receipt = &receipts[0];
    assert_eq!((receipt.leaf, receipt.event.run.as_deref()), (result.receipt, Some(result.run_id.as_str())));
    assert_eq!(receipt.event.details["payload"], result.payload.to_string());
    assert_eq!(receipt.event.details["fuel"], result.usage.fuel);
    assert_eq!(receipt.event.details["input_sha256"], receipt.event.details["output_sha256"]);
    let run = world.state.runs().get(&result.run_id).unwrap().unwrap();
    assert_eq!((run.status.as_str(), run.receipt_leaf), ("completed", Some(result.receipt.sequence)));
    // Name for models and alias reach the same tool.
    world.call("acme__notes__add", "{}").await.unwrap();
    world.state.skills().set_alias("note", Some("acme.notes.add"), "owner").unwrap();
    world.call("note", "{}").await.unwrap();
    assert_eq!(world.state.skills().info("acme.notes").unwrap().runs.completed, 3);
}

#[tokio::test]
async fn g05_invalid_output_is_reported_with_json_pointer() {
    let schema = r#"{ type = "object", properties = { count = { type = "integer" } } }"#;
    let world = World::new(&Release { wat: ECHO.into(), output_schema: schema, ..Release::default() });
    world.call("acme.notes.add", r#"{"count":1}"#).await.unwrap();
    match failure(world.call("acme.notes.add", r#"{"count":"hunter2"}"#).await) {
        WasmPluginRunError::InvalidOutput { pointer, reason } => {
            assert_eq!(pointer, "/count");
            assert!(!reason.contains("hunter2"), "{reason}");
        }
        other => panic!("{other}"),
    }
    let failed = &world.events(EventKind::RunFailed)[0].event.details;
    assert_eq!((&failed["error"], failed["output_sha256"].is_null()), (&"invalid_output".into(), true));
}

#[tokio::test]
async fn g06_input_that_fails_its_schema_is_refused_before_anything_runs() {
    let schema = r#"{ type = "object", required = ["text"], properties = { text = { type = "string" } } }"#;
    let world = World::new(&Release { input_schema: schema, ..Release::default() });
    for (input, wanted) in [(r#"{"text":7}"#, "/text"), ("{}", "/"), ("[]", "/")] {
        match failure(world.call("acme.notes.add", input).await) {
            WasmPluginRunError::InvalidInput { pointer, subject, .. } => {
                assert_eq!((pointer.as_deref(), subject), (Some(wanted), "input"), "{input}");
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(world.events(EventKind::RunRefused).len(), 3);
    assert!(world.events(EventKind::RunFailed).is_empty());
}

#[tokio::test]
async fn g06_unknown_tools_and_tools_of_another_skill_are_not_found() {
    let world = World::new(&Release::default());
    let other = Release { skill: "mail", tool: "acme.mail.send", ..Release::default() }.build();
    install(&world.state, &other);
    match failure(world.call("acme.notes.ad", "{}").await) {
        WasmPluginRunError::NotFound { known, .. } => assert_eq!(known[0], "acme.notes.add"),
        other => panic!("{other}"),
    }
    let foreign =
        ToolInvocation { skill_id: Some("acme.notes".into()), ..invocation("acme.mail.send", "{}") };
    assert_eq!(failure(world.caller.call(foreign).await).kind(), Kind::NotFound);
    let own = ToolInvocation { skill_id: Some("acme.mail".into()), ..invocation("acme.mail.send", "{}") };
    world.caller.call(own).await.unwrap();
    world.caller.call(invocation("acme__mail__send", "{}")).await.unwrap();
}

const AS_DECLARED: &str = r#"{"tools":[{"id":"acme.notes.add","description":"Keeps short notes.","input_schema":{"type":"object"},"output_schema":{"type":"object"}}]}"#;

#[tokio::test]
async fn g20_a_component_that_says_what_its_manifest_says_is_asked_once() {
    let world = World::new(&Release { wat: describing(AS_DECLARED), ..Release::default() });
    assert_eq!(world.call("acme.notes.add", "{}").await.unwrap().output.as_str(), r#"{"ok":true}"#);
    world.call("acme.notes.add", "{}").await.unwrap();
    assert_eq!(world.events(EventKind::SkillVerified).len(), 1);
}

#[tokio::test]
async fn g20_a_component_that_says_something_else_is_quarantined() {
    for description in [
        r#"{"tools":[]}"#,
        "not json",
        &AS_DECLARED.replace("short notes", "everything"),
        &AS_DECLARED.replace(r#"{"id""#, r#"{"id":"acme.notes.wipe"},{"id""#),
        &AS_DECLARED.replace(r#""input_schema":{"type":"object"}"#, r#""input_schema":{}"#),
        &AS_DECLARED.replace("]}", r#"],"hooks":[{"id":"acme.notes.watch","events":[]}]}"#),
    ] {
        let world = World::new(&Release { wat: describing(description), ..Release::default() });
        let refused = failure(world.call("acme.notes.add", "{}").await);
        assert_eq!(refused.kind(), Kind::NotRunnable, "{description}: {refused}");
        let record = world.state.view().index().get("acme.notes").unwrap().clone();
        assert_eq!(record.current.quarantine.unwrap().cause, QuarantineCause::Describe);
        assert!(world.events(EventKind::RunCompleted).is_empty());
        assert_eq!(failure(world.call("acme.notes.add", "{}").await).kind(), Kind::NotRunnable);
    }
}

#[tokio::test]
async fn t10_a_skill_whose_key_is_revoked_does_not_run_again() {
    let world = World::new(&Release::default());
    world.call("acme.notes.add", "{}").await.unwrap();
    world
        .state
        .trust()
        .revoke(RevocationTarget::Key(signing_key(1).public().key_id()), "stolen", "owner")
        .unwrap();
    assert_eq!(failure(world.call("acme.notes.add", "{}").await).kind(), Kind::NotRunnable);
    assert_eq!(world.events(EventKind::RunRefused).len(), 1);
}

#[tokio::test]
async fn i01_an_object_swapped_after_verification_is_refused_at_the_call() {
    let world = World::new(&Release::default());
    let archive = world.state.view().index().get("acme.notes").unwrap().current.archive;
    let path = world.state.objects().path_of(&archive);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, Release::number(2).build().bytes).unwrap();
    let refused = failure(world.call("acme.notes.add", "{}").await);
    assert_eq!(refused.kind(), Kind::NotRunnable, "{refused}");
    assert_eq!(world.status(), RuntimeStatus::Quarantined);
    assert_eq!(world.events(EventKind::SkillQuarantined).len(), 1);
}

#[tokio::test]
async fn i02_an_object_replaced_by_a_link_is_refused_at_the_call() {
    let world = World::new(&Release::default());
    let archive = world.state.view().index().get("acme.notes").unwrap().current.archive;
    let path = world.state.objects().path_of(&archive);
    let away = world.home.folder.path().join("away");
    std::fs::rename(&path, &away).unwrap();
    std::os::unix::fs::symlink(&away, &path).unwrap();
    assert_eq!(failure(world.call("acme.notes.add", "{}").await).kind(), Kind::NotRunnable);
    assert_eq!(world.status(), RuntimeStatus::Quarantined);
}

#[tokio::test]
async fn a_skill_that_may_not_run_says_why_and_what_would_change_it() {
    let home = Home::new();
    let state = Arc::new(home.open());
    let built = Release::default().build();
    let caller = caller(&state);
    try_install(&state, &built, &InstallOptions { allow_tofu: true, ..InstallOptions::default() }).unwrap();
    match failure(caller.call(invocation("acme.notes.add", "{}")).await) {
        WasmPluginRunError::NotRunnable { remedy, .. } => {
            assert_eq!(remedy, "palyra skills consent acme.notes")
        }
        other => panic!("{other}"),
    }
    install(&state, &built);
    caller.call(invocation("acme.notes.add", "{}")).await.unwrap();
    state.skills().disable("acme.notes", "later", "owner").unwrap();
    assert_eq!(failure(caller.call(invocation("acme.notes.add", "{}")).await).kind(), Kind::NotRunnable);
}

#[tokio::test]
async fn storage_lasts_and_its_use_is_counted() {
    let tables = "[capabilities]\nstorage_prefixes = [\"counters/\"]";
    let world = World::new(&Release { wat: COUNTER.into(), tables, ..Release::default() });
    for count in [5, 10] {
        let result = world.call("acme.notes.add", r#"{"step":5}"#).await.unwrap();
        assert_eq!(result.output.as_str(), format!(r#"{{"count":{count}}}"#));
        assert_eq!(result.capabilities["storage:counters/"].used, 2);
    }
    let used = world.state.skills().info("acme.notes").unwrap().has_used;
    assert_eq!((used[0].capability.as_str(), used[0].used), ("storage:counters/", 4));
    let World { home, state, caller } = world;
    drop((caller, state));
    let state = Arc::new(home.open());
    let result = self::caller(&state).call(invocation("acme.notes.add", r#"{"step":5}"#)).await.unwrap();
    assert_eq!(result.output.as_str(), r#"{"count":15}"#);
}

#[tokio::test]
async fn grants_are_what_manifest_and_consent_have_in_common() {
    // The guest uses storage that its manifest does not request.
    let world = World::new(&Release { wat: COUNTER.into(), ..Release::default() });
    let operator = OperatorGrants::parse(["storage:counters/"]).unwrap();
    let widened = ToolInvocation { operator, ..invocation("acme.notes.add", "{}") };
    assert_eq!(failure(world.caller.call(widened).await).kind(), Kind::CapabilityDenied);
}

#[tokio::test]
async fn no_secret_is_in_any_row_or_file() {
    const CANARY: &str = "canary-5f0c1d9e7a";
    let tables = "[[capabilities.secrets]]\nscope = \"global\"\nkey_names = [\"token\"]\nreveal = true";
    let wat = one_operation("secret-handle", r#"{"op":"secrets.reveal","handle":"#, "}");
    let release = Release { wat, tables, ..Release::default() };
    let home = Home::new();
    let state = Arc::new(home.open());
    let secret = "global/token".parse().unwrap();
    state.vault().secrets().put(&secret, &SecretValue::new(CANARY), 1).unwrap();
    let built = release.build();
    let consent = ConsentGiven {
        digest: capability_digest(&built.manifest),
        principal: "owner".into(),
        secrets: BTreeSet::from([secret]),
    };
    let options = InstallOptions { allow_tofu: true, consent: Some(consent), ..InstallOptions::default() };
    assert_eq!(try_install(&state, &built, &options).unwrap().status, RuntimeStatus::Active);
    let caller = caller(&state);
    let result = caller.call(invocation("acme.notes.add", "{}")).await.unwrap();
    assert_eq!(result.capabilities["secret:global/token"].used, 1, "{:?}", result.capabilities);
    assert!(!result.output.as_str().contains(CANARY), "{}", result.output);
    drop((caller, state));
    for file in files(home.root.path()) {
        let bytes = std::fs::read(&file).unwrap();
        let found = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
        assert!(!found, "{}", file.display());
    }
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files
}

#[tokio::test]
async fn messages_to_channels_are_recorded() {
    let tables = "[capabilities]\nchannels = [\"alerts\"]";
    let rest = r#","content_type":"text/plain","body_text":"milk"}"#;
    let wat = one_operation("channel-handle", r#"{"op":"channels.publish","handle":"#, rest);
    let world = World::new(&Release { wat, tables, ..Release::default() });
    let result = world.call("acme.notes.add", "{}").await.unwrap();
    let events = world.state.runs().events(&result.run_id).unwrap();
    assert_eq!((events[0].kind.as_str(), events[0].text.as_str()), ("channel", "alerts (text/plain): milk"));
    assert_eq!(result.capabilities["channel:alerts"].used, 1);
}

#[tokio::test]
async fn i07_changed_compiled_code_is_discarded_and_journalled() {
    let world = World::new(&Release { wat: ECHO.into(), ..Release::default() });
    let call = async || {
        let config = CallerConfig { keep_compiled_code: true, ..caller_config() };
        let caller = ToolCaller::new(Arc::clone(&world.state), config).unwrap();
        caller.call(invocation("acme.notes.add", r#"{"a":1}"#)).await.unwrap()
    };
    call().await;
    call().await;
    assert!(world.events(EventKind::StateCacheDiscarded).is_empty());
    let code = world.home.root.path().join("cache").join("code");
    let mut files = std::fs::read_dir(&code).unwrap().map(|file| file.unwrap().path());
    let file = files.find(|file| file.extension().is_some_and(|end| end == "code")).unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(call().await.output.as_str(), r#"{"a":1}"#, "it is compiled anew");
    let told = world.events(EventKind::StateCacheDiscarded);
    assert_eq!(told.len(), 1);
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(told[0].event.details["file"].as_str().unwrap().ends_with(name), "{:?}", told[0].event.details);
    call().await;
    assert_eq!(world.events(EventKind::StateCacheDiscarded).len(), 1, "and kept again");
}

//! Measures a step of an agent run: a request to a model that answers at once, its tool call, and every row in between.
//! Shared with the benchmark row `agent_step`.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use palyra_api::sessions::{AgentBudget, AgentRunStatus, NewSession};
use palyra_api::tools::InvokeRequest;
use palyra_api::{Client, Transport};
use palyra_daemon::in_process::InProcess;
use palyra_daemon::{App, AppConfig, ModelSource};
use palyra_models::ToolCall;
use palyra_models::testing::{Script, ScriptedProvider};
use palyra_plugins_runtime::InProcessCompiler;
use palyra_skills::consent::ConsentGiven;
use palyra_skills::signing::SkillSigningKey;
use palyra_skills::{BuildRequest, build_signed_skill_artifact, capability_digest};
use palyra_state::{InstallOptions, StateOptions, StateRoot};
use palyra_vault::KeySourceChoice;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

const TOOL: &str = "figures.echo.run";
/// A module that returns its input.
const ECHO: &str = r#"(module
    (import "palyra:plugin/io@1.0.0" "input-length" (func $length (result i32)))
    (import "palyra:plugin/io@1.0.0" "input-read" (func $read (param i32 i32 i32) (result i32)))
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (memory (export "memory") 2)
    (func (export "palyra_plugin_main") (result i32)
        (drop (call $read (i32.const 0) (i32.const 0) (call $length)))
        (drop (call $write (i32.const 0) (call $length)))
        (i32.const 0)))"#;
const MANIFEST: &str = r#"manifest_version = 1
skill_id = "figures.echo"
name = "Echo"
version = "1.0.0"
publisher = "figures"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "figures.echo.run"
name = "Echo"
description = "Returns its input."
module = "modules/echo.wasm"
input_schema = { type = "object", properties = { n = { type = "integer" } } }
output_schema = { type = "object" }
"#;

/// Returns the milliseconds of a step of an agent run with its tool call, and of the same call without an agent until
/// its receipt is written. Both are measured in turn; each is the minimum of all rounds.
pub(crate) async fn measure(steps: u32, rounds: usize) -> Result<(f64, f64)> {
    let home = Home::new()?;
    let client = InProcess::client(&home.app);
    let (mut step_ms, mut call_ms) = (f64::INFINITY, f64::INFINITY);
    // The first round compiles and fills the caches.
    for round in 0..=rounds {
        let step = home.run(&client, steps).await?.1;
        let call = calls(&client, steps).await?;
        if round > 0 {
            (step_ms, call_ms) = (step_ms.min(step), call_ms.min(call));
        }
    }
    Ok((step_ms, call_ms))
}

/// Milliseconds of a call.
async fn calls<T: Transport>(client: &Client<T>, calls: u32) -> Result<f64> {
    let began = Instant::now();
    for n in 0..calls {
        let input = RawValue::from_string(format!("{{\"n\":{n}}}"))?;
        client.invoke(TOOL, &InvokeRequest::with_input(input)).await?;
    }
    Ok(began.elapsed().as_secs_f64() * 1e3 / f64::from(calls.max(1)))
}

/// An app with one tool, and a state root that goes away with it.
pub(crate) struct Home {
    pub(crate) app: Arc<App>,
    _folder: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let options = StateOptions { key_source: KeySourceChoice::File, ..StateOptions::default() };
        let state = StateRoot::new(folder.path().join("root")).init(&options)?;
        let (key, module) = (SkillSigningKey::from_seed(&Zeroizing::new([7; 32])), wat::parse_str(ECHO)?);
        let built = build_signed_skill_artifact(&BuildRequest {
            manifest_toml: MANIFEST,
            modules: vec![("modules/echo.wasm", module.as_slice())],
            signers: vec![&key],
            publisher_epoch: 1,
            ..BuildRequest::default()
        })?;
        let consent = ConsentGiven {
            digest: capability_digest(&built.manifest),
            principal: "owner".to_owned(),
            secrets: Default::default(),
        };
        let options =
            InstallOptions { allow_tofu: true, consent: Some(consent), ..InstallOptions::default() };
        state.skills().install(built.bytes.clone(), &options, "owner", &mut |_| {})?;
        let config = AppConfig { keep_compiled_code: false, ..AppConfig::new(Arc::new(InProcessCompiler)) };
        Ok(Self { app: App::new(state, config), _folder: folder })
    }

    /// Runs this many steps in a new session; returns the session and the milliseconds per step.
    pub(crate) async fn run<T: Transport>(&self, client: &Client<T>, steps: u32) -> Result<(String, f64)> {
        let call = |n: u32| {
            let call = ToolCall {
                id: format!("call-{n}"),
                name: TOOL.replace('.', "__"),
                arguments: format!("{{\"n\":{n}}}"),
            };
            Script::calls([call])
        };
        let scripts = (0..steps).map(call).chain([Script::text("Done.")]);
        let provider = ScriptedProvider::new(scripts);
        self.app.set_model(Some(ModelSource::new("scripted", Arc::new(provider))));
        let budget = AgentBudget { turns: 100, tool_calls: 500, ..AgentBudget::default() };
        let session = client.new_session(&NewSession { budget, ..NewSession::default() }).await?.session_id;
        let mut events = client.follow_session(&session, Some(0)).await?;
        let began = Instant::now();
        let run = client.say(&session, "echo").await?.run_id;
        loop {
            let event = events.next().await?.context("the stream of the session ended")?;
            if event.data.contains("\"run.finished\"") {
                break;
            }
        }
        let elapsed = began.elapsed().as_secs_f64() * 1e3;
        let run = client.agent_run(&run).await?;
        ensure!(run.status == AgentRunStatus::Finished && run.used.tool_calls == steps, "{run:?}");
        Ok((session, elapsed / f64::from(steps.max(1))))
    }
}

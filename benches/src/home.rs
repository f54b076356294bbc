//! State roots for a row, with skills whose tools return their input.

use crate::skill::{echo, signing_key};
use anyhow::{Result, ensure};
use palyra_common::{JsonText, OperatorGrants, Principal, Transport};
use palyra_plugins_runtime::InProcessCompiler;
use palyra_runner::{CallContext, CallerConfig, ToolCaller, ToolInvocation};
use palyra_skills::consent::ConsentGiven;
use palyra_skills::signing::KeySet;
use palyra_skills::{BuiltArtifact, RuntimeStatus, capability_digest};
use palyra_state::{InstallOptions, State, StateOptions, StateRoot};
use palyra_vault::KeySourceChoice;
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of concurrent runs, enough for every row.
const MAX_RUNS: u32 = 256;

/// A temporary state root for one row.
pub struct Home {
    pub state: Arc<State>,
    _directory: tempfile::TempDir,
}

impl Home {
    /// Creates a state root that trusts the publisher, without skills.
    pub fn empty() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        Ok(Self { state: Arc::new(new_state(&directory)?), _directory: directory })
    }

    /// Creates a state root with this many skills of this many tools each.
    pub fn with_echo(module: &[u8], skills: usize, tools: usize) -> Result<Self> {
        let home = Self::empty()?;
        for skill in 0..skills {
            home.install(&echo(module, skill, tools)?)?;
        }
        Ok(home)
    }

    /// Installs a first release with consent to all of its permissions.
    pub fn install(&self, release: &BuiltArtifact) -> Result<()> {
        install(&self.state, release)
    }

    /// Creates a caller of its tools.
    pub fn caller(&self) -> Result<ToolCaller> {
        Ok(ToolCaller::new(
            Arc::clone(&self.state),
            CallerConfig {
                compiler: Arc::new(InProcessCompiler),
                keep_compiled_code: false,
                egress: None,
                ceiling: None,
                max_concurrent_runs: MAX_RUNS,
                queue_time: Duration::from_secs(5),
            },
        )?)
    }
}

/// Creates a state that trusts the publisher, in a directory.
pub fn new_state(directory: &tempfile::TempDir) -> Result<State> {
    let options = StateOptions { key_source: KeySourceChoice::File, ..StateOptions::default() };
    let state = StateRoot::new(directory.path().join("root")).init(&options)?;
    state.trust().allow_publisher("bench", KeySet::single(signing_key().public()), "owner")?;
    Ok(state)
}

/// Installs a first release with consent to all of its permissions.
pub fn install(state: &State, release: &BuiltArtifact) -> Result<()> {
    let consent = ConsentGiven {
        digest: capability_digest(&release.manifest),
        principal: "owner".to_owned(),
        secrets: Default::default(),
    };
    let options = InstallOptions { consent: Some(consent), ..InstallOptions::default() };
    let outcome = state.skills().install(release.bytes.clone(), &options, "owner", &mut |_| {})?;
    ensure!(outcome.status == RuntimeStatus::Active, "the first release is {:?}", outcome.status);
    Ok(())
}

/// Returns a call of the first tool of the first skill.
pub fn invocation(input: &str) -> Result<ToolInvocation> {
    Ok(ToolInvocation {
        tool: "bench.echo0.tool0".to_owned(),
        skill_id: None,
        input: JsonText::parse(input)?,
        principal: Arc::new(Principal::owner(Transport::Command)),
        operator: OperatorGrants::default(),
        limits: None,
        cancel: None,
        listener: None,
        context: CallContext::default(),
    })
}

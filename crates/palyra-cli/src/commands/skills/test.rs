//! `palyra skills test`.

pub(super) mod cases;
mod report;
mod verdict;

use super::checked::Checked;
use super::package::directory::SkillDirectory;
use super::source;
use crate::cli::Globals;
use crate::commands::run::{SkillCall, SkillCalls, read_grants};
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::output::Printer;
use crate::program::quoted;
use cases::{Case, CaseFile};
use clap::Args;
use palyra_common::capabilities::SecretRef;
use palyra_common::{CapabilityGrantSet, JsonText, OperatorGrants, SecretValue};
use palyra_skills::SkillManifest;
use palyra_skills::grants::grants_of_tool;
use palyra_skills::manifest::ToolEntrypoint;
use palyra_state::{Revised, effective_config};
pub(super) use report::Report;
use report::TestedCase;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  palyra skills test hello
  palyra skills test hello --only greets --json";

const MORE: &str = "\
A file `tests/NAME.json` is a list of cases: `input`, and `output` (the complete output), `contains` (some of
its fields) or `error` (a code). With several tools a case also names its `tool`. Each case runs in the sandbox
with the permissions and limits that skill.toml requests, or with its own `grants`; requests go to the real
network. The cases of a file run in order and share storage; a file can also be an object with `cases`,
`config` and `secrets`. Changed modules are built first. Exits with 1 if a case fails.";

/// Run the test cases of a skill in the sandbox
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct TestArgs {
    /// Directory with `skill.toml` and `tests/`
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Run the cases whose file or name contains this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Test the modules as they are, without building what changed
    #[arg(long)]
    no_build: bool,
}

pub(super) fn run(args: &TestArgs, globals: &Globals, printer: &Printer) -> Result<Report, CliError> {
    // Errors in the cases are reported before a build of minutes.
    cases::read(&args.directory)?;
    if !args.no_build && source::has_source(&args.directory) {
        source::build_modules(&args.directory, false, printer)?;
    }
    let suite = Suite::read(&args.directory, args.only.as_deref(), globals, printer)?;
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let threads = threads.map_err(CliError::io("cannot start threads"))?;
    let report = threads.block_on(async {
        let interrupt = Interrupt::listen().map_err(CliError::io("cannot install signal handlers"))?;
        suite.run(&interrupt, printer).await
    });
    // A name lookup in progress must not delay the end of the process.
    threads.shutdown_background();
    report
}

/// A skill with its test cases, ready to run.
pub(super) struct Suite {
    directory: PathBuf,
    manifest: SkillManifest,
    modules: Vec<(String, Vec<u8>)>,
    checked: Checked,
    files: Vec<CaseFile>,
    only: Option<String>,
    globals: Globals,
}

impl Suite {
    /// Reads manifest, modules and cases.
    pub(super) fn read(
        directory: &Path,
        only: Option<&str>,
        globals: &Globals,
        printer: &Printer,
    ) -> Result<Self, CliError> {
        let files = cases::read(directory)?;
        let mut read = SkillDirectory::read(directory)?;
        let (manifest, checked) = Checked::new(directory, &mut read, false, printer)?;
        Ok(Self {
            directory: directory.to_path_buf(),
            manifest,
            modules: read.modules,
            checked,
            files,
            only: only.map(str::to_owned),
            globals: globals.clone(),
        })
    }

    /// Returns the manifest that the cases run under.
    pub(super) fn manifest(&self) -> &SkillManifest {
        &self.manifest
    }

    /// Returns the modules of the skill by path.
    pub(super) fn modules(&self) -> &[(String, Vec<u8>)] {
        &self.modules
    }

    /// Runs all cases; each file starts with empty storage.
    pub(super) async fn run(self, interrupt: &Interrupt, printer: &Printer) -> Result<Report, CliError> {
        let mut tested = Vec::new();
        for file in &self.files {
            let secrets = file.secrets.iter().map(|(name, value)| {
                let secret = name.parse::<SecretRef>().map_err(|error| {
                    CliError::usage(format!("`{}.json`: the secret `{name}`: {error}", file.name))
                })?;
                Ok::<_, CliError>((secret, SecretValue::new(value.as_bytes())))
            });
            let secrets = secrets.collect::<Result<_, _>>()?;
            let mut calls = SkillCalls::start(&self.modules, secrets, interrupt, printer)?;
            for (index, case) in file.cases.iter().enumerate() {
                let name = case.name.clone().unwrap_or_else(|| format!("case {}", index + 1));
                if !self.is_wanted(&file.name, &name) {
                    continue;
                }
                let place = format!("`{}.json`, {name}", file.name);
                let tool = case.tool(&place, &self.manifest)?;
                let call = self.call(&place, file, case, tool)?;
                let called = calls.call(&self.manifest, call).await?;
                let difference = verdict::compare(&case.expected(), &called.result);
                tested.push(TestedCase::new(&file.name, name, &tool.id, called, difference));
            }
        }
        if tested.is_empty()
            && let Some(text) = &self.only
        {
            let message = format!("no test case has `{text}` in the name of its file or in its own");
            let place = quoted(&self.directory.to_string_lossy());
            return Err(CliError::usage_with_hint(
                message,
                format!("run all with `palyra skills test {place}`"),
            ));
        }
        Ok(Report::new(self.directory, self.manifest.skill_id, self.checked, tested))
    }

    fn is_wanted(&self, file: &str, name: &str) -> bool {
        self.only.as_deref().is_none_or(|text| file.contains(text) || name.contains(text))
    }

    fn call<'c>(
        &self,
        place: &str,
        file: &CaseFile,
        case: &Case,
        tool: &'c ToolEntrypoint,
    ) -> Result<SkillCall<'c>, CliError> {
        let stored = Revised { revision: 0, value: file.config.clone() };
        let config = effective_config(&self.manifest.skill_id, &self.manifest, Some(&stored));
        let config = config.map_err(|error| {
            let hint = format!("set it in `{}.json`: {{\"config\": {{…}}, \"cases\": […]}}", file.name);
            CliError::usage_with_hint(format!("{place}: {error}"), hint)
        })?;
        let asked = grants_of_tool(&self.manifest, tool);
        let grants = match &case.grants {
            None => OperatorGrants { capabilities: asked, allow_addresses: Vec::new() },
            Some(lines) => self.granted(place, lines, &asked)?,
        };
        Ok(SkillCall { tool, input: JsonText::from(&case.input), config, grants })
    }

    /// Returns the grants of a case, which must be within those that the manifest requests.
    fn granted(
        &self,
        place: &str,
        lines: &[String],
        asked: &CapabilityGrantSet,
    ) -> Result<OperatorGrants, CliError> {
        let lines: Vec<String> = lines.iter().map(|line| below(&self.directory, line)).collect();
        let mut grants = read_grants(&lines, &self.globals)?;
        for line in &lines {
            let one = OperatorGrants::parse([line])?.capabilities;
            if !one.is_empty() && one.intersect(asked).is_empty() {
                let message = format!("{place}: skill.toml does not request `{line}`");
                return Err(CliError::usage_with_hint(message, "request it below `[capabilities]`"));
            }
        }
        grants.capabilities = asked.intersect(&grants.capabilities);
        Ok(grants)
    }
}

/// Makes a directory in a grant relative to the skill instead of the working directory.
fn below(directory: &Path, line: &str) -> String {
    let is_root = line.starts_with("fs-read:") || line.starts_with("fs-write:");
    match line.split_once('=').filter(|(_, path)| is_root && Path::new(path).is_relative()) {
        Some((root, path)) => {
            let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.to_path_buf());
            format!("{root}={}", directory.join(path).display())
        }
        None => line.to_owned(),
    }
}

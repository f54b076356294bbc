//! `palyra skills build`.

use super::Judged;
use super::checked::{Checked, parse};
use super::package::directory::SkillDirectory;
use super::source::{BuiltModule, build_modules};
use crate::error::CliError;
use crate::output::{Printer, Remark, Reply, byte_count, duration_text, table};
use crate::program::quoted;
use clap::Args;
use palyra_skills::SkillManifest;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra skills build hello
  palyra skills build hello --write";

const MORE: &str = "\
`guest.toml` names the language and the module. What a language needs is installed once into the cache
(`PALYRA_CACHE_DIR`). Rust needs cargo, JavaScript and TypeScript node and npm, Python and C python3; WAT needs
nothing. The result is `modules/NAME.wasm`, where `palyra skills package build` finds it.

The audit runs as it does where the skill is installed, and a module that describes itself is compared with
skill.toml. Exits with 6 if the skill could not run.";

/// Build the modules of a skill from source
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct BuildArgs {
    /// Directory with `skill.toml` and `guest.toml`
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Update skill.toml with the schemas, descriptions and events that the modules describe
    #[arg(long)]
    write: bool,

    /// Build even if nothing changed
    #[arg(long)]
    force: bool,
}

/// The built modules, and whether the skill could run.
#[derive(Serialize)]
pub(super) struct Built {
    skill_id: String,
    modules: Vec<BuiltModule>,
    /// Modules in the manifest that nothing builds.
    missing: Vec<String>,
    #[serde(flatten)]
    checked: Checked,
    #[serde(skip)]
    directory: PathBuf,
}

pub(super) fn run(args: &BuildArgs, printer: &Printer) -> Result<Built, CliError> {
    // Errors in the manifest are reported before a build of minutes.
    parse(&SkillDirectory::read(&args.directory)?.manifest)?;
    let modules = build_modules(&args.directory, args.force, printer)?;
    let mut directory = SkillDirectory::read(&args.directory)?;
    let (manifest, checked) = Checked::new(&args.directory, &mut directory, args.write, printer)?;
    Ok(Built {
        skill_id: manifest.skill_id.clone(),
        missing: missing(&manifest, &directory),
        modules,
        checked,
        directory: args.directory.clone(),
    })
}

fn missing(manifest: &SkillManifest, directory: &SkillDirectory) -> Vec<String> {
    let tools = manifest.entrypoints.tools.iter().map(|tool| &tool.module);
    let named: BTreeSet<&String> =
        tools.chain(manifest.entrypoints.hooks.iter().map(|hook| &hook.module)).collect();
    let is_missing = |module: &&&String| !directory.modules.iter().any(|(path, _)| path == **module);
    named.iter().filter(is_missing).map(|module| (*module).clone()).collect()
}

impl Judged for Built {
    fn exit_code(&self) -> u8 {
        self.checked.exit_code()
    }
}

impl Reply for Built {
    const SCHEMA: &'static str = "palyra.skills.build/v1";

    fn data(&self) -> String {
        let row = |module: &BuiltModule| {
            let state = if module.unchanged { "unchanged".to_owned() } else { duration_text(module.took) };
            [module.module.clone(), module.language.clone(), byte_count(module.bytes), state]
        };
        table(["module", "language", "size", "built in"], &self.modules.iter().map(row).collect::<Vec<_>>())
    }

    fn talk(&self) -> Vec<Remark> {
        let mut talk = self.checked.remarks();
        let missing = |module: &String| {
            Remark::Warning(format!(
                "nothing builds `{module}`, which skill.toml names: see `name` in guest.toml"
            ))
        };
        talk.extend(self.missing.iter().map(missing));
        if self.checked.can_run() {
            talk.push(Remark::Next(format!(
                "palyra skills test {}",
                quoted(&self.directory.to_string_lossy())
            )));
        }
        talk
    }
}

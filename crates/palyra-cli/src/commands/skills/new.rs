//! `palyra skills new`.

mod names;
mod templates;

use super::Judged;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts};
use crate::program::quoted;
use clap::{Args, ValueEnum};
use names::Names;
use palyra_skills::parse_manifest_toml;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  palyra skills new hello --lang js
  palyra skills new hello --lang rust --publisher acme
  palyra skills new hello --lang python --id acme.greetings";

const MORE: &str = "\
The directory has the manifest, the source of one tool, a `guest.toml` that says how it is built, and test
cases. A skill in Rust also has the SDK in `palyra-sdk`, so that it builds without a checkout of Palyra.
Next: `palyra skills build`, `palyra skills test`, `palyra skills dev`.";

/// Create a skill: manifest, source and tests
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct NewArgs {
    /// Directory to create; an existing one must be empty
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Language of the tools
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    lang: Lang,

    /// Skill id, `PUBLISHER.NAME` [default: the publisher and the name of the directory]
    #[arg(long, value_name = "ID", conflicts_with = "publisher")]
    id: Option<String>,

    /// Publisher [default: your user name]
    #[arg(long, value_name = "NAME")]
    publisher: Option<String>,
}

/// The languages guests are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Lang {
    Rust,
    Js,
    Ts,
    Python,
    C,
    Wat,
}

#[derive(Serialize)]
pub(super) struct Created {
    skill_id: String,
    language: Lang,
    tool: String,
    directory: PathBuf,
    /// Written files, relative to the directory; the SDK is one entry.
    files: Vec<String>,
}

pub(super) fn run(args: &NewArgs) -> Result<Created, CliError> {
    refuse_content(&args.directory)?;
    let names = Names::choose(&args.directory, args.id.as_deref(), args.publisher.as_deref())?;
    let files = templates::files(args.lang, &names)?;
    let manifest = files.iter().find(|(path, _)| path == "skill.toml");
    if let Some(Err(error)) = manifest.map(|(_, text)| parse_manifest_toml(text)) {
        let message = format!("`{}` cannot be the id of a skill: {}", names.skill_id(), error.problem());
        return Err(CliError::usage_with_hint(message, "choose another one with `--id PUBLISHER.NAME`"));
    }
    write(&args.directory, &files)?;
    Ok(Created {
        skill_id: names.skill_id(),
        language: args.lang,
        tool: names.tool(),
        directory: args.directory.clone(),
        files: listed(&files),
    })
}

/// Rejects a directory that is not empty.
fn refuse_content(directory: &Path) -> Result<(), CliError> {
    match directory.read_dir().map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(CliError::usage_with_hint(
            format!("`{}` is not empty", directory.display()),
            "name a directory that does not exist yet; nothing was written",
        )),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(CliError::unusable_place("directory", directory, &error)),
    }
}

/// Writes the files to a temporary directory and moves them, so that they appear together or not at all.
fn write(directory: &Path, files: &[(String, String)]) -> Result<(), CliError> {
    let absolute =
        std::path::absolute(directory).map_err(CliError::io("cannot find the current directory"))?;
    let cannot = |error: io::Error| CliError::unusable_place("directory", directory, &error);
    let exists = absolute.is_dir();
    let place = if exists { &absolute } else { absolute.parent().unwrap_or(&absolute) };
    std::fs::create_dir_all(place).map_err(cannot)?;
    let work = tempfile::Builder::new().prefix(".palyra-new-").tempdir_in(place).map_err(cannot)?;
    let skill = work.path().join("skill");
    for (name, text) in files {
        let path = skill.join(name);
        let folder = path.parent().unwrap_or(&skill);
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text)).map_err(cannot)?;
    }
    if !exists {
        return std::fs::rename(&skill, &absolute).map_err(cannot);
    }
    // The directory itself is kept, because a shell may be in it.
    for entry in skill.read_dir().map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        std::fs::rename(entry.path(), absolute.join(entry.file_name())).map_err(cannot)?;
    }
    Ok(())
}

fn listed(files: &[(String, String)]) -> Vec<String> {
    let mut listed: Vec<String> = files
        .iter()
        .map(
            |(path, _)| {
                if path.starts_with(templates::SDK) { templates::SDK.to_owned() } else { path.clone() }
            },
        )
        .collect();
    listed.sort();
    listed.dedup();
    listed
}

impl Judged for Created {}

impl Reply for Created {
    const SCHEMA: &'static str = "palyra.skills.new/v1";

    fn data(&self) -> String {
        facts(&[
            ("skill", self.skill_id.clone()),
            ("tool", self.tool.clone()),
            ("directory", self.directory.display().to_string()),
            ("files", self.files.join(", ")),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        let directory = quoted(&self.directory.to_string_lossy());
        vec![
            Remark::Next(format!("palyra skills build {directory}")),
            Remark::Next(format!("palyra skills test {directory}")),
            Remark::Next(format!("palyra skills dev {directory}")),
        ]
    }
}

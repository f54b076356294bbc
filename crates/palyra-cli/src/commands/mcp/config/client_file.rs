//! Locates and replaces the configuration file of a client.

use super::merge::{Change, with_server};
use crate::error::CliError;
use crate::files::{FileError, read_file, write_whole};
use crate::output::Remark;
use serde::Serialize;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Maximum size of a client's configuration in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// Mode of a new file, which contains no secret.
const NEW_MODE: u32 = 0o644;

/// The configuration file with the change made to it.
#[derive(Serialize)]
pub(super) struct Written {
    path: PathBuf,
    change: Change,
}

/// Inserts a server into the configuration file of a client.
pub(super) fn write(
    client: &str,
    named: Option<&Path>,
    field: &str,
    name: &str,
    server: &impl Serialize,
) -> Result<Written, CliError> {
    let path = named.map(Path::to_path_buf).or_else(|| usual_place(client)).ok_or_else(|| {
        let message = format!("no file is known for the client `{client}`");
        CliError::usage_with_hint(message, "name it with `--file FILE`")
    })?;
    // If the file is a link, its target is replaced and the link is kept.
    let path = path.canonicalize().unwrap_or(path);
    let (before, mode) = match read_file(&path, MAX_BYTES) {
        Ok(bytes) => (bytes, mode_of(&path)),
        Err(FileError::Missing(_)) => (Vec::new(), NEW_MODE),
        Err(error) => return Err(error.into()),
    };
    let server = serde_json::to_value(server).map_err(|error| CliError::Setup(error.to_string()))?;
    let (text, change) = with_server(&before, field, name, &server).map_err(|reason| {
        CliError::usage_with_hint(
            format!("`{}` was not changed: {reason}", path.display()),
            "correct the file, or paste what this command prints without `--write`",
        )
    })?;
    if change != Change::Unchanged {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let cannot = |error| CliError::unusable_place("directory", folder, &error);
        std::fs::create_dir_all(folder).map_err(cannot)?;
        write_whole(&path, text.as_bytes())?;
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).map_err(cannot)?;
    }
    Ok(Written { path, change })
}

/// Returns the configuration file of a client, or `None` if its location differs between installations.
fn usual_place(client: &str) -> Option<PathBuf> {
    let home = std::env::home_dir()?;
    let config = if cfg!(target_os = "macos") {
        home.join("Library/Application Support")
    } else {
        std::env::var_os("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| home.join(".config"))
    };
    match client {
        "claude-desktop" => Some(config.join("Claude/claude_desktop_config.json")),
        "claude-code" => Some(".mcp.json".into()),
        "cursor" => Some(home.join(".cursor/mcp.json")),
        "windsurf" => Some(home.join(".codeium/windsurf/mcp_config.json")),
        "vscode" => Some(".vscode/mcp.json".into()),
        "zed" => Some(home.join(".config/zed/settings.json")),
        _ => None,
    }
}

fn mode_of(path: &Path) -> u32 {
    path.metadata().map_or(NEW_MODE, |metadata| metadata.permissions().mode() & 0o777)
}

impl Written {
    /// Returns remarks about the change.
    pub(super) fn remarks(&self) -> Vec<Remark> {
        let path = self.path.display();
        match &self.change {
            Change::Added => vec![
                Remark::Note(format!("added to {path}; everything else in it is as it was")),
                Remark::Next("restart the client, so that it reads the file again".into()),
            ],
            Change::Replaced { before } => vec![
                Remark::Note(format!("replaced in {path}; before: {before}")),
                Remark::Next("restart the client, so that it reads the file again".into()),
            ],
            Change::Unchanged => vec![Remark::Note(format!("{path} has it already; nothing was written"))],
        }
    }
}

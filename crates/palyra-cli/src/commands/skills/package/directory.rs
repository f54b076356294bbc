//! A skill in source form: `skill.toml`, `modules/` and `assets/`.

use crate::error::CliError;
use crate::files::read_file;
use palyra_skills::constants::{
    ASSETS_PREFIX, MANIFEST_PATH, MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_PATH_SEGMENTS, MAX_SIDECAR_BYTES,
    MODULES_PREFIX,
};
use std::io;
use std::path::{Path, PathBuf};

/// Files of a skill by path in the archive.
pub(in crate::commands::skills) struct SkillDirectory {
    pub(in crate::commands::skills) manifest: String,
    pub(in crate::commands::skills) modules: Vec<(String, Vec<u8>)>,
    pub(in crate::commands::skills) assets: Vec<(String, Vec<u8>)>,
}

impl SkillDirectory {
    /// Reads the files that belong into the archive, and ignores all others.
    pub(in crate::commands::skills) fn read(directory: &Path) -> Result<Self, CliError> {
        let path = directory.join(MANIFEST_PATH);
        if !path.is_file() {
            let message = format!("no `{MANIFEST_PATH}` in `{}`", directory.display());
            return Err(CliError::usage_with_hint(message, "pass the directory that contains skill.toml"));
        }
        let manifest = String::from_utf8(read_file(&path, MAX_SIDECAR_BYTES)?)
            .map_err(|_| CliError::usage(format!("`{}` is not UTF-8", path.display())))?;
        let modules = read_tree(directory, MODULES_PREFIX)?;
        let assets = read_tree(directory, ASSETS_PREFIX)?;
        Ok(Self { manifest, modules, assets })
    }
}

/// Reads every file below a directory; sorted by path in the archive.
fn read_tree(directory: &Path, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, CliError> {
    let folder = prefix.trim_end_matches('/');
    let mut found = Vec::new();
    let mut open = vec![(directory.join(folder), folder.to_owned())];
    while let Some((path, name)) = open.pop() {
        for (child, kind) in children(&path, name == folder)? {
            let file_name = child.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let inside = format!("{name}/{file_name}");
            if found.len() + open.len() >= MAX_ENTRIES || inside.split('/').count() > MAX_PATH_SEGMENTS {
                let message = format!(
                    "`{}` contains more files than an archive can hold",
                    directory.join(folder).display()
                );
                return Err(CliError::usage(message));
            }
            match kind {
                Kind::Folder => open.push((child, inside)),
                Kind::File => found.push((inside, read_file(&child, MAX_ENTRY_BYTES)?)),
                Kind::Other => {
                    let message = format!("`{}` is neither a file nor a directory", child.display());
                    return Err(CliError::usage_with_hint(
                        message,
                        "put the file itself there; links are not followed",
                    ));
                }
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

enum Kind {
    File,
    Folder,
    Other,
}

/// Lists a directory; the top one may be missing.
fn children(path: &Path, may_be_missing: bool) -> Result<Vec<(PathBuf, Kind)>, CliError> {
    let cannot = |error: io::Error| CliError::unusable_place("folder", path, &error);
    let entries = match std::fs::read_dir(path) {
        Err(error) if may_be_missing && error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(cannot)?,
    };
    let one = |entry: io::Result<std::fs::DirEntry>| {
        let entry = entry?;
        let kind = match entry.file_type()? {
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_file() => Kind::File,
            _ => Kind::Other,
        };
        Ok((entry.path(), kind))
    };
    entries.map(one).collect::<io::Result<_>>().map_err(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_paths_in_the_archive_and_links_are_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = home.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, name).unwrap();
        };
        assert!(SkillDirectory::read(home.path()).is_err());
        write("skill.toml");
        write("src/lib.rs");
        assert!(SkillDirectory::read(home.path()).unwrap().modules.is_empty());
        write("modules/b.wasm");
        write("modules/a.wasm");
        write("assets/prompts/how.md");
        let skill = SkillDirectory::read(home.path()).unwrap();
        let names =
            |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&skill.modules), ["modules/a.wasm", "modules/b.wasm"]);
        assert_eq!(names(&skill.assets), ["assets/prompts/how.md"]);
        std::os::unix::fs::symlink("/etc/passwd", home.path().join("assets/link")).unwrap();
        assert!(SkillDirectory::read(home.path()).is_err());
    }
}

//! Determines the inputs of a Rust guest: its package, every path dependency, the manifests and lock file of their
//! workspaces, and the configuration of cargo in parent directories.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::cache::InputHasher;
use crate::error::GuestkitError;

/// The inputs of a package.
pub(super) struct RustInputs {
    packages: BTreeSet<PathBuf>,
    manifests: BTreeSet<PathBuf>,
    settings: Vec<PathBuf>,
    lock_file: PathBuf,
}

impl RustInputs {
    /// Follows the path dependencies of the package in `directory`.
    pub(super) fn of(directory: &Path) -> Result<Self, GuestkitError> {
        let mut inputs = Self {
            packages: BTreeSet::new(),
            manifests: BTreeSet::new(),
            settings: settings_above(directory),
            lock_file: workspace_of(directory)?.join("Cargo.lock"),
        };
        inputs.follow(directory)?;
        Ok(inputs)
    }

    /// Returns the lock file that cargo will use, if it exists.
    pub(super) fn lock_file(&self) -> Option<&Path> {
        Some(self.lock_file.as_path()).filter(|path| path.is_file())
    }

    /// Hashes the packages in the order of their paths but without the paths, so that a moved project keeps its keys.
    pub(super) fn hash_into(&self, hasher: &mut InputHasher) -> Result<(), GuestkitError> {
        for package in &self.packages {
            hasher.add("package", b"");
            hasher.add_directory(package)?;
        }
        for manifest in &self.manifests {
            hasher.add_file("workspace", manifest)?;
        }
        for settings in &self.settings {
            hasher.add_file("settings", settings)?;
        }
        hasher.add_file("lock", &self.lock_file)
    }

    fn follow(&mut self, directory: &Path) -> Result<(), GuestkitError> {
        let directory = directory.canonicalize().map_err(GuestkitError::file("find", directory))?;
        if !self.packages.insert(directory.clone()) {
            return Ok(());
        }
        let manifest = read_manifest(&directory)?;
        let workspace = workspace_of(&directory)?;
        self.manifests.insert(workspace.join("Cargo.toml"));
        let shared = shared_paths(&workspace)?;
        for (name, dependency) in dependencies(&manifest) {
            if let Some(path) = dependency.get("path").and_then(Value::as_str) {
                self.follow(&directory.join(path))?;
            } else if dependency.get("workspace").is_some()
                && let Some(path) = shared.get(name)
            {
                self.follow(path)?;
            }
        }
        Ok(())
    }
}

/// Returns the dependency tables that a build of the library uses, without those of its tests.
fn dependencies(manifest: &Table) -> Vec<(&str, &Value)> {
    let per_target =
        manifest.get("target").and_then(Value::as_table).into_iter().flat_map(|table| table.values());
    let places = std::iter::once(manifest).chain(per_target.filter_map(Value::as_table));
    places
        .flat_map(|place| ["dependencies", "build-dependencies"].map(|kind| place.get(kind)))
        .flatten()
        .filter_map(Value::as_table)
        .flat_map(|table| table.iter().map(|(name, value)| (name.as_str(), value)))
        .collect()
}

/// Returns the directories of `[workspace.dependencies]` that come from a path.
fn shared_paths(workspace: &Path) -> Result<BTreeMap<String, PathBuf>, GuestkitError> {
    let manifest = read_manifest(workspace)?;
    let shared =
        manifest.get("workspace").and_then(|table| table.get("dependencies")).and_then(Value::as_table);
    Ok(shared
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), workspace.join(value.get("path")?.as_str()?))))
        .collect())
}

/// Returns the configuration files that cargo reads when it runs in `directory`, without the user's own.
fn settings_above(directory: &Path) -> Vec<PathBuf> {
    let names = [".cargo/config.toml", ".cargo/config"];
    directory
        .ancestors()
        .flat_map(|ancestor| names.map(|name| ancestor.join(name)))
        .filter(|path| path.is_file())
        .collect()
}

/// Returns the workspace of the package in `directory`, which is its own directory if no other claims it.
fn workspace_of(directory: &Path) -> Result<PathBuf, GuestkitError> {
    for ancestor in directory.ancestors() {
        if !ancestor.join("Cargo.toml").is_file() {
            continue;
        }
        let manifest = read_manifest(ancestor)?;
        let Some(workspace) = manifest.get("workspace") else { continue };
        let relative = directory.strip_prefix(ancestor).unwrap_or(directory);
        let excluded = workspace.get("exclude").and_then(Value::as_array).is_some_and(|paths| {
            paths.iter().filter_map(Value::as_str).any(|path| relative.starts_with(path))
        });
        return Ok(if excluded { directory.to_path_buf() } else { ancestor.to_path_buf() });
    }
    Ok(directory.to_path_buf())
}

fn read_manifest(directory: &Path) -> Result<Table, GuestkitError> {
    let path = directory.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).map_err(GuestkitError::file("read", &path))?;
    toml::from_str(&text).map_err(|source| GuestkitError::Manifest { path, source: Box::new(source) })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Project(tempfile::TempDir);

    impl Project {
        /// Creates a workspace with an SDK of two crates, and a guest outside it.
        fn new() -> Self {
            let project = Self(tempfile::tempdir().unwrap());
            project.write(
                "Cargo.toml",
                "[workspace]\nmembers = [\"sdk\", \"macros\", \"other\"]\nexclude = [\"guests\"]\n\
                 [workspace.dependencies]\nmacros = { path = \"macros\" }\nother = { path = \"other\" }\nserde = \"1\"\n",
            );
            project
                .write("sdk/Cargo.toml", "[dependencies]\nmacros.workspace = true\nserde.workspace = true\n");
            project.write("sdk/src/lib.rs", "one");
            project.write("macros/Cargo.toml", "[dependencies]\nsdk = { path = \"../sdk\" }\n");
            project.write("macros/src/lib.rs", "one");
            project.write("other/Cargo.toml", "");
            project.write("guests/g/Cargo.toml", "[dependencies]\nsdk = { path = \"../../sdk\" }\n");
            project.write("guests/g/Cargo.lock", "lock");
            project
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        fn guest(&self) -> PathBuf {
            self.0.path().join("guests/g")
        }

        fn key(&self) -> String {
            let mut hasher = InputHasher::new();
            RustInputs::of(&self.guest()).unwrap().hash_into(&mut hasher).unwrap();
            hasher.finish()
        }
    }

    #[test]
    fn path_dependencies_are_followed_through_the_workspace() {
        let project = Project::new();
        let inputs = RustInputs::of(&project.guest()).unwrap();
        let root = project.0.path().canonicalize().unwrap();
        let names: Vec<_> = inputs.packages.iter().map(|path| path.strip_prefix(&root).unwrap()).collect();
        assert_eq!(names, [Path::new("guests/g"), Path::new("macros"), Path::new("sdk")]);
        assert_eq!(inputs.lock_file(), Some(project.guest().join("Cargo.lock").as_path()));
    }

    const FOLLOWED: [(&str, &str); 4] = [
        ("macros/src/lib.rs", "two"),
        ("sdk/src/lib.rs", "two"),
        ("guests/g/Cargo.lock", "other"),
        (".cargo/config.toml", "[target.x]"),
    ];

    #[test]
    fn every_followed_file_changes_the_key_and_others_do_not() {
        let project = Project::new();
        let first = project.key();
        assert_eq!(project.key(), first);
        project.write("other/src/lib.rs", "new");
        assert_eq!(project.key(), first);
        for (path, text) in FOLLOWED {
            let before = project.key();
            project.write(path, text);
            assert_ne!(project.key(), before, "{path}");
        }
    }

    #[test]
    fn a_project_keeps_its_key_when_it_moves() {
        let (one, two) = (Project::new(), Project::new());
        assert_ne!(one.guest(), two.guest());
        assert_eq!(one.key(), two.key());
    }

    #[test]
    fn a_guest_in_a_workspace_of_guests_uses_its_lock_file() {
        let project = Project::new();
        project.write("guests/Cargo.toml", "[workspace]\nmembers = [\"g\"]\n");
        let guests = project.0.path().join("guests");
        assert_eq!(workspace_of(&project.guest()).unwrap(), guests);
        assert_eq!(RustInputs::of(&project.guest()).unwrap().lock_file(), None);
    }

    #[test]
    fn dependencies_of_targets_and_build_scripts_count_and_those_of_tests_do_not() {
        let manifest: Table = toml::from_str(
            "[dependencies]\na = \"1\"\n[build-dependencies]\nb = \"1\"\n[dev-dependencies]\nc = \"1\"\n\
             [target.'cfg(unix)'.dependencies]\nd = \"1\"\n",
        )
        .unwrap();
        let names: Vec<_> = dependencies(&manifest).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "d"]);
    }
}

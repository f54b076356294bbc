//! The Rust SDK as files, for a skill that is built outside of a checkout of Palyra.

use std::path::Path;

use toml::{Table, Value};

use crate::error::GuestkitError;

/// Paths below `crates/palyra-plugins`, and contents.
const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sdk_sources.rs"));

/// The manifest that the crates of the SDK inherit versions and dependencies from.
const WORKSPACE: &str = include_str!("../../../../Cargo.toml");

/// The lock file of a guest with the same dependencies as a new skill: the SDK and serde.
const LOCK: &str = include_str!("../../../../examples/skills/notify/Cargo.lock");
const LOCKED_GUEST: &str = "notify";

/// Returns the SDK for Rust guests as paths and contents: the crates `sdk` and `sdk-macros`, without inherited fields.
pub fn sdk_files() -> Result<Vec<(&'static str, String)>, GuestkitError> {
    let workspace = parse("Cargo.toml", WORKSPACE)?;
    let own = |(path, text): &(&'static str, &str)| {
        let is_manifest = Path::new(path).file_name().is_some_and(|name| name == "Cargo.toml");
        Ok((*path, if is_manifest { standalone(path, text, &workspace)? } else { (*text).to_owned() }))
    };
    SOURCES.iter().map(own).collect()
}

/// Returns the lock file of a new guest: the versions that the SDK is tested with.
///
/// Cargo writes packages in the order of their names, and rejects another order.
pub fn sdk_lock_file(package: &str) -> String {
    let mut packages = LOCK.split("[[package]]\n");
    let head = packages.next().unwrap_or_default();
    let name = |block: &str| block.lines().next().unwrap_or_default().to_owned();
    let renamed = |block: &str| {
        block.trim_end().replace(&format!("name = \"{LOCKED_GUEST}\""), &format!("name = \"{package}\""))
            + "\n"
    };
    let mut packages: Vec<String> = packages.map(renamed).collect();
    packages.sort_by_key(|block| name(block));
    let packages: Vec<String> = packages.iter().map(|block| format!("[[package]]\n{block}")).collect();
    head.to_owned() + &packages.join("\n")
}

/// Returns a manifest with its inherited values written out, and without the sections for tests and lints.
fn standalone(path: &str, text: &str, workspace: &Table) -> Result<String, GuestkitError> {
    let mut manifest = parse(path, text)?;
    for section in ["lints", "dev-dependencies", "test"] {
        manifest.remove(section);
    }
    let inherited = |section: &str| workspace.get("workspace")?.get(section)?.as_table();
    if let (Some(package), Some(shared)) =
        (manifest.get_mut("package").and_then(Value::as_table_mut), inherited("package"))
    {
        for (key, value) in package.iter_mut().filter(|(_, value)| is_inherited(value)) {
            if let Some(shared) = shared.get(key) {
                *value = shared.clone();
            }
        }
    }
    if let Some(shared) = inherited("dependencies") {
        let targets = manifest.get_mut("target").and_then(Value::as_table_mut);
        let of_targets: Vec<&mut Table> = targets
            .into_iter()
            .flat_map(|targets| targets.iter_mut())
            .filter_map(|(_, target)| target.get_mut("dependencies")?.as_table_mut())
            .collect();
        for table in of_targets {
            inherit(table, shared);
        }
        if let Some(table) = manifest.get_mut("dependencies").and_then(Value::as_table_mut) {
            inherit(table, shared);
        }
    }
    toml::to_string(&manifest)
        .map_err(|source| GuestkitError::Sdk { path: path.to_owned(), source: Box::new(source) })
}

fn inherit(dependencies: &mut Table, shared: &Table) {
    for (name, dependency) in dependencies.iter_mut().filter(|(_, value)| is_inherited(value)) {
        let Some(base) = shared.get(name) else { continue };
        let mut whole = match base {
            Value::Table(base) => base.clone(),
            version => Table::from_iter([("version".to_owned(), version.clone())]),
        };
        if whole.contains_key("path") {
            // The crates of the SDK are siblings, as in the workspace.
            whole.insert("path".to_owned(), Value::String(format!("../{}", directory_of(name))));
        }
        for (key, value) in dependency.as_table().into_iter().flatten().filter(|(key, _)| *key != "workspace")
        {
            whole.insert(key.clone(), value.clone());
        }
        *dependency = Value::Table(whole);
    }
}

fn directory_of(package: &str) -> &str {
    package.strip_prefix("palyra-plugins-").unwrap_or(package)
}

fn is_inherited(value: &Value) -> bool {
    value.get("workspace").and_then(Value::as_bool) == Some(true)
}

fn parse(path: &str, text: &str) -> Result<Table, GuestkitError> {
    toml::from_str(text)
        .map_err(|source| GuestkitError::Manifest { path: path.into(), source: Box::new(source) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_inherit_nothing_and_name_only_files_that_are_there() {
        let files = sdk_files().unwrap();
        for path in ["sdk/src/lib.rs", "sdk/wit/palyra-sdk.wit", "sdk-macros/src/lib.rs"] {
            assert!(files.iter().any(|(known, _)| *known == path), "{path}");
        }
        let manifests: Vec<&String> =
            files.iter().filter(|(path, _)| path.ends_with("Cargo.toml")).map(|(_, text)| text).collect();
        assert_eq!(manifests.len(), 2);
        for text in manifests {
            assert!(!text.contains("workspace") && !text.contains("[[test]]"), "{text}");
        }
        let sdk: Table =
            toml::from_str(&files.iter().find(|(path, _)| *path == "sdk/Cargo.toml").unwrap().1).unwrap();
        assert_eq!(sdk["dependencies"]["palyra-plugins-sdk-macros"]["path"].as_str(), Some("../sdk-macros"));
        assert_eq!(sdk["dependencies"]["serde"]["optional"].as_bool(), Some(true));
        assert!(sdk["dependencies"]["wit-bindgen"]["features"].is_array());
        assert_eq!(sdk["package"]["edition"].as_str(), Some("2024"));
    }

    #[test]
    fn lock_file_has_the_new_package_in_its_place() {
        let lock = sdk_lock_file("acme-hello");
        let names: Vec<&str> =
            lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).collect();
        assert!(
            names.is_sorted() && names.contains(&"acme-hello") && !names.contains(&LOCKED_GUEST),
            "{names:?}"
        );
        assert_eq!(sdk_lock_file(LOCKED_GUEST), LOCK);
        let parsed: Table = toml::from_str(&lock).unwrap();
        assert_eq!(parsed["package"].as_array().unwrap().len(), names.len());
    }
}

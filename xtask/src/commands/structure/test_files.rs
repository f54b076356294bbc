//! Test files that no module declares. Cargo does not compile them, so their tests never run.

use std::path::Path;

use anyhow::{Context, Result};
use syn::Item;

/// Returns one failure for each Rust file below a `tests/all` folder that its parent module does not declare.
pub(super) fn check(root: &Path) -> Result<Vec<String>> {
    let mut failures = Vec::new();
    search(&root.join("crates"), &mut failures)?;
    Ok(failures)
}

fn search(directory: &Path, failures: &mut Vec<String>) -> Result<()> {
    for path in entries(directory)?.iter().filter(|path| path.is_dir()) {
        if path.ends_with("tests/all") {
            compare(path, &path.join("main.rs"), failures)?;
        } else if !["src", "target"].iter().any(|name| path.ends_with(name)) {
            search(path, failures)?;
        }
    }
    Ok(())
}

/// Compares the files of a folder, and those of its folders, with the modules that `parent` declares.
fn compare(folder: &Path, parent: &Path, failures: &mut Vec<String>) -> Result<()> {
    let modules = declared(parent)?;
    for path in entries(folder)?.iter().filter(|path| *path != parent) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            compare(path, &path.with_extension("rs"), failures)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") && !modules.contains(&*name) {
            failures.push(format!("`{}` is not a module of `{}`", path.display(), parent.display()));
        }
    }
    Ok(())
}

/// Returns the modules without a body that a file declares; a missing file declares none.
fn declared(path: &Path) -> Result<std::collections::BTreeSet<String>> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        text => text.with_context(|| format!("cannot read `{}`", path.display()))?,
    };
    let file = syn::parse_file(&text).with_context(|| format!("cannot parse `{}`", path.display()))?;
    let modules = file.items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() => Some(module.ident.to_string()),
        _ => None,
    });
    Ok(modules.collect())
}

fn entries(directory: &Path) -> Result<Vec<std::path::PathBuf>> {
    let listed = std::fs::read_dir(directory).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<Vec<_>>>()
    });
    let mut paths = listed.with_context(|| format!("cannot list `{}`", directory.display()))?;
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_a_module_are_reported_in_every_folder() {
        let root = tempfile::tempdir().unwrap();
        let all = root.path().join("crates/a/tests/all");
        std::fs::create_dir_all(all.join("calls")).unwrap();
        std::fs::create_dir_all(all.join("guests")).unwrap();
        for (name, text) in [
            ("main.rs", "mod calls; mod inline { fn f() {} }"),
            ("calls.rs", "mod first;"),
            ("calls/first.rs", ""),
            ("calls/second.rs", ""),
            ("inline.rs", ""),
            ("guests/echo.rs", ""),
            ("guests/echo.wat", ""),
        ] {
            std::fs::write(all.join(name), text).unwrap();
        }
        let failures = check(root.path()).unwrap().join("\n");
        for (name, found) in
            [("second.rs", true), ("inline.rs", true), ("echo.rs", true), ("first.rs", false)]
        {
            assert_eq!(failures.contains(&format!("{name}` is not a module")), found, "{failures}");
        }
    }
}

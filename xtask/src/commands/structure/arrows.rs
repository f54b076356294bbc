//! Dependencies between crates, compared with the table of layers in ARCHITECTURE.md.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::shell;

/// The table in ARCHITECTURE.md: the crates that each crate may import.
type Table = BTreeMap<String, Vec<String>>;

/// Returns one failure for each dependency that the table does not list, and for each crate missing on one side.
pub(super) fn check(root: &Path) -> Result<Vec<String>> {
    let text =
        std::fs::read_to_string(root.join("ARCHITECTURE.md")).context("cannot read `ARCHITECTURE.md`")?;
    let table = read_table(&text)?;
    let mut command = shell::cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1", "--locked"]).current_dir(root);
    let output = command.output().context("cannot run `cargo metadata`")?;
    ensure!(output.status.success(), "`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cannot read `cargo metadata`")?;
    Ok(compare(&table, &dependencies(&metadata)))
}

/// Reads the rows `| layer | crate | imports | … |` below the heading "Layers".
fn read_table(text: &str) -> Result<Table> {
    let section = text.split("\n## ").find(|section| section.starts_with("Layers"));
    let section = section.context("`ARCHITECTURE.md` has no section `Layers`")?;
    let mut table = Table::new();
    for line in section.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        ensure!(cells.len() >= 5, "the row `{line}` of the layers needs four columns");
        let names =
            |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
        let [name] = &names(cells[2])[..] else { continue };
        table.insert(name.clone(), names(cells[3]));
    }
    Ok(table)
}

/// Returns dependencies on other crates of the workspace, without those that only tests use.
fn dependencies(metadata: &Value) -> Table {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let members: Vec<_> = packages.iter().map(|package| text(&package["name"])).collect();
    let of = |package: &Value| {
        let all = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
        let built = all.iter().filter(|dependency| dependency["kind"] != "dev").map(|one| text(&one["name"]));
        built.filter(|name| members.contains(name)).collect()
    };
    packages.iter().map(|package| (text(&package["name"]), of(package))).collect()
}

fn compare(table: &Table, found: &Table) -> Vec<String> {
    let mut failures = Vec::new();
    for (name, imports) in found {
        let Some(allowed) = table.get(name) else {
            failures.push(format!("`{name}` is not in the table of layers in ARCHITECTURE.md"));
            continue;
        };
        for import in imports.iter().filter(|import| !allowed.contains(import)) {
            failures.push(format!("`{name}` imports `{import}`, which the table of layers does not list"));
        }
        for unused in allowed.iter().filter(|import| !imports.contains(import)) {
            failures.push(format!(
                "the table of layers allows `{name}` to import `{unused}`, which it does \
                not use"
            ));
        }
    }
    let gone = table.keys().filter(|name| !found.contains_key(*name));
    failures.extend(
        gone.map(|name| format!("the table of layers lists `{name}`, which is not a crate of the workspace")),
    );
    failures
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYERS: &str = "# Map\n\n## Layers\n\n| layer | crate | imports | what it is |\n|---|---|---|---|\n\
        | 0 | `common` | | shared |\n| 1 | `vault` | `common` | secrets |\n\n## Next\n\n| 9 | `other` | | not a layer |\n";

    fn found(rows: &[(&str, &[&str])]) -> Table {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        rows.iter().map(|(name, imports)| ((*name).to_owned(), owned(imports))).collect()
    }

    #[test]
    fn table_lists_the_imports_of_each_crate() {
        let table = read_table(LAYERS).unwrap();
        assert_eq!(table, found(&[("common", &[]), ("vault", &["common"])]));
        assert!(read_table("# Map\n").is_err());
    }

    #[test]
    fn unlisted_unused_and_unknown_dependencies_fail() {
        let table = read_table(LAYERS).unwrap();
        assert!(compare(&table, &found(&[("common", &[]), ("vault", &["common"])])).is_empty());
        let failures = compare(&table, &found(&[("common", &["vault"]), ("vault", &[]), ("new", &[])]));
        assert_eq!(failures.len(), 3, "{failures:?}");
        assert_eq!(compare(&table, &found(&[("common", &[])])).len(), 1);
    }

    #[test]
    fn dependencies_of_tests_do_not_count() {
        let metadata = serde_json::json!({"packages": [
            {"name": "a", "dependencies": [{"name": "b", "kind": null}, {"name": "c", "kind": "dev"}, {"name": "serde", "kind": null}]},
            {"name": "b", "dependencies": []}, {"name": "c", "dependencies": []},
        ]});
        assert_eq!(dependencies(&metadata), found(&[("a", &["b"]), ("b", &[]), ("c", &[])]));
    }
}

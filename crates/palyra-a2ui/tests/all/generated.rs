//! The committed schema and TypeScript types of clients, compared with the generated ones. `PALYRA_WRITE_GENERATED=1`
//! writes them.

mod typescript;

use std::path::PathBuf;

fn project(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path)
}

fn check(path: &str, expected: &str) {
    let file = project(path);
    if std::env::var_os("PALYRA_WRITE_GENERATED").is_some() {
        std::fs::write(&file, expected).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == expected, "`{path}` is old: set PALYRA_WRITE_GENERATED=1 to write it anew");
}

#[test]
fn committed_schema_is_that_of_the_types() {
    check("schemas/json/a2ui/a2ui.schema.json", &format!("{:#}\n", palyra_a2ui::json_schema()));
}

#[test]
fn committed_typescript_is_that_of_the_schema() {
    check("schemas/typescript/a2ui.ts", &typescript::module(&palyra_a2ui::json_schema()));
}

//! The committed schema for editors equals the generated one and agrees with the parser on valid files.

use std::path::Path;

use palyra_skills::manifest::json_schema;

use crate::corpus::honest_manifests;

#[test]
fn the_committed_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/json/skill-manifest.schema.json");
    let current = format!("{}\n", serde_json::to_string_pretty(&json_schema()).unwrap());
    if std::env::var_os("PALYRA_WRITE_SCHEMAS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(committed == current, "run this test with PALYRA_WRITE_SCHEMAS=1 and commit {}", path.display());
}

#[test]
fn every_property_is_described() {
    fn walk(value: &serde_json::Value, path: &str) {
        for (name, property) in value.get("properties").and_then(|p| p.as_object()).into_iter().flatten() {
            let described = property.get("description").is_some() || property.get("$ref").is_some();
            assert!(described || path.ends_with("Quotas"), "{path}/{name}");
        }
        for (name, definition) in value.get("$defs").and_then(|p| p.as_object()).into_iter().flatten() {
            walk(definition, &format!("{path}/{name}"));
        }
    }
    walk(&json_schema(), "");
}

#[test]
fn honest_manifests_match_the_schema_and_typos_do_not() {
    let validator = jsonschema::validator_for(&json_schema()).unwrap();
    for (name, text) in honest_manifests() {
        let value: serde_json::Value = toml::from_str(&text).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let typo: serde_json::Value = toml::from_str(&text.replace("publisher =", "publsher =")).unwrap();
        assert!(!validator.is_valid(&typo), "{name}");
    }
}

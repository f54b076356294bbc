//! The manifest: an accepted one can be printed and is read back as the same.

use palyra_skills::{UpdateDiff, capability_digest, capability_grants_from_manifest, parse_manifest_toml};

/// Takes the bytes as `skill.toml`.
pub fn check_skill_manifest(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match parse_manifest_toml(text) {
        Ok(manifest) => {
            let printed = toml::to_string(&manifest).expect("a manifest can be printed");
            let again = parse_manifest_toml(&printed)
                .unwrap_or_else(|error| panic!("a printed manifest is refused: {error}\n{printed}"));
            assert_eq!(again, manifest, "a manifest is read back as another one");
            assert_eq!(capability_digest(&again), capability_digest(&manifest));
            assert_eq!(
                capability_grants_from_manifest(&again),
                capability_grants_from_manifest(&manifest),
                "the grants depend on the spelling"
            );
            assert!(!UpdateDiff::between(&manifest, &again).needs_consent(), "no change needs consent");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

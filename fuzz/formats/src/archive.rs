//! The archive: accepted bytes are the encoding of what was read from them, and verification agrees.

use palyra_skills::artifact::{SkillArtifact, write::encode_archive};
use palyra_skills::{Platform, SkillTrustStore, TrustSnapshot, verify_skill_artifact};

/// Takes the bytes as an archive, and as the entries of one.
pub fn check_skill_archive(data: &[u8]) {
    let accepted = SkillArtifact::read(data.into()).is_ok_and(|artifact| {
        assert_eq!(encode_archive(artifact.entries()).as_deref(), Ok(data), "an archive has two spellings");
        true
    });
    let trust = TrustSnapshot::new(SkillTrustStore::default());
    let verified = verify_skill_artifact(data, &trust, &platform());
    assert!(accepted || verified.is_err(), "verification accepts what is not an archive");
    if let Ok(bytes) = encode_archive(entries(data)) {
        assert!(SkillArtifact::read(bytes.into()).is_ok(), "what is written is not accepted");
    }
}

fn platform() -> Platform {
    Platform { palyra_version: semver::Version::new(0, 1, 0), protocol_major: 1, nodes: Default::default() }
}

/// Pieces of the bytes under the names every skill has, and one that the bytes choose.
fn entries(data: &[u8]) -> Vec<(&str, &[u8])> {
    const NAMES: [&str; 4] = ["skill.toml", "sbom.cyclonedx.json", "provenance.json", "signature.json"];
    let (name, rest) = data.split_at(data.len().min(24));
    let piece = rest.len() / NAMES.len();
    let mut entries: Vec<(&str, &[u8])> =
        NAMES.into_iter().enumerate().map(|(at, name)| (name, &rest[at * piece..(at + 1) * piece])).collect();
    if let Ok(name) = std::str::from_utf8(name) {
        entries.push((name, rest));
    }
    entries
}

//! Rows M14 and M15: sidecars about other modules, and claims without evidence.

use palyra_skills::artifact::sidecars::{
    ProvenanceEvidence, SidecarError, generate_sbom, read_module_facts, signed_provenance,
};
use palyra_skills::constants::{PROVENANCE_PATH, SBOM_PATH};
use palyra_skills::signing::{KeyId, strict_json};
use palyra_skills::trust::{BuilderKey, RevocationTarget};
use palyra_skills::verify::{RefusalReason, VerifyStepName};
use palyra_skills::{Sha256Digest, SkillArtifact, parse_manifest_toml};

use super::support::{Recipe, key, module, plain, resigned, store, verify, verify_with};

fn entry(path: &str) -> String {
    String::from_utf8(SkillArtifact::read(plain()).unwrap().entry(path).unwrap().to_vec()).unwrap()
}

/// A publisher signs another sidecar; verification refuses it at the last step.
fn refused(path: &str, content: &str) -> SidecarError {
    let refusal =
        verify(resigned(&plain(), &[(path, content.as_bytes())], |_| {})).expect_err("it was accepted");
    assert_eq!(refusal.step, VerifyStepName::Sidecars, "{refusal}");
    match refusal.reason {
        RefusalReason::Sidecar(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn m14_an_sbom_about_another_module_is_refused() {
    let (actual, other) = (Sha256Digest::of(&module()), Sha256Digest::of(b"another module"));
    let text = entry(SBOM_PATH).replace(&actual.to_string(), &other.to_string());
    assert!(matches!(refused(SBOM_PATH, &text), SidecarError::Digest { stated, .. } if stated == other));
    let text = entry(SBOM_PATH).replace("modules/notes.wasm", "modules/other.wasm");
    assert!(matches!(refused(SBOM_PATH, &text), SidecarError::Modules { only_in: "the archive", .. }));
    let text = entry(SBOM_PATH).replace("acme.notes", "acme.other");
    assert!(matches!(refused(SBOM_PATH, &text), SidecarError::SbomField { .. }));
}

#[test]
fn m14_an_sbom_that_is_not_cyclonedx_1_6_is_refused() {
    let good = entry(SBOM_PATH);
    for (found, put) in [
        ("\"CycloneDX\"", "\"SPDX\""),
        ("\"1.6\"", "\"1.5\""),
        ("\"SHA-256\"", "\"MD5\""),
        ("\"type\":\"file\"", "\"type\":\"gadget\""),
        ("\"version\":1,", "\"version\":1,\"version\":1,"),
        ("\"version\":1,", "\"version\":1,\"surprise\":true,"),
        ("\"version\":1,", "\"version\":0,"),
        ("\"ref\":\"modules/notes.wasm\"", "\"ref\":\"modules/nothing.wasm\""),
        ("\"bom-ref\":\"modules/notes.wasm\"", "\"bom-ref\":\"acme.notes\""),
        ("{", " {"),
    ] {
        let bad = good.replacen(found, put, 1);
        assert_ne!(bad, good, "{found} is not in the bill of materials");
        let error = refused(SBOM_PATH, &bad);
        assert!(
            matches!(error, SidecarError::SbomForm(_) | SidecarError::SbomField { .. }),
            "{put}: {error}"
        );
    }
}

#[test]
fn m14_an_sbom_under_another_name_is_refused() {
    let list: Vec<(String, Vec<u8>)> = super::support::entries(&plain());
    let renamed = list.iter().map(|(path, bytes)| {
        let path = if path == SBOM_PATH { "sbom.json" } else { path };
        (path, bytes.as_slice())
    });
    let error = palyra_skills::artifact::write::encode_archive(renamed).unwrap_err();
    assert_eq!(error.to_string(), "entry name `sbom.json`: a skill cannot have this entry");
    let mut zip = super::raw_zip::RawZip::plain();
    let sbom = zip.entry(SBOM_PATH);
    (sbom.local_name, sbom.central_name) = (b"sbom.json".to_vec(), b"sbom.json".to_vec());
    assert_eq!(verify(zip.bytes()).unwrap_err().step, VerifyStepName::Archive);
}

#[test]
fn m15_provenance_about_another_module_is_refused() {
    let good = entry(PROVENANCE_PATH);
    let (actual, other) = (Sha256Digest::of(&module()), Sha256Digest::of(b"another module"));
    let error = refused(PROVENANCE_PATH, &good.replace(&actual.to_string(), &other.to_string()));
    assert!(matches!(error, SidecarError::Digest { .. }), "{error}");
    let error = refused(PROVENANCE_PATH, &good.replace("modules/notes.wasm", "modules/other.wasm"));
    assert!(matches!(error, SidecarError::Modules { .. }), "{error}");
    for (found, put) in [
        ("provenance/v1", "provenance/v0.2"),
        ("Statement/v1", "Statement/v0.1"),
        ("\"builder\"", "\"bilder\""),
        ("\"subject\"", "\"subjects\""),
        ("{\"_type\"", "{\"_type\":\"x\",\"_type\""),
    ] {
        let error = refused(PROVENANCE_PATH, &good.replacen(found, put, 1));
        assert!(matches!(error, SidecarError::ProvenanceForm(_)), "{put}: {error}");
    }
}

#[test]
fn m15_a_self_made_claim_is_level_1_at_most() {
    let boast =
        entry(PROVENANCE_PATH).replace("urn:palyra:self-packaged", "https://builder.example/slsa/level3");
    let bytes = resigned(&plain(), &[(PROVENANCE_PATH, boast.as_bytes())], |_| {});
    let verification = verify(bytes).unwrap();
    let provenance = verification.skill.provenance();
    assert!(matches!(provenance, ProvenanceEvidence::Claimed { .. }));
    assert_eq!(provenance.level_at_most(), 1);
    let step = verification.steps.last().unwrap();
    assert!(step.found.contains("claimed, at most SLSA level 1"), "{}", step.found);
}

#[test]
fn m15_only_an_allowed_builder_makes_evidence() {
    let manifest = parse_manifest_toml(&Recipe::default().manifest()).unwrap();
    let subjects = [
        ("modules/notes.wasm".to_owned(), Sha256Digest::of(&module())),
        ("skill.toml".to_owned(), Sha256Digest::of(Recipe::default().manifest().as_bytes())),
    ];
    let signed = signed_provenance(&manifest, &subjects.into(), "urn:example:builder", &key(50)).unwrap();
    let bytes = Recipe { provenance: Some(signed.clone()), ..Recipe::default() }.build();

    let unknown = verify(bytes.clone()).unwrap();
    assert_eq!(unknown.skill.provenance().level_at_most(), 1, "nobody here knows that builder");

    let mut store = store();
    let builder = BuilderKey { name: "ci".into(), key: key(50).public(), level: 3 };
    store.allow_builder(builder).unwrap();
    let known = verify_with(&store, bytes.clone()).unwrap();
    assert!(
        matches!(known.skill.provenance(), ProvenanceEvidence::Evidence { level: 3, builder, .. } if builder == "ci")
    );

    // The right id over a signature that is not the builder's.
    let text = String::from_utf8(signed).unwrap();
    let forged = signed_provenance(&manifest, &[].into(), "urn:example:builder", &key(51)).unwrap();
    let forged: palyra_skills::signing::dsse::Envelope = serde_json::from_slice(&forged).unwrap();
    let at = text.find("\"sig\":\"").unwrap() + 7;
    let text = format!("{}{}{}", &text[..at], forged.signatures[0].sig, &text[at + 88..]);
    let bad = Recipe { provenance: Some(text.into_bytes()), ..Recipe::default() }.build();
    let refusal = verify_with(&store, bad).unwrap_err();
    assert!(matches!(refusal.reason, RefusalReason::Sidecar(SidecarError::BuilderSignature(_))), "{refusal}");

    let id: KeyId = key(50).public().key_id();
    store.revoke(RevocationTarget::Key(id), "leaked");
    assert_eq!(verify_with(&store, bytes).unwrap().skill.provenance().level_at_most(), 1);
}

#[test]
fn the_sbom_says_what_the_module_says() {
    let bytes = super::support::module_with_dependencies();
    let facts = read_module_facts(&bytes);
    let names: Vec<&str> = facts.dependencies.iter().map(|dependency| dependency.name.as_str()).collect();
    assert_eq!(names, ["fork", "serde"]);
    assert_eq!(facts.producers.len(), 2);

    let manifest = parse_manifest_toml(&Recipe::default().manifest()).unwrap();
    let sbom = generate_sbom(&manifest, [("modules/notes.wasm", bytes.as_slice())]).unwrap();
    let sbom = strict_json::parse_value(&sbom).unwrap();
    assert_eq!(sbom["components"][0]["properties"][0]["value"], "Rust 2024");
    assert_eq!(sbom["components"][1]["bom-ref"], "cargo:git/fork@2.0.0+git");
    assert_eq!(sbom["components"][2]["purl"], "pkg:cargo/serde@1.0.200");
    let edges = &sbom["dependencies"];
    assert_eq!(edges[1]["ref"], "cargo:git/fork@2.0.0+git");
    assert_eq!(
        edges[2]["dependsOn"],
        serde_json::json!(["cargo:git/fork@2.0.0+git", "pkg:cargo/serde@1.0.200"])
    );
    assert!(sbom["metadata"].get("timestamp").is_none());
}

#[test]
fn facts_of_hostile_modules_stay_small() {
    let bomb = miniz_oxide::deflate::compress_to_vec_zlib(&vec![b' '; 64 << 20], 9);
    let mut bytes = b"\0asm\x01\0\0\0\0".to_vec();
    let length = bomb.len() + 8;
    let mut rest = length;
    while rest >= 0x80 {
        bytes.push(u8::try_from(rest & 0x7f).unwrap() | 0x80);
        rest >>= 7;
    }
    bytes.push(u8::try_from(rest).unwrap());
    bytes.extend_from_slice(b"\x07.dep-v0");
    bytes.extend_from_slice(&bomb);
    for bytes in [bytes.as_slice(), b"", b"(module)", b"\0asm\x01\0\0\0\0\xff\xff\xff\xff\x0f"] {
        assert_eq!(read_module_facts(bytes), palyra_skills::artifact::sidecars::ModuleFacts::default());
    }
}

//! The report of a verification: every step in order, with its checks and findings.

use palyra_skills::verify::{RefusalReason, VerifyStepName};
use palyra_skills::{Platform, TrustSnapshot, verify_skill_artifact};

use super::support::{Recipe, module, plain, platform, resigned, store, verify};

#[test]
fn every_step_is_in_the_report() {
    let verification = verify(plain()).unwrap();
    let names: Vec<&str> = verification.steps.iter().map(|step| step.name.wire_name()).collect();
    assert_eq!(
        names,
        [
            "size",
            "archive",
            "envelope",
            "signatures",
            "statement",
            "manifest",
            "compat",
            "trust",
            "ownership",
            "sidecars"
        ]
    );
    assert!(verification.steps.iter().all(|step| !step.checked.is_empty() && !step.found.is_empty()));
    let skill = &verification.skill;
    assert_eq!(skill.manifest().skill_id, "acme.notes");
    assert_eq!(skill.payload(), skill.artifact().payload_digest());
    assert_eq!(skill.modules().collect::<Vec<_>>(), [("modules/notes.wasm", module().as_slice())]);
    assert_eq!(skill.signers().len(), 1);
    assert_eq!(skill.sbom().modules[0].producers, ["language: Rust 2024", "processed-by: rustc 1.95"]);
}

#[test]
fn a_refusal_says_how_far_it_came_and_what_the_artifact_claims() {
    let mut blocked = store();
    blocked.block("acme", "spam");
    let refusal = super::support::verify_with(&blocked, plain()).unwrap_err();
    assert_eq!(refusal.step, VerifyStepName::Trust);
    assert_eq!(refusal.passed.len(), 7);
    assert_eq!(refusal.claims.as_ref().unwrap().skill_id, "acme.notes");
    assert_eq!(refusal.to_string(), "rejected at trust: publisher `acme` is blocked: spam");
    assert!(refusal.hint().contains("palyra trust unblock acme"));
}

#[test]
fn m13_another_palyra_is_refused() {
    let trust = TrustSnapshot::new(store());
    let newer = Platform { protocol_major: 2, ..platform() };
    let older = Platform { palyra_version: "0.0.9".parse().unwrap(), ..platform() };
    for other in [newer, older] {
        let refusal = verify_skill_artifact(plain(), &trust, &other).unwrap_err();
        assert_eq!(refusal.step, VerifyStepName::Compat);
        assert_eq!(refusal.code().as_str(), "incompatible");
    }
}

#[test]
fn a_manifest_that_is_wrong_is_refused_although_it_is_signed() {
    let toml = Recipe::default().manifest();
    for (bad, code) in [
        (toml.replace("manifest_version = 1", "manifest_version = 1\nsurprise = true"), "bad_manifest"),
        (toml.replace("modules/notes.wasm", "modules/nothing.wasm"), "bad_manifest"),
        ("\u{feff}".to_owned() + &toml, "bad_manifest"),
    ] {
        let refusal = verify(resigned(&plain(), &[("skill.toml", bad.as_bytes())], |_| {})).unwrap_err();
        assert_eq!((refusal.step, refusal.code().as_str()), (VerifyStepName::Manifest, code), "{refusal}");
    }
    let refusal = verify(resigned(&plain(), &[("skill.toml", b"\xff")], |_| {})).unwrap_err();
    assert!(matches!(refusal.reason, RefusalReason::ManifestNotUtf8 { offset: 0 }), "{refusal}");
}

#[test]
fn a_claim_cannot_speak_to_the_terminal() {
    let bytes =
        resigned(&plain(), &[], |predicate| predicate.skill_id = "acme.\u{1b}[2Jnotes\u{202e}".into());
    let refusal = verify(bytes).unwrap_err();
    let claims = refusal.claims.as_ref().unwrap();
    assert_eq!(claims.skill_id, "acme.\\u{1b}[2Jnotes\\u{202e}");
    assert!(!refusal.to_string().contains('\u{1b}'), "{refusal}");
}

//! Verification: from bytes to a [`VerifiedSkill`], without changing anything.
//!
//! Order: size → canonical archive → envelope → signatures → statement matches entries → manifest → compat →
//! trust → ownership and rollback → sidecar binding. The first step that does not hold ends it; the report
//! keeps the findings of the steps before it. State to store is returned as a proposal.

mod binding;
mod refusal;
mod report;
mod steps;

use std::sync::Arc;

pub(crate) use binding::PartlySigned;
pub use refusal::{ClaimedIdentity, RefusalReason, StatementMismatch, VerifyRefusal};
pub use report::{Verification, VerifiedSkill, VerifyStep, VerifyStepName};

use crate::artifact::sidecars::{check_provenance, check_sbom};
use crate::artifact::{SkillArtifact, check_archive_length};
use crate::compat::{Platform, check_compat};
use crate::digest::Sha256Digest;
use crate::manifest::SkillManifest;
use crate::signing::PublisherKey;
use crate::trust::{
    Offer, PublisherChange, ReleaseMark, SkillOwnership, TrustChange, TrustDecision, TrustSnapshot,
    VerifyMode, check_rollback, judge,
};
use binding::{Signed, check_manifest, check_signatures, check_statement, open_envelope};
use steps::{StepJournal, Stop, describe, describe_progress, join};

/// Verifies an offered artifact: its form, its signatures, and whether trust and rollback rules accept it.
///
/// Nothing is stored or pinned, and no clock or file is read.
pub fn verify_skill_artifact(
    bytes: impl Into<Arc<[u8]>>,
    trust: &TrustSnapshot,
    platform: &Platform,
) -> Result<Verification, VerifyRefusal> {
    run(bytes.into(), trust, platform, VerifyMode::Offered)
}

/// Checks an artifact that was accepted here before.
///
/// The same steps, except that a release known by its payload may be older than the newest one and signed by keys
/// that have been retired since. Revoked and blocked stay refused.
pub fn reverify_installed_artifact(
    bytes: impl Into<Arc<[u8]>>,
    trust: &TrustSnapshot,
    platform: &Platform,
) -> Result<Verification, VerifyRefusal> {
    run(bytes.into(), trust, platform, VerifyMode::Installed)
}

fn run(
    bytes: Arc<[u8]>,
    trust: &TrustSnapshot,
    platform: &Platform,
    mode: VerifyMode,
) -> Result<Verification, VerifyRefusal> {
    let mut journal = StepJournal::default();
    match stages(&bytes, trust, platform, mode, &mut journal) {
        Ok((skill, trust, proposed)) => Ok(Verification { skill, trust, proposed, steps: journal.steps }),
        Err(stop) => Err(journal.refuse(stop)),
    }
}

fn stages(
    bytes: &Arc<[u8]>,
    trust: &TrustSnapshot,
    platform: &Platform,
    mode: VerifyMode,
    journal: &mut StepJournal,
) -> Result<(VerifiedSkill, TrustDecision, Option<TrustChange>), Stop> {
    journal.begin(VerifyStepName::Size);
    check_archive_length(bytes.len() as u64)?;
    journal.pass("size of the file", format!("{} bytes", bytes.len()));

    journal.begin(VerifyStepName::Archive);
    let artifact = SkillArtifact::read(Arc::clone(bytes))?;
    journal.pass(
        "canonical encoding of the archive",
        format!("{} entries, every byte accounted for", artifact.entries().len()),
    );

    journal.begin(VerifyStepName::Envelope);
    let signed = open_envelope(&artifact)?;
    journal.identify(&signed.statement);
    journal.pass(
        "signature envelope and its keys",
        format!("{} keys, threshold {}", signed.keys.keys().len(), signed.keys.threshold()),
    );

    journal.begin(VerifyStepName::Signatures);
    let signers = check_signatures(&signed)?;
    journal.pass("signatures", format!("signed by {}", join(&signers)));

    journal.begin(VerifyStepName::Statement);
    let payload = check_statement(&artifact, &signed)?;
    journal.pass("signed hashes of all entries", format!("payload sha256:{payload}"));

    journal.begin(VerifyStepName::Manifest);
    let manifest = check_manifest(&artifact, &signed.statement)?;
    journal
        .pass("`skill.toml` and the signed statement", format!("{} {}", manifest.skill_id, manifest.version));

    journal.begin(VerifyStepName::Compat);
    check_compat(&manifest.compat, platform).map_err(RefusalReason::Compat)?;
    journal.pass(
        "required versions",
        format!("runs on {} with contract {}", platform.palyra_version, platform.protocol_major),
    );

    journal.begin(VerifyStepName::Trust);
    let (decision, keys) = check_trust(trust, &manifest, payload, &signed, &signers, mode)?;
    journal.pass("trust in the publisher", describe(&decision, &manifest.publisher));

    journal.begin(VerifyStepName::Ownership);
    let release = ReleaseMark {
        skill_id: manifest.skill_id.clone(),
        version: manifest.version.clone(),
        release_counter: manifest.release_counter,
        payload,
        built_in: decision == TrustDecision::BuiltIn,
    };
    let known = trust.store().skill(&manifest.skill_id);
    check_ownership(known, &manifest.publisher, &release, mode)?;
    journal.pass("owner of the id and earlier releases", describe_progress(known, &release));

    journal.begin(VerifyStepName::Sidecars);
    let sbom = check_sbom(&artifact, &manifest)?;
    let provenance = check_provenance(&artifact, trust.store())?;
    journal.pass(
        "bill of materials and provenance",
        format!(
            "{} modules, {} dependencies; provenance {provenance}",
            sbom.modules.len(),
            sbom.dependencies.len()
        ),
    );

    let proposed = propose(&decision, &manifest.publisher, keys, release);
    let predicate = signed.statement.predicate;
    let skill = VerifiedSkill { artifact, manifest, payload, signers, predicate, sbom, provenance };
    Ok((skill, decision, proposed))
}

fn check_trust(
    trust: &TrustSnapshot,
    manifest: &SkillManifest,
    payload: Sha256Digest,
    signed: &Signed,
    signers: &[PublisherKey],
    mode: VerifyMode,
) -> Result<(TrustDecision, Option<PublisherChange>), Stop> {
    let offer = Offer {
        publisher: &manifest.publisher,
        skill_id: &manifest.skill_id,
        payload,
        keys: &signed.keys,
        epoch: signed.statement.predicate.publisher_epoch,
        signers,
        lineage: &signed.lineage,
    };
    judge(trust, &offer, mode).map_err(|(refusal, change)| Stop {
        reason: RefusalReason::Trust(refusal),
        proposed: change.map(|change| TrustChange {
            publisher: manifest.publisher.clone(),
            keys: Some(change),
            release: None,
        }),
    })
}

fn check_ownership(
    known: Option<&SkillOwnership>,
    publisher: &str,
    release: &ReleaseMark,
    mode: VerifyMode,
) -> Result<(), RefusalReason> {
    let accepted = known.is_some_and(|known| known.owner == publisher && known.knows(release.payload));
    if mode == VerifyMode::Installed && accepted {
        return Ok(());
    }
    check_rollback(known, publisher, release).map_err(RefusalReason::Rollback)
}

fn propose(
    decision: &TrustDecision,
    publisher: &str,
    keys: Option<PublisherChange>,
    release: ReleaseMark,
) -> Option<TrustChange> {
    // An unknown publisher claims no skill and raises no release mark.
    let believed = !matches!(decision, TrustDecision::Unknown { .. });
    believed.then(|| TrustChange { publisher: publisher.to_owned(), keys, release: Some(release) })
}

//! Determines consent for an admitted release: new, existing, carried over, or still required.

use super::outcome::{InstallStage, Progress};
use super::refusal::{InstallRefusal, InstallRefusalReason};
use super::request::{InstallContext, InstallRequest};
use super::trust::Admission;
use crate::consent::{ConsentRecord, ConsentRequest, Withheld};
use crate::index::{InstalledRelease, TrustState};
use crate::update::UpdateDiff;
use crate::verify::Verification;

/// The consent of a release after this stage.
pub(super) struct ConsentState {
    /// The consent in effect, existing or new.
    pub(super) record: Option<ConsentRecord>,
    /// Whether `record` must be stored.
    pub(super) is_new: bool,
    /// The request to show to a person, if consent is missing.
    pub(super) request: Option<ConsentRequest>,
    /// The differences from the running release.
    pub(super) diff: Option<UpdateDiff>,
    /// The requested grants that the consent does not include.
    pub(super) withheld: Vec<Withheld>,
}

/// Determines the consent for a release.
///
/// # Errors
/// The consent names another digest than that of the request.
pub(super) fn decide_consent(
    request: &InstallRequest,
    context: &InstallContext<'_>,
    verification: &Verification,
    admission: &Admission,
    progress: &mut Progress<'_>,
) -> Result<ConsentState, InstallRefusal> {
    let (manifest, payload) = (verification.skill.manifest(), verification.skill.payload());
    let baseline = baseline(context, verification);
    let diff = baseline.map(|(release, _)| UpdateDiff::between(&release.manifest, manifest));
    if let Some(diff) = &diff {
        let found = format!("{} differences, {} need consent", diff.rows.len(), diff.consent_rows().count());
        progress.pass(InstallStage::Update, "comparison with the running release", found);
    }
    // Consent to an update names the release it replaces only if that one can run; otherwise it is replaced at once.
    let running = baseline.filter(|(release, _)| release.is_runnable());
    let asked = ConsentRequest::new(manifest, payload, running.map(|(release, _)| release.payload));
    let mut state = ConsentState { record: None, is_new: false, request: None, diff, withheld: Vec::new() };
    let found = if let Some(given) = &request.consent {
        // A person may consent to a digest that was shown before the running release was quarantined.
        let shown_before = baseline
            .map(|(release, _)| ConsentRequest::new(manifest, payload, Some(release.payload)).digest());
        if given.digest != asked.digest() && Some(given.digest) != shown_before {
            let reason =
                InstallRefusalReason::ConsentMismatch { given: given.digest, expected: asked.digest() };
            return Err(InstallRefusal::new(verification, reason));
        }
        // Consent for an untrusted publisher has no effect; it is requested again when the publisher is trusted.
        if admission.trust == TrustState::Quarantine {
            state.request = Some(asked);
            "consent given, without effect until the publisher is trusted"
        } else {
            let (record, withheld) = ConsentRecord::given(asked, given, manifest, admission.trust);
            (state.record, state.is_new, state.withheld) = (Some(record), true, withheld);
            "consent given to the permissions shown"
        }
    } else if let Some(kept) = context.consents.get(payload).filter(|kept| kept.covers(manifest, payload)) {
        state.withheld = kept.withheld(manifest, admission.trust);
        state.record = Some(kept.clone());
        "consent given earlier"
    } else if let Some(consent) = carried(baseline, state.diff.as_ref()) {
        (state.record, state.is_new) = (Some(consent.carried(asked, manifest)), true);
        "no more permissions than its predecessor"
    } else {
        state.request = Some(asked);
        "consent is required first"
    };
    let checked = "consent to the requested permissions";
    progress.note(state.record.is_none(), InstallStage::Consent, checked, found);
    Ok(state)
}

/// Returns the current release and its consent, if the verified release is another one of the same skill.
fn baseline<'a>(
    context: &InstallContext<'a>,
    verification: &Verification,
) -> Option<(&'a InstalledRelease, &'a ConsentRecord)> {
    let current = &context.index.get(&verification.skill.manifest().skill_id)?.current;
    let consent = context.consents.get(current.payload)?;
    let is_other = current.payload != verification.skill.payload();
    (is_other && current.consent == Some(consent.id())).then_some((current, consent))
}

fn carried<'a>(
    baseline: Option<(&InstalledRelease, &'a ConsentRecord)>,
    diff: Option<&UpdateDiff>,
) -> Option<&'a ConsentRecord> {
    let (_, consent) = baseline?;
    (!diff?.needs_consent()).then_some(consent)
}

//! What the owner of the state does for an installation: all of it, or nothing.

use crate::consent::ConsentRecord;
use crate::digest::Sha256Digest;
use crate::index::SkillRecord;
use crate::install::event::InstallEvent;
use crate::install::outcome::InstallOutcome;
use crate::trust::TrustChange;

/// One transaction of an installation, implemented by the owner of the state.
///
/// The corridor calls it once, at its end, in this order: whether this may be written at all, the generation it was
/// planned from, object, trust,
/// consent, row, events, and [`Self::advance_generation`] or [`Self::commit_events`] last. Nothing counts before
/// that last call returns; a transaction that is dropped without it leaves the old state.
pub trait InstallTransaction {
    /// Why the state could not be written, or that it moved on.
    type Error;

    /// Refuses what whoever brings it may not bring; everything is known of it, and nothing is written.
    fn permit(&mut self, outcome: &InstallOutcome) -> Result<(), Self::Error> {
        let _ = outcome;
        Ok(())
    }

    /// Refuses unless the state is still that of this generation: of two who race, one wins.
    fn expect_generation(&mut self, generation: u64) -> Result<(), Self::Error>;

    /// Stores the archive under its digest; storing it again changes nothing.
    fn put_object(&mut self, archive: Sha256Digest, bytes: &[u8]) -> Result<(), Self::Error>;

    /// Applies a pin, a rotation, a block and the release mark to the trust store.
    fn apply_trust(&mut self, change: &TrustChange) -> Result<(), Self::Error>;

    /// Keeps a consent.
    fn put_consent(&mut self, consent: &ConsentRecord) -> Result<(), Self::Error>;

    /// Keeps the row of the skill.
    fn put_record(&mut self, record: &SkillRecord) -> Result<(), Self::Error>;

    /// Adds a leaf to the journal.
    fn append_event(&mut self, event: &InstallEvent) -> Result<(), Self::Error>;

    /// Commits everything and moves the generation on by one.
    fn advance_generation(&mut self) -> Result<(), Self::Error>;

    /// Commits events alone; the generation stays.
    fn commit_events(&mut self) -> Result<(), Self::Error>;
}

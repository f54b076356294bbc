//! Events of the journal, its head and proofs.

use palyra_api::events::Event;
use palyra_api::journal as api;
use palyra_api::tools;
use palyra_journal::proof::InclusionProof;
use palyra_journal::{Leaf, NewEvent, RecordedEvent, TreeHash, TreeHead};

use super::ToApi;

convert_fields! {
    TreeHead => api::TreeHead { size, root }
    InclusionProof => api::InclusionProof { sequence, head, path }
    Leaf => tools::Leaf { sequence, hash }
}

impl ToApi for TreeHash {
    type Api = String;

    fn to_api(&self) -> String {
        self.to_string()
    }
}

impl ToApi for RecordedEvent {
    type Api = Event;

    fn to_api(&self) -> Event {
        let Self { leaf: Leaf { sequence, hash }, event, proof } = self;
        let NewEvent { kind, at_ms, actor, run, skill, subject, details } = event;
        Event {
            sequence: *sequence,
            hash: hash.to_api(),
            kind: kind.to_string(),
            at_ms: *at_ms,
            actor: actor.clone(),
            run: run.clone(),
            skill: skill.clone(),
            subject: subject.clone(),
            details: details.clone(),
            proof: proof.to_api(),
        }
    }
}

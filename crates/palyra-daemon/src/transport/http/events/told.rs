//! An event of the journal in the words of the API.

use palyra_api::events::Event;
use palyra_api::journal::{InclusionProof, TreeHead};
use palyra_journal::RecordedEvent;

/// The event.
pub(in super::super) fn told(recorded: RecordedEvent) -> Event {
    let RecordedEvent { leaf, event, proof } = recorded;
    Event {
        sequence: leaf.sequence,
        hash: leaf.hash.to_string(),
        kind: event.kind.to_string(),
        at_ms: event.at_ms,
        actor: event.actor,
        run: event.run,
        skill: event.skill,
        subject: event.subject,
        details: event.details,
        proof: proof.map(|proof| InclusionProof {
            sequence: proof.sequence,
            head: head(proof.head),
            path: proof.path.iter().map(ToString::to_string).collect(),
        }),
    }
}

/// The head of a tree.
pub(in super::super) fn head(head: palyra_journal::TreeHead) -> TreeHead {
    TreeHead { size: head.size, root: head.root.to_string() }
}

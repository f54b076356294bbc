//! Requests that share a commit: appended events, and work of the owner that can run a second time.

use super::pending::Reply;
use super::transaction::{JournalTransaction, Leaf};
use crate::JournalError;
use crate::event::Encoded;

/// One request of a group.
#[allow(
    clippy::large_enum_variant,
    reason = "nearly all are of the larger kind, and a box for each would cost more"
)]
pub(super) enum Member {
    Append { encoded: Encoded, leaf: Option<Leaf>, reply: Reply<Result<Leaf, JournalError>> },
    Work(Box<dyn Shared>),
}

/// Work that shares a commit.
pub(super) trait Shared: Send {
    /// Runs the work. Called again if the shared commit fails.
    fn run(&mut self, transaction: &mut JournalTransaction<'_>) -> Result<(), JournalError>;

    /// Sends the result to the caller.
    fn answer(self: Box<Self>, committed: Result<(), JournalError>);
}

/// Work with its result and the channel for it.
pub(super) struct SharedWork<W, T> {
    work: W,
    value: Option<T>,
    reply: Reply<Result<T, JournalError>>,
}

impl<W, T> SharedWork<W, T> {
    pub(super) fn new(work: W, reply: Reply<Result<T, JournalError>>) -> Self {
        Self { work, value: None, reply }
    }
}

impl<W, T> Shared for SharedWork<W, T>
where
    W: FnMut(&mut JournalTransaction<'_>) -> Result<T, JournalError> + Send,
    T: Send,
{
    fn run(&mut self, transaction: &mut JournalTransaction<'_>) -> Result<(), JournalError> {
        self.value = Some((self.work)(transaction)?);
        Ok(())
    }

    fn answer(self: Box<Self>, committed: Result<(), JournalError>) {
        let Self { value, reply, .. } = *self;
        reply.send(committed.and_then(|()| value.ok_or(JournalError::TransactionBroken)));
    }
}

impl Member {
    pub(super) fn append(encoded: Encoded, reply: Reply<Result<Leaf, JournalError>>) -> Self {
        Self::Append { encoded, leaf: None, reply }
    }

    pub(super) fn is_work(&self) -> bool {
        matches!(self, Self::Work(_))
    }

    /// Returns the bytes that count as waiting.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Append { encoded, .. } => encoded.bytes,
            Self::Work(_) => 0,
        }
    }

    pub(super) fn answer(self, committed: Result<(), JournalError>) {
        match self {
            Self::Work(work) => work.answer(committed),
            Self::Append { leaf, reply, .. } => {
                reply.send(committed.and_then(|()| leaf.ok_or(JournalError::TransactionBroken)));
            }
        }
    }
}

/// Runs the requests of a group, in order. Adjacent events are written together.
pub(super) fn run(
    transaction: &mut JournalTransaction<'_>,
    group: &mut [Member],
) -> Result<(), JournalError> {
    for alike in group.chunk_by_mut(|left, right| !left.is_work() && !right.is_work()) {
        if let [Member::Work(work)] = alike {
            work.run(transaction)?;
            continue;
        }
        let events = alike.iter().filter_map(|member| match member {
            Member::Append { encoded, .. } => Some(encoded),
            Member::Work(_) => None,
        });
        let mut leaves = Vec::with_capacity(alike.len());
        transaction.append_encoded(events, |appended| leaves.push(appended))?;
        for (member, appended) in alike.iter_mut().zip(leaves) {
            if let Member::Append { leaf, .. } = member {
                *leaf = Some(appended);
            }
        }
    }
    Ok(())
}

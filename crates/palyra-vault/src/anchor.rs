//! The anchor: the expected state of the database, stored where an editor of the database cannot change it.
//!
//! A change of trust writes the next value (`write_pending`), commits the database, and confirms it (`commit`). After a
//! crash in between, the database equals one of the two values, and the owner of the state settles which one.

use crate::record::{AnchorError, Record, RecordFile};
use std::fmt;

const MAX_VALUE_BYTES: usize = 4096;

/// Opaque bytes of at most 4 KiB, interpreted by the owner of the state.
#[derive(Clone, PartialEq, Eq)]
pub struct AnchorValue(Vec<u8>);

/// The contents of the anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorState {
    /// The last confirmed value.
    pub committed: AnchorValue,
    /// The next value, if its transaction was started and not settled.
    pub pending: Option<AnchorValue>,
}

/// Access to the anchor of an open vault.
pub struct Anchor<'v> {
    file: RecordFile<'v>,
}

/// Access to the journal head that the vault stores.
pub struct JournalHead<'v> {
    file: RecordFile<'v>,
}

impl<'v> Anchor<'v> {
    pub(crate) fn new(file: RecordFile<'v>) -> Self {
        Self { file }
    }

    /// Returns the contents, or `None` if the anchor was never initialized.
    pub fn read(&self) -> Result<Option<AnchorState>, AnchorError> {
        self.file.read()?.map(|record| self.decode(&record)).transpose()
    }

    /// Writes the first value. Fails if there is one.
    pub fn initialise(&self, value: AnchorValue) -> Result<(), AnchorError> {
        match self.file.read()? {
            Some(_) => Err(AnchorError::AlreadyInitialised { path: self.file.path() }),
            None => self.file.write(None, encode(&AnchorState { committed: value, pending: None })),
        }
    }

    /// Writes the value that the next database commit makes true. Fails while an earlier one is pending.
    pub fn write_pending(&self, value: AnchorValue) -> Result<(), AnchorError> {
        let (record, state) = self.current()?;
        if state.pending.is_some() {
            return Err(AnchorError::PendingExists { path: self.file.path() });
        }
        self.file.write(Some(&record), encode(&AnchorState { pending: Some(value), ..state }))
    }

    /// Makes the pending value the committed one.
    ///
    /// # Errors
    ///
    /// [`AnchorError::NothingPending`] if there is no pending value.
    pub fn commit(&self) -> Result<(), AnchorError> {
        self.settle(|_, pending| pending)
    }

    /// Removes the pending value, whose transaction did not commit.
    ///
    /// # Errors
    ///
    /// [`AnchorError::NothingPending`] if there is no pending value.
    pub fn discard_pending(&self) -> Result<(), AnchorError> {
        self.settle(|committed, _| committed)
    }

    /// Replaces the contents, valid or not, for a repair or restore that a person confirmed.
    pub fn replace(&self, value: AnchorValue) -> Result<(), AnchorError> {
        self.file.overwrite(encode(&AnchorState { committed: value, pending: None }))
    }

    fn settle(
        &self,
        choose: impl FnOnce(AnchorValue, AnchorValue) -> AnchorValue,
    ) -> Result<(), AnchorError> {
        let (record, AnchorState { committed, pending }) = self.current()?;
        let pending = pending.ok_or_else(|| AnchorError::NothingPending { path: self.file.path() })?;
        let committed = choose(committed, pending);
        self.file.write(Some(&record), encode(&AnchorState { committed, pending: None }))
    }

    fn current(&self) -> Result<(Record, AnchorState), AnchorError> {
        let record = self.file.read()?;
        let record = record.ok_or_else(|| AnchorError::NeverInitialised { path: self.file.path() })?;
        let state = self.decode(&record)?;
        Ok((record, state))
    }

    fn decode(&self, record: &Record) -> Result<AnchorState, AnchorError> {
        decode(&record.payload).ok_or_else(|| AnchorError::Edited { path: self.file.path() })
    }
}

impl<'v> JournalHead<'v> {
    pub(crate) fn new(file: RecordFile<'v>) -> Self {
        Self { file }
    }

    /// Returns the head, or `None` if none was ever written.
    pub fn read(&self) -> Result<Option<AnchorValue>, AnchorError> {
        Ok(self.file.read()?.map(|record| AnchorValue(record.payload)))
    }

    /// Writes a head. Fails if the previous one is invalid.
    pub fn write(&self, value: AnchorValue) -> Result<(), AnchorError> {
        let previous = self.file.read()?;
        self.file.write(previous.as_ref(), value.0)
    }

    /// Replaces the head, valid or not, for a repair or restore that a person confirmed.
    pub fn replace(&self, value: AnchorValue) -> Result<(), AnchorError> {
        self.file.overwrite(value.0)
    }
}

impl AnchorValue {
    /// Wraps bytes. Fails if there are more than 4 KiB.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, AnchorError> {
        let bytes = bytes.into();
        if bytes.len() > MAX_VALUE_BYTES {
            return Err(AnchorError::ValueTooLong { bytes: bytes.len(), limit: MAX_VALUE_BYTES });
        }
        Ok(Self(bytes))
    }

    /// Returns the wrapped bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for AnchorValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnchorValue({})", hex::encode(&self.0))
    }
}

/// Encodes length and bytes of the committed value, then of the pending one if there is one.
fn encode(state: &AnchorState) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in std::iter::once(&state.committed).chain(&state.pending) {
        bytes.extend_from_slice(&u32::try_from(value.0.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(&value.0);
    }
    bytes
}

fn decode(payload: &[u8]) -> Option<AnchorState> {
    let (committed, rest) = decode_value(payload)?;
    if rest.is_empty() {
        return Some(AnchorState { committed, pending: None });
    }
    let (pending, rest) = decode_value(rest)?;
    rest.is_empty().then_some(AnchorState { committed, pending: Some(pending) })
}

fn decode_value(bytes: &[u8]) -> Option<(AnchorValue, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (value, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    Some((AnchorValue::new(value).ok()?, rest))
}

//! The anchor of the state: what the database must hold, kept where its editor cannot reach.
//!
//! A change of trust writes what will be true (`write_pending`), commits the database, and says that it is
//! true (`commit`). After a stop in between, the database equals one of the two and the owner settles it.

use crate::record::{AnchorError, Record, RecordFile};
use std::fmt;

const MAX_VALUE_BYTES: usize = 4096;

/// Opaque bytes of at most 4 KiB; their meaning is the owner's.
#[derive(Clone, PartialEq, Eq)]
pub struct AnchorValue(Vec<u8>);

/// What the anchor holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorState {
    /// What was true last.
    pub committed: AnchorValue,
    /// What may have become true since.
    pub pending: Option<AnchorValue>,
}

/// The anchor of an open vault.
pub struct Anchor<'v> {
    file: RecordFile<'v>,
}

/// The journal head that the vault remembers.
pub struct JournalHead<'v> {
    file: RecordFile<'v>,
}

impl<'v> Anchor<'v> {
    pub(crate) fn new(file: RecordFile<'v>) -> Self {
        Self { file }
    }

    /// What it holds; `None` only if it was never initialised.
    pub fn read(&self) -> Result<Option<AnchorState>, AnchorError> {
        self.file.read()?.map(|record| self.decode(&record)).transpose()
    }

    /// Gives a new anchor its first value.
    pub fn initialise(&self, value: AnchorValue) -> Result<(), AnchorError> {
        match self.file.read()? {
            Some(_) => Err(AnchorError::AlreadyInitialised { path: self.file.path() }),
            None => self.file.write(None, encode(&AnchorState { committed: value, pending: None })),
        }
    }

    /// Says what will be true once the database has committed; refused while an earlier one is unsettled.
    pub fn write_pending(&self, value: AnchorValue) -> Result<(), AnchorError> {
        let (record, state) = self.current()?;
        if state.pending.is_some() {
            return Err(AnchorError::PendingExists { path: self.file.path() });
        }
        self.file.write(Some(&record), encode(&AnchorState { pending: Some(value), ..state }))
    }

    /// Says that the pending value is true now.
    pub fn commit(&self) -> Result<(), AnchorError> {
        self.settle(|_, pending| pending)
    }

    /// Says that the pending value never became true.
    pub fn discard_pending(&self) -> Result<(), AnchorError> {
        self.settle(|committed, _| committed)
    }

    /// Replaces whatever is there, true or not: for a repair or a restore that a person confirmed.
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

    /// The head; `None` only if none was ever written.
    pub fn read(&self) -> Result<Option<AnchorValue>, AnchorError> {
        Ok(self.file.read()?.map(|record| AnchorValue(record.payload)))
    }

    /// Remembers a head in place of the last one, which must be readable.
    pub fn write(&self, value: AnchorValue) -> Result<(), AnchorError> {
        let previous = self.file.read()?;
        self.file.write(previous.as_ref(), value.0)
    }

    /// Replaces whatever is there, true or not: for a repair or a restore that a person confirmed.
    pub fn replace(&self, value: AnchorValue) -> Result<(), AnchorError> {
        self.file.overwrite(value.0)
    }
}

impl AnchorValue {
    /// Takes the bytes, if they are not too many.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, AnchorError> {
        let bytes = bytes.into();
        if bytes.len() > MAX_VALUE_BYTES {
            return Err(AnchorError::ValueTooLong { bytes: bytes.len(), limit: MAX_VALUE_BYTES });
        }
        Ok(Self(bytes))
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for AnchorValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnchorValue({})", hex::encode(&self.0))
    }
}

/// Length and bytes of the committed value, then the same of the pending one if there is one.
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

//! Segment files: old events outside of the database that remain provable.
//!
//! The format is text with one item per line, in exactly one encoding:
//!
//! ```text
//! palyra-journal-segment/1
//! 0 512 3                    first sequence, number of leaves, number of hashes
//! qRmb3…=                    the hashes outside the range, from left to right, in base64
//! …
//! {"at_ms":1700000000000,…}  the leaves, each the canonical JSON that was hashed
//! …
//! palyra.journal/2c26b46b    a signed checkpoint that covers the range, to the end of the file
//! 1042
//! 5p2cUu3v…=
//!
//! — palyra.journal/2c26b46b Az3grlgt…=
//! ```
//!
//! [`Segment::decode`] accepts exactly the output of [`Segment::encode`]. [`Segment::verify`] needs only the public
//! key.

use crate::event::{Encoded, EventError, read_event};
use crate::proof::{MAX_RANGE_PROOF, ProofError, RangeProof};
use crate::{
    Checkpoint, CheckpointError, CheckpointKey, MAX_EVENT_BYTES, MAX_NOTE_BYTES, NewEvent, TreeHash,
};

/// Maximum number of events in a segment file.
pub const MAX_SEGMENT_EVENTS: usize = 1 << 16;
/// Maximum total size of the leaves in a segment file, in bytes.
pub const MAX_SEGMENT_LEAF_BYTES: usize = 96 << 20;
/// Maximum size of a segment file, in bytes.
pub const MAX_SEGMENT_BYTES: usize = MAX_SEGMENT_LEAF_BYTES + (1 << 20);
const MAGIC: &str = "palyra-journal-segment/1";

/// The reason why bytes are not a segment, or a segment is not of the journal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum SegmentError {
    /// The file exceeds the limit.
    #[error("the segment has {bytes} bytes, the limit is {MAX_SEGMENT_BYTES}")]
    TooLarge { bytes: usize },
    /// The file does not have the form of a segment.
    #[error("line {line} of the segment: {expected}")]
    BadForm { line: usize, expected: &'static str },
    /// A line is not a valid event.
    #[error("line {line} of the segment, sequence {sequence}")]
    BadLeaf {
        line: usize,
        /// The sequence that the event would have.
        sequence: u64,
        /// The reason why the line is not an event.
        #[source]
        source: EventError,
    },
    /// The checkpoint at the end is invalid.
    #[error("invalid checkpoint in the segment")]
    BadCheckpoint(#[source] CheckpointError),
    /// The leaves do not match the signed checkpoint.
    #[error("the segment's leaves do not match its checkpoint")]
    NotProven(#[source] ProofError),
    /// The segment does not end where the events in the database begin.
    #[error("the segment ends at sequence {end}, the journal's rows begin at {archived}")]
    NotAdjacent { end: u64, archived: u64 },
}

impl SegmentError {
    /// Returns advice for the user, shown under the message.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotAdjacent { .. } => "import the segments from the newest to the oldest, each once",
            Self::BadCheckpoint(_) => "pass the public key of the journal that wrote the segment",
            _ => "the file is damaged or was changed; get another copy",
        }
    }
}

/// A parsed segment file that is not verified yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    first: u64,
    leaves: Vec<Vec<u8>>,
    outside: Vec<TreeHash>,
    note: String,
}

impl Segment {
    /// Creates a segment from leaves in canonical form.
    pub(crate) fn new(first: u64, leaves: Vec<Vec<u8>>, outside: Vec<TreeHash>, note: String) -> Self {
        Self { first, leaves, outside, note }
    }

    /// Returns the sequence of the first event.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Returns the sequence after the last event.
    pub fn end(&self) -> u64 {
        self.first + self.leaves.len() as u64
    }

    /// Returns the leaves in canonical form, as they were hashed.
    pub fn leaves(&self) -> &[Vec<u8>] {
        &self.leaves
    }

    /// Returns the bytes of the segment file, which [`Segment::decode`] reads.
    pub fn encode(&self) -> Vec<u8> {
        let mut out =
            format!("{MAGIC}\n{} {} {}\n", self.first, self.leaves.len(), self.outside.len()).into_bytes();
        for hash in &self.outside {
            out.extend_from_slice(hash.to_base64().as_bytes());
            out.push(b'\n');
        }
        for leaf in &self.leaves {
            out.extend_from_slice(leaf);
            out.push(b'\n');
        }
        out.extend_from_slice(self.note.as_bytes());
        out
    }

    /// Parses a file, which must be the only encoding of its contents.
    pub fn decode(bytes: &[u8]) -> Result<Self, SegmentError> {
        if bytes.len() > MAX_SEGMENT_BYTES {
            return Err(SegmentError::TooLarge { bytes: bytes.len() });
        }
        let mut lines = Lines { rest: bytes, line: 0 };
        if lines.next("expected a segment of version 1")? != MAGIC.as_bytes() {
            return Err(lines.bad("expected a segment of version 1"));
        }
        let [first, count, hashes] = lines.header()?;
        let outside = (0..hashes).map(|_| lines.hash()).collect::<Result<Vec<_>, _>>()?;
        let mut leaves = Vec::new();
        for sequence in first..first.saturating_add(count) {
            leaves.push(lines.leaf(sequence)?);
        }
        let note = lines.note()?;
        Ok(Self { first, leaves, outside, note })
    }

    /// Verifies the leaves with the checkpoint, and the checkpoint with the keys, of which one must match.
    pub fn verify(self, keys: &[CheckpointKey]) -> Result<VerifiedSegment, SegmentError> {
        let checkpoint = Checkpoint::open_with_any(&self.note, keys).map_err(SegmentError::BadCheckpoint)?;
        let hashes: Vec<TreeHash> = self.leaves.iter().map(|leaf| TreeHash::of_leaf(leaf)).collect();
        let proof = RangeProof { first: self.first, head: checkpoint.head(), outside: self.outside.clone() };
        proof.verify(&hashes).map_err(SegmentError::NotProven)?;
        Ok(VerifiedSegment { segment: self, checkpoint, hashes })
    }
}

/// A segment whose leaves are covered by a verified checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedSegment {
    segment: Segment,
    checkpoint: Checkpoint,
    hashes: Vec<TreeHash>,
}

impl VerifiedSegment {
    /// Returns the underlying segment.
    pub fn segment(&self) -> &Segment {
        &self.segment
    }

    /// Returns the checkpoint that covers the segment.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Returns the events with their sequences.
    pub fn events(&self) -> impl Iterator<Item = Result<(u64, NewEvent), EventError>> {
        let leaves = (self.segment.first..).zip(&self.segment.leaves);
        leaves.map(|(sequence, leaf)| Ok((sequence, crate::decode_leaf(leaf)?)))
    }

    /// Returns the events in their stored form.
    pub(crate) fn encoded(&self) -> impl Iterator<Item = Result<(u64, Encoded), EventError>> {
        let leaves = (self.segment.first..).zip(&self.segment.leaves);
        leaves.map(|(sequence, leaf)| Ok((sequence, read_event(leaf)?.1)))
    }
}

/// Splits a file into lines. Does not allocate for counts that the file merely claims.
struct Lines<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Lines<'a> {
    fn bad(&self, expected: &'static str) -> SegmentError {
        SegmentError::BadForm { line: self.line, expected }
    }

    fn next(&mut self, expected: &'static str) -> Result<&'a [u8], SegmentError> {
        self.line += 1;
        let end = self.rest.iter().position(|byte| *byte == b'\n').ok_or_else(|| self.bad(expected))?;
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        Ok(line)
    }

    fn header(&mut self) -> Result<[u64; 3], SegmentError> {
        const EXPECTED: &str = "expected the first sequence, the number of leaves and the number of hashes";
        let line = self.next(EXPECTED)?;
        let numbers: Vec<u64> =
            std::str::from_utf8(line).unwrap_or_default().split(' ').map_while(decimal).collect();
        let [first, count, hashes] = <[u64; 3]>::try_from(numbers).map_err(|_| self.bad(EXPECTED))?;
        if format!("{first} {count} {hashes}").as_bytes() != line {
            return Err(self.bad(EXPECTED));
        }
        if count == 0 || count > MAX_SEGMENT_EVENTS as u64 {
            return Err(self.bad("expected 1 to 65536 leaves"));
        }
        if hashes > MAX_RANGE_PROOF as u64 {
            return Err(self.bad("expected at most 126 hashes"));
        }
        if first.checked_add(count).is_some_and(|end| end <= i64::MAX as u64) {
            Ok([first, count, hashes])
        } else {
            Err(self.bad("expected a sequence below 2^63"))
        }
    }

    fn hash(&mut self) -> Result<TreeHash, SegmentError> {
        const EXPECTED: &str = "expected a hash in base64";
        let line = self.next(EXPECTED)?;
        let hash = std::str::from_utf8(line).ok().and_then(TreeHash::from_base64);
        hash.ok_or_else(|| self.bad(EXPECTED))
    }

    fn leaf(&mut self, sequence: u64) -> Result<Vec<u8>, SegmentError> {
        let line = self.next("expected a leaf")?;
        if line.len() > MAX_EVENT_BYTES {
            return Err(self.bad("expected a leaf of at most 65536 bytes"));
        }
        match crate::decode_leaf(line) {
            Ok(_) => Ok(line.to_vec()),
            Err(source) => Err(SegmentError::BadLeaf { line: self.line, sequence, source }),
        }
    }

    fn note(&mut self) -> Result<String, SegmentError> {
        const EXPECTED: &str = "expected a signed checkpoint of at most 8 KiB";
        self.line += 1;
        if self.rest.is_empty() || self.rest.len() > MAX_NOTE_BYTES {
            return Err(self.bad(EXPECTED));
        }
        std::str::from_utf8(self.rest).map(str::to_owned).map_err(|_| self.bad(EXPECTED))
    }
}

fn decimal(text: &str) -> Option<u64> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::prove_range;
    use crate::{CheckpointSigner, EventKind, NodeSource, TreeHead};
    use serde_json::json;
    use std::convert::Infallible;

    /// Nodes of a small tree, hashed again each time.
    struct SmallTree(Vec<TreeHash>);

    impl NodeSource for SmallTree {
        type Error = Infallible;

        fn node(&mut self, height: u32, index: u64) -> Result<TreeHash, Infallible> {
            match height.checked_sub(1) {
                None => Ok(self.0[index as usize]),
                Some(below) => {
                    let left = self.node(below, index * 2)?;
                    Ok(TreeHash::of_node(&left, &self.node(below, index * 2 + 1)?))
                }
            }
        }
    }

    /// Leaves 4 to 6 of a journal of 13.
    fn sample() -> (Segment, CheckpointSigner) {
        let leaves: Vec<Vec<u8>> = (0..13_u64)
            .map(|number| {
                let event = NewEvent::new(EventKind::SkillInstalled, 1_700_000_000_000 + number)
                    .skill("acme.echo")
                    .details(json!({"number": number, "text": "é\n", "list": [null, true, -1]}));
                Encoded::new(event).unwrap().fields.leaf()
            })
            .collect();
        let mut tree = SmallTree(leaves.iter().map(|leaf| TreeHash::of_leaf(leaf)).collect());
        let root = crate::tree::range_root(&mut tree, 0, 13).unwrap();
        let signer = CheckpointSigner::from_seed("palyra.fuzz/journal", &[7; 32]).unwrap();
        let checkpoint = signer.sign(TreeHead { size: 13, root });
        let outside = prove_range(&mut tree, 4, 7, checkpoint.head()).unwrap().outside;
        let segment = Segment::new(4, leaves[4..7].to_vec(), outside, checkpoint.note().to_owned());
        (segment, signer)
    }

    /// The file in the repository was written by an earlier version; this version must write the same bytes.
    #[test]
    fn the_form_of_a_segment_does_not_change() {
        let (segment, signer) = sample();
        let file = include_bytes!("../../../fuzz/formats/seeds/journal_import/sample");
        assert_eq!(String::from_utf8(segment.encode()).unwrap(), std::str::from_utf8(file).unwrap());
        assert_eq!(
            signer.key().to_string(),
            "palyra.fuzz/journal+041b1714+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs"
        );
        let read = Segment::decode(file).unwrap();
        assert_eq!(read, segment);
        assert_eq!(read.verify(&[signer.key().clone()]).unwrap().events().count(), 3);
    }
}

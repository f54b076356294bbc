//! The text of a signed note: one canonical form, parsed strictly.

use super::CheckpointKey;
use crate::hash::{TreeHash, TreeHead};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use palyra_common::redact::escape_untrusted;

/// Maximum size of a note, in bytes.
pub const MAX_NOTE_BYTES: usize = 8 << 10;
/// Maximum number of signature lines in a note. Witnesses may add theirs.
pub const MAX_SIGNATURES: usize = 16;
/// The start of a signature line: an em dash and a space.
const SIGNATURE_START: &str = "\u{2014} ";

/// The reason why a note is not a checkpoint of the journal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The text does not have the form of a signed note.
    #[error("invalid signed note: {reason}")]
    BadForm {
        /// The expected form.
        reason: &'static str,
    },
    /// The checkpoint belongs to another journal.
    #[error("the checkpoint is of journal `{found}`, expected `{expected}`")]
    WrongOrigin {
        /// The origin in the note, clipped and escaped.
        found: String,
        /// The origin of the key.
        expected: String,
    },
    /// The key did not sign the note.
    #[error("the checkpoint has no signature by `{expected}`")]
    NotSigned {
        /// The key, in text form.
        expected: String,
    },
    /// A signature line names the key but its signature is invalid.
    #[error("invalid signature of the checkpoint by `{origin}`")]
    BadSignature {
        /// The name on the signature line.
        origin: String,
    },
}

impl CheckpointError {
    /// Returns advice for the user, shown under the message.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::BadForm { .. } => {
                "store the output of `palyra journal checkpoint` unchanged, with its blank line"
            }
            Self::WrongOrigin { .. } | Self::NotSigned { .. } => {
                "use a checkpoint and a key of the same journal"
            }
            Self::BadSignature { .. } => {
                "the note was changed after it was signed; get it again from its source"
            }
        }
    }
}

/// A head whose signature was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    head: TreeHead,
    origin: String,
    note: String,
}

impl Checkpoint {
    /// Parses a note and verifies the signature of `key`. Signatures of other keys are ignored.
    pub fn open(note: &str, key: &CheckpointKey) -> Result<Self, CheckpointError> {
        Self::open_with_any(note, std::slice::from_ref(key))
    }

    /// Parses a note and verifies a signature of one of several keys, among those with the origin of the note.
    pub fn open_with_any(note: &str, keys: &[CheckpointKey]) -> Result<Self, CheckpointError> {
        let (text, signatures) = split_note(note)?;
        let (origin, head) = read_text(text)?;
        let mut expected = None;
        for key in keys.iter().filter(|key| key.origin() == origin) {
            match check_signatures(text, signatures, key) {
                Ok(()) => return Ok(Self { head, origin: origin.to_owned(), note: note.to_owned() }),
                Err(error) => expected = Some(error),
            }
        }
        Err(expected.unwrap_or_else(|| CheckpointError::WrongOrigin {
            found: escape_untrusted(origin).chars().take(super::MAX_ORIGIN_BYTES).collect(),
            expected: keys.iter().map(CheckpointKey::origin).collect::<Vec<_>>().join("`, `"),
        }))
    }

    /// Returns the signed head.
    pub fn head(&self) -> TreeHead {
        self.head
    }

    /// Returns the origin of the journal.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the signed note, for storage or transport.
    pub fn note(&self) -> &str {
        &self.note
    }
}

/// Returns the three lines that are signed.
pub(super) fn text(origin: &str, head: &TreeHead) -> String {
    format!("{origin}\n{}\n{}\n", head.size, head.root.to_base64())
}

/// Combines text and signature.
pub(super) fn signed(key: &CheckpointKey, head: TreeHead, text: String, signature: &[u8; 64]) -> Checkpoint {
    let note = with_signature(key, &text, signature);
    Checkpoint { head, origin: key.origin().to_owned(), note }
}

pub(super) fn with_signature(key: &CheckpointKey, text: &str, signature: &[u8; 64]) -> String {
    let mut bytes = key.hash().to_vec();
    bytes.extend_from_slice(signature);
    format!("{text}\n{SIGNATURE_START}{} {}\n", key.origin(), STANDARD.encode(bytes))
}

/// Returns the two lines of a statement. It cannot be a checkpoint, because an origin contains no blank.
pub(super) fn statement(origin: &str, kind: &str, line: &str) -> String {
    format!("{origin} {kind}\n{line}\n")
}

pub(super) fn check_statement(
    key: &CheckpointKey,
    kind: &str,
    line: &str,
    note: &str,
) -> Result<(), CheckpointError> {
    let (text, signatures) = split_note(note)?;
    if text != statement(key.origin(), kind, line) {
        return Err(CheckpointError::BadForm { reason: "it is a different statement" });
    }
    check_signatures(text, signatures, key)
}

fn split_note(note: &str) -> Result<(&str, &str), CheckpointError> {
    let bad = |reason| Err(CheckpointError::BadForm { reason });
    if note.len() > MAX_NOTE_BYTES {
        return bad("expected at most 8 KiB");
    }
    if note.bytes().any(|byte| byte < 0x20 && byte != b'\n') {
        return bad("it contains control characters");
    }
    let Some(blank) = note.rfind("\n\n") else {
        return bad("expected a blank line before the signatures");
    };
    let (Some(text), Some(signatures)) = (note.get(..blank + 1), note.get(blank + 2..)) else {
        return bad("expected a blank line before the signatures");
    };
    if signatures.ends_with('\n') {
        Ok((text, signatures))
    } else {
        bad("expected a line end after the last signature")
    }
}

fn read_text(text: &str) -> Result<(&str, TreeHead), CheckpointError> {
    let bad = |reason| CheckpointError::BadForm { reason };
    let mut lines = text.split_terminator('\n');
    let (Some(origin), Some(size), Some(root), None) =
        (lines.next(), lines.next(), lines.next(), lines.next())
    else {
        return Err(bad("expected three lines: origin, size, root"));
    };
    let size: u64 = size
        .parse()
        .ok()
        .filter(|number: &u64| number.to_string() == size)
        .ok_or_else(|| bad("expected a decimal size on line 2"))?;
    let root = TreeHash::from_base64(root).ok_or_else(|| bad("expected a base64 root hash on line 3"))?;
    Ok((origin, TreeHead { size, root }))
}

fn check_signatures(text: &str, signatures: &str, key: &CheckpointKey) -> Result<(), CheckpointError> {
    let bad = |reason| CheckpointError::BadForm { reason };
    let mut found = false;
    for (number, line) in signatures.split_terminator('\n').enumerate() {
        if number >= MAX_SIGNATURES {
            return Err(bad("expected at most 16 signatures"));
        }
        let parts = line.strip_prefix(SIGNATURE_START).and_then(|line| line.split_once(' '));
        let (name, signature) = parts.ok_or_else(|| {
            bad("expected a signature line of a dash, a name and \
            base64")
        })?;
        let bytes = STANDARD.decode(signature).map_err(|_| bad("expected a signature in base64"))?;
        let Some((hash, signature)) = bytes.split_first_chunk::<4>() else {
            return Err(bad("expected a signature that starts with four bytes of its key's hash"));
        };
        if name != key.origin() || *hash != key.hash() {
            continue;
        }
        if signature.try_into().is_ok_and(|signature| key.accepts(text.as_bytes(), signature)) {
            found = true
        } else {
            return Err(CheckpointError::BadSignature { origin: name.to_owned() });
        }
    }
    if found { Ok(()) } else { Err(CheckpointError::NotSigned { expected: key.to_string() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::CheckpointSigner;

    fn signer() -> CheckpointSigner {
        CheckpointSigner::from_seed("palyra.test/1", &[7; 32]).unwrap()
    }

    fn head() -> TreeHead {
        TreeHead { size: 42, root: TreeHash::of_leaf(b"x") }
    }

    #[test]
    fn what_is_signed_opens_with_the_public_key() {
        let checkpoint = signer().sign(head());
        let opened = Checkpoint::open(checkpoint.note(), signer().key()).unwrap();
        assert_eq!(opened, checkpoint);
        assert_eq!((opened.head(), opened.origin()), (head(), "palyra.test/1"));
    }

    #[test]
    fn every_flipped_bit_is_refused() {
        let note = signer().sign(head()).note().to_owned();
        for position in 0..note.len() * 8 {
            let mut bytes = note.clone().into_bytes();
            bytes[position / 8] ^= 1 << (position % 8);
            if let Ok(changed) = String::from_utf8(bytes) {
                assert!(Checkpoint::open(&changed, signer().key()).is_err(), "bit {position}: {changed}");
            }
        }
    }

    #[test]
    fn other_keys_and_other_journals_are_refused() {
        let note = signer().sign(head()).note().to_owned();
        let same_name = CheckpointSigner::from_seed("palyra.test/1", &[8; 32]).unwrap();
        assert!(matches!(Checkpoint::open(&note, same_name.key()), Err(CheckpointError::NotSigned { .. })));
        let other = CheckpointSigner::from_seed("palyra.test/2", &[7; 32]).unwrap();
        assert!(matches!(Checkpoint::open(&note, other.key()), Err(CheckpointError::WrongOrigin { .. })));
        let both = [other.key().clone(), same_name.key().clone(), signer().key().clone()];
        assert!(Checkpoint::open_with_any(&note, &both).is_ok());
    }

    #[test]
    fn signatures_of_witnesses_are_left_alone() {
        let mut note = signer().sign(head()).note().to_owned();
        note.push_str("\u{2014} witness.example/w AAAAAAECAwQ=\n");
        assert!(Checkpoint::open(&note, signer().key()).is_ok());
        note.push_str(&"\u{2014} witness.example/w AAAAAAECAwQ=\n".repeat(MAX_SIGNATURES));
        assert!(Checkpoint::open(&note, signer().key()).is_err());
    }

    #[test]
    fn statement_opens_only_as_what_was_signed() {
        let (signer, other) = (signer(), CheckpointSigner::from_seed("palyra.test/1", &[8; 32]).unwrap());
        let note = signer.sign_statement("backup", "abc");
        assert_eq!(signer.key().check_statement("backup", "abc", &note), Ok(()));
        for (key, kind, line) in
            [(&other, "backup", "abc"), (&signer, "other", "abc"), (&signer, "backup", "abd")]
        {
            assert!(key.key().check_statement(kind, line, &note).is_err(), "{kind} {line}");
        }
        // Neither is accepted in place of the other.
        assert!(Checkpoint::open(&note, signer.key()).is_err());
        let checkpoint = signer.sign(head());
        assert!(signer.key().check_statement("backup", "abc", checkpoint.note()).is_err());
        assert!(
            Checkpoint::open(&signer.sign_statement("42", &head().root.to_base64()), signer.key()).is_err()
        );
    }

    #[test]
    fn an_extension_line_is_refused_even_if_it_is_signed() {
        let signer = signer();
        let text = format!("{}extra\n", text(signer.key().origin(), &head()));
        assert!(matches!(read_text(&text), Err(CheckpointError::BadForm { .. })));
    }

    #[test]
    fn the_published_example_of_a_signature_is_accepted() {
        // From the documentation of Go's x/mod/sumdb/note; its text is no checkpoint, its signature is real.
        let key = CheckpointKey::parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
            .unwrap();
        let text = "If you think cryptography is the answer to your problem,\n\
                    then you don't know what your problem is.\n";
        let signature = "\u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
        assert_eq!(check_signatures(text, signature, &key), Ok(()));
        assert!(check_signatures(&text.replace("answer", "Answer"), signature, &key).is_err());
    }
}

//! A journal segment from elsewhere: accepted bytes are written back equal, and verification never panics.

use palyra_journal::Segment;

/// Takes the bytes as a segment.
pub fn check_journal_import(data: &[u8]) {
    if let Ok(segment) = Segment::decode(data) {
        assert_eq!(segment.encode(), data, "a segment has two spellings");
        assert!(segment.verify(&[]).is_err(), "a segment is verified without a key");
    }
}

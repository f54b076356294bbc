//! The signature file and its statement: accepted bytes are written back equal.

use palyra_skills::signing::{ReleaseStatement, SignatureFile};

/// Takes the bytes as a signature file and as a statement.
pub fn check_skill_envelope(data: &[u8]) {
    if let Ok(file) = SignatureFile::parse(data) {
        assert_eq!(file.encode().as_deref(), Ok(data), "a signature file has two spellings");
        if let Ok(statement) = file.statement_bytes() {
            check_statement(&statement);
        }
    }
    check_statement(data);
}

fn check_statement(bytes: &[u8]) {
    if let Ok(statement) = ReleaseStatement::parse(bytes) {
        let encoded = palyra_skills::signing::strict_json::encode_canonical(&statement);
        assert_eq!(encoded.as_deref(), Ok(bytes), "a statement has two spellings");
    }
}

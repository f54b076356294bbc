//! Bytes that are not code, in data segments, custom sections and assets: their file type by the first bytes and
//! the patterns they contain.

mod credentials;
mod embedded;
mod urls;

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::finding::FindingId;
use super::report::Findings;
use super::wasm::AuditWork;
use crate::manifest::Capabilities;
use urls::UndeclaredHosts;

/// Searches the data of one entry of the archive.
pub(crate) struct DataSearch {
    hosts: UndeclaredHosts,
}

impl DataSearch {
    pub(crate) fn new(capabilities: &Capabilities) -> Self {
        Self { hosts: UndeclaredHosts::new(capabilities) }
    }

    /// Checks the file type of `bytes` by their start and searches all of them for patterns, in one pass.
    pub(crate) fn search(
        &mut self,
        subject: &str,
        bytes: &[u8],
        work: &mut AuditWork,
        findings: &mut Findings<'_>,
    ) {
        work.searched_bytes = work.searched_bytes.saturating_add(bytes.len() as u64);
        if let Some((id, what)) = embedded::recognise_start(bytes) {
            findings.add(id, subject, format!("starts with {what}"), None);
        }
        self.search_patterns(subject, bytes, findings);
    }

    /// Searches for patterns only: text of the manifest has no file type.
    pub(crate) fn search_patterns(&mut self, subject: &str, bytes: &[u8], findings: &mut Findings<'_>) {
        let Some(prefixes) = &*PREFIXES else { return };
        for found in prefixes.find_iter(bytes) {
            let index = found.pattern().as_usize();
            match index.checked_sub(urls::PREFIXES.len()) {
                None => self.hosts.note(bytes, found.end()),
                Some(pattern) => check_credential(subject, bytes, pattern, found.start(), findings),
            }
        }
    }

    /// Reports the addresses that the searches collected.
    pub(crate) fn finish(self, path: &str, findings: &mut Findings<'_>) {
        self.hosts.report(path, findings);
    }
}

/// Every literal a pattern starts with: those of addresses first, then those of credentials.
///
/// The literals are constants, so building cannot fail; a test asserts that it does not.
static PREFIXES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let literals = urls::PREFIXES.iter().copied().chain(credentials::prefixes());
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(literals).ok()
});

fn check_credential(subject: &str, bytes: &[u8], pattern: usize, start: usize, findings: &mut Findings<'_>) {
    match credentials::examine(pattern, bytes, start) {
        credentials::Examined::Nothing => {}
        credentials::Examined::KeyHeader => {
            let message =
                format!("contains the first line of a private key at byte {start}, without a key after it");
            findings.add(FindingId::EmbeddedKeyHeader, subject, message, None);
        }
        credentials::Examined::Credential { name, shown } => {
            let message = format!("contains what looks like a live {name} at byte {start}");
            findings.add(FindingId::Credential, subject, message, Some(&shown));
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_prefixes_build() {
        assert!(super::PREFIXES.is_some());
    }
}

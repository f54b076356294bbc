//! Text a model reads: invisible characters are refused, suspicious phrases are scored and explained.

mod phrase_table;
mod phrases;
mod words;

use std::collections::BTreeSet;

use super::finding::FindingId;
use super::report::Findings;
use super::unicode::check_text;
use crate::manifest::SkillManifest;
use crate::text::model_visible_text;
use phrases::{Assessment, Intent, assess};

/// Assets below this are written for a model.
pub const PROMPT_ASSETS_PREFIX: &str = "assets/prompts/";
/// All text of a skill for a model; a manifest alone is at most half of it.
const MAX_TEXT_BYTES: usize = 2 << 20;

/// Checks every text of the manifest and every prompt.
pub(super) fn check(manifest: &SkillManifest, entries: &[(&str, &[u8])], findings: &mut Findings<'_>) {
    let mut reader = TextReader { left: MAX_TEXT_BYTES, seen: BTreeSet::new(), findings };
    for field in model_visible_text(manifest) {
        reader.read(&field.pointer, &field.text);
    }
    for (path, bytes) in entries.iter().filter(|(path, _)| path.starts_with(PROMPT_ASSETS_PREFIX)) {
        match std::str::from_utf8(bytes) {
            Ok(text) => reader.read(path, text),
            Err(error) => {
                let message = format!("is not UTF-8 from byte {}", error.valid_up_to());
                reader.findings.add(FindingId::TextNotUtf8, path, message, None);
            }
        }
    }
}

struct TextReader<'audit, 'policy> {
    left: usize,
    /// Texts already looked at: a schema says `string` many times.
    seen: BTreeSet<String>,
    findings: &'audit mut Findings<'policy>,
}

impl TextReader<'_, '_> {
    fn read(&mut self, subject: &str, text: &str) {
        if let Some(left) = self.left.checked_sub(text.len()) {
            self.left = left;
        } else {
            let message = format!("brings the text for models over {MAX_TEXT_BYTES} bytes; it was not read");
            return self.findings.add(FindingId::TextTooLong, subject, message, None);
        }
        if let Err(problem) = check_text(text) {
            let message = format!("{problem}; {}", problem.hint());
            return self.findings.add(FindingId::UnicodeText, subject, message, None);
        }
        if self.seen.insert(text.to_owned()) {
            self.judge(subject, text, &assess(text));
        }
    }

    fn judge(&mut self, subject: &str, text: &str, assessment: &Assessment) {
        let thresholds = self.findings.policy().text;
        let points = assessment.points();
        let id = match assessment.main_intent() {
            None => return,
            Some(_) if points < thresholds.note => return,
            Some(_) if points < thresholds.quarantine => FindingId::TextSuspicious,
            Some(Intent::Instructions) => FindingId::TextInstructions,
            Some(Intent::Concealment) => FindingId::TextConcealment,
            Some(Intent::Credentials) => FindingId::TextCredentialRequest,
        };
        let message = format!(
            "scores {points} points (note from {}, quarantine from {}): {}",
            thresholds.note,
            thresholds.quarantine,
            assessment.explanation()
        );
        self.findings.add(id, subject, message, Some(text));
    }
}

//! Text a model reads: invisible characters are refused, suspicious phrases are scored and explained.

mod groups;
mod phrase_table;
mod phrases;
mod words;

use std::collections::BTreeMap;

use super::finding::FindingId;
use super::report::Findings;
use super::unicode::check_text;
use crate::manifest::SkillManifest;
use crate::text::model_visible_text;
use phrases::{Assessment, Intent, assess};

/// Assets below this path are prompts for a model.
pub const PROMPT_ASSETS_PREFIX: &str = "assets/prompts/";
/// Maximum bytes of a skill's text for models; the manifest is limited to half of it.
const MAX_TEXT_BYTES: usize = 2 << 20;

/// Checks every text of the manifest and every prompt.
pub(super) fn check(manifest: &SkillManifest, entries: &[(&str, &[u8])], findings: &mut Findings<'_>) {
    let mut reader = TextReader { left: MAX_TEXT_BYTES, points: BTreeMap::new(), findings };
    for field in model_visible_text(manifest) {
        reader.read(&field.pointer, &field.text);
    }
    for part in groups::parts(manifest) {
        reader.read_part(&part);
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

/// Checks a name inside a module; only findings that would quarantine a description are reported.
pub(super) fn check_name(subject: &str, text: &str, findings: &mut Findings<'_>) {
    if let Err(problem) = check_text(text) {
        let message = format!("has a name with {problem}; {}", problem.hint());
        return findings.add(FindingId::UnicodeText, subject, message, None);
    }
    let assessment = assess(text);
    if assessment.points() >= findings.policy().text.quarantine {
        report(subject, text, &assessment, findings);
    }
}

/// Checks bytes of a module that may be text; only findings that would quarantine a description are reported.
pub(super) fn check_section(subject: &str, bytes: &[u8], findings: &mut Findings<'_>) {
    let text = String::from_utf8_lossy(bytes);
    let assessment = assess(&text);
    if assessment.points() >= findings.policy().text.quarantine {
        report(subject, &text, &assessment, findings);
    }
}

struct TextReader<'audit, 'policy> {
    left: usize,
    /// The points of texts that were checked, so that repeated words of a schema are checked once.
    points: BTreeMap<String, u32>,
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
        if !self.points.contains_key(text) {
            let assessment = assess(text);
            self.points.insert(text.to_owned(), assessment.points());
            report(subject, text, &assessment, self.findings);
        }
    }

    /// Checks texts that are read together, and reports only phrases that span several of them.
    fn read_part(&mut self, part: &groups::Part<'_>) {
        let mut worst_group = 0;
        for group in part {
            let alone = group.texts.iter().filter_map(|text| self.points.get(*text)).max();
            let known = alone.copied().unwrap_or_default().max(worst_group);
            let joined = group.texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
            let joined = joined.collect::<Vec<_>>().join(" ");
            let assessment = assess(&joined);
            let points = assessment.points();
            if points >= self.findings.policy().text.quarantine && points > known {
                worst_group = points;
                report(&group.pointer, &joined, &assessment, self.findings);
            }
        }
    }
}

fn report(subject: &str, text: &str, assessment: &Assessment, findings: &mut Findings<'_>) {
    let thresholds = findings.policy().text;
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
    findings.add(id, subject, message, Some(text));
}

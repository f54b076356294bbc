//! Characters that are invisible or change how text is displayed. They are refused, not scored.
//!
//! The same check applies to the manifest, the text of schemas and every asset that a model reads, so that
//! the text approved on a screen is the text that the model receives.

use std::fmt;

use unicode_normalization::{UnicodeNormalization, char::canonical_combining_class, is_nfc};
use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};

/// Refuses text that holds something invisible, reordering, unassigned or not in normal form C.
///
/// Newline and tab are the only allowed control characters. Returns the first problem in reading order; the normal
/// form is checked last, because a hidden character is the more useful finding.
pub fn check_text(text: &str) -> Result<(), UnicodeProblem> {
    // Printable ASCII with newlines and tabs, which is most text, has no problem and is always in form C.
    if text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~')) {
        return Ok(());
    }
    let mut previous = None;
    let mut characters = text.char_indices().peekable();
    while let Some((byte, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        if let Some(kind) = classify(previous, character, next) {
            return Err(UnicodeProblem::at(text, byte, character, kind));
        }
        previous = Some(character);
    }
    check_normal_form(text)
}

/// The first character of a text that the audit rejects, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} U+{:04X} at line {line}, column {column}", u32::from(*.character))]
pub struct UnicodeProblem {
    /// The character that was found.
    pub character: char,
    /// The reason why the character is rejected.
    pub kind: UnicodeProblemKind,
    /// Its offset in the text, in bytes.
    pub byte: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
}

impl UnicodeProblem {
    /// Returns advice for the author of the skill.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        self.kind.hint()
    }

    fn at(text: &str, byte: usize, character: char, kind: UnicodeProblemKind) -> Self {
        let before = text.get(..byte).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Self { character, kind, byte, line, column }
    }
}

/// The classes of refused characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnicodeProblemKind {
    /// Changes the direction in which the text around it is drawn.
    BidiControl,
    /// A tag character: copies of ASCII that no font draws.
    Tag,
    /// A joiner, space or filler without width where no script or emoji needs one.
    Invisible,
    /// A variation selector that does not belong to an emoji.
    VariationSelector,
    /// A control character other than newline and tab.
    Control,
    /// A line or paragraph separator that is not a newline.
    Separator,
    /// A character of a private use area, which has no standard meaning.
    PrivateUse,
    /// A noncharacter or a code point without a meaning.
    Unassigned,
    /// Spelled with code points that normal form C writes in another way.
    NotNormal,
}

impl UnicodeProblemKind {
    /// Returns the suggestion for the author.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::BidiControl => "remove it; right-to-left text is laid out correctly without controls",
            Self::Tag => "remove it; this character is invisible and can hide a sentence",
            Self::Invisible => "remove it; a joiner is allowed only inside emoji and in scripts that need it",
            Self::VariationSelector => {
                "remove it; only the emoji and text selectors are allowed, after an emoji"
            }
            Self::Control => {
                "remove it; only newline and tab are allowed, and lines end with a newline alone"
            }
            Self::Separator => "replace it by a newline",
            Self::PrivateUse => "replace it by a character with a public meaning",
            Self::Unassigned => "replace it by an assigned character",
            Self::NotNormal => "save the text in Unicode normal form C (NFC)",
        }
    }
}

impl fmt::Display for UnicodeProblemKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::BidiControl => "bidirectional control",
            Self::Tag => "tag character",
            Self::Invisible => "invisible character",
            Self::VariationSelector => "stray variation selector",
            Self::Control => "control character",
            Self::Separator => "line separator",
            Self::PrivateUse => "private-use character",
            Self::Unassigned => "unassigned code point",
            Self::NotNormal => "text not in normal form C, first differing character",
        })
    }
}

fn classify(previous: Option<char>, character: char, next: Option<char>) -> Option<UnicodeProblemKind> {
    use UnicodeProblemKind as Kind;
    match character {
        '\n' | '\t' | ' '..='~' => None,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            Some(Kind::BidiControl)
        }
        // The flags of England, Scotland and Wales are spelled with tags. Allowing them would also allow a channel
        // in which any ASCII sentence can be hidden.
        '\u{E0000}'..='\u{E007F}' => Some(Kind::Tag),
        '\u{200C}' | '\u{200D}' if joins(previous, character, next) => None,
        '\u{FE0E}' | '\u{FE0F}' if selects(previous, next) => None,
        // The Mongolian selectors and the ideographic ones can carry a byte each and are never needed to read
        // a description.
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' | '\u{180B}'..='\u{180D}' | '\u{180F}' => {
            Some(Kind::VariationSelector)
        }
        _ if is_invisible(character) => Some(Kind::Invisible),
        _ => match character.general_category() {
            GeneralCategory::Control => Some(Kind::Control),
            GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator => Some(Kind::Separator),
            GeneralCategory::PrivateUse => Some(Kind::PrivateUse),
            GeneralCategory::Unassigned | GeneralCategory::Surrogate => Some(Kind::Unassigned),
            _ => None,
        },
    }
}

/// Returns whether a zero-width joiner or non-joiner is used where a script or an emoji requires it.
///
/// There are three such contexts, none of which occurs in Latin text, where a joiner could split a word that a filter
/// searches for: after a virama (Devanagari, Sinhala and related scripts; the rule of RFC 5892 for host names), a
/// non-joiner between two letters of a cursive script (Persian plurals and prefixes), and a joiner between two
/// pictographs. Two joiners in a row match none of them.
fn joins(previous: Option<char>, joiner: char, next: Option<char>) -> bool {
    const VIRAMA: u8 = 9;
    let Some(previous) = previous else { return false };
    if canonical_combining_class(previous) == VIRAMA {
        return true;
    }
    let Some(next) = next else { return false };
    if joiner == '\u{200C}' {
        let script = next.script();
        return matches!(script, Script::Arabic | Script::Syriac | Script::Mandaic | Script::Nko)
            && previous.script() == script;
    }
    let ends_emoji = is_pictograph(previous) || matches!(previous, '\u{1F3FB}'..='\u{1F3FF}' | '\u{FE0F}');
    ends_emoji && is_pictograph(next)
}

/// Returns whether an emoji or text presentation selector follows a character that has both forms.
///
/// A digit, `#` or `*` has two forms only as the start of a keycap.
fn selects(previous: Option<char>, next: Option<char>) -> bool {
    const KEYCAP: char = '\u{20E3}';
    previous.is_some_and(|base| is_pictograph(base) || (base.is_emoji_char() && next == Some(KEYCAP)))
}

fn is_pictograph(character: char) -> bool {
    character.is_emoji_char() && !character.is_emoji_component()
}

/// Returns whether Unicode calls the code point default ignorable, or it is another format character that
/// draws nothing; the ranges include reserved neighbours.
const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{AD}'
            | '\u{34F}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180E}'
            | '\u{200B}'..='\u{200D}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{13430}'..='\u{1343F}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0080}'..='\u{E00FF}'
            | '\u{E01F0}'..='\u{E0FFF}'
    )
}

fn check_normal_form(text: &str) -> Result<(), UnicodeProblem> {
    if is_nfc(text) {
        return Ok(());
    }
    let mut normal = text.nfc();
    for (byte, character) in text.char_indices() {
        if normal.next() != Some(character) {
            return Err(UnicodeProblem::at(text, byte, character, UnicodeProblemKind::NotNormal));
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::UnicodeProblemKind as Kind;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<Kind>) {
        assert_eq!(check_text(text).err().map(|problem| problem.kind), expected, "{}", text.escape_unicode());
    }

    #[test]
    fn honest_text_of_many_scripts_passes() {
        for text in [
            "",
            "Adds a note.\n\tThen lists them.",
            "Crème brûlée – „naïve“ façade…",
            "Přidá poznámku",
            "عربي ١٢٣",
            "می\u{200C}خواهم",
            "עברית",
            "क्\u{200D}ष",
            "ශ්\u{200D}රී",
            "日本語のメモ、한국어, ไทย",
            "👩\u{200D}💻 👨\u{1F3FD}\u{200D}🚀 ❤\u{FE0F}\u{200D}🔥 1\u{FE0F}\u{20E3} 🇨🇿 ☎\u{FE0E}",
            "π ≈ 3.14 № ½",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn what_cannot_be_seen_is_refused() {
        for (text, kind) in [
            ("a\u{202E}b", Kind::BidiControl),
            ("a\u{2066}b", Kind::BidiControl),
            ("\u{61C}a", Kind::BidiControl),
            ("a\u{E0049}", Kind::Tag),
            ("🏴\u{E0067}\u{E007F}", Kind::Tag),
            ("ig\u{200B}nore", Kind::Invisible),
            ("ig\u{200C}nore", Kind::Invisible),
            ("ig\u{200D}nore", Kind::Invisible),
            ("ig\u{2060}nore", Kind::Invisible),
            ("ig\u{AD}nore", Kind::Invisible),
            ("\u{FEFF}text", Kind::Invisible),
            ("a\u{3164}", Kind::Invisible),
            ("👩\u{200D}\u{200D}💻", Kind::Invisible),
            ("👩\u{200D}", Kind::Invisible),
            ("क्\u{200D}\u{200D}ष", Kind::Invisible),
            ("a\u{FE0F}", Kind::VariationSelector),
            ("1\u{FE0F}", Kind::VariationSelector),
            ("❤\u{FE0F}\u{FE0F}", Kind::VariationSelector),
            ("❤\u{FE01}", Kind::VariationSelector),
            ("葛\u{E0100}", Kind::VariationSelector),
            ("a\r\n", Kind::Control),
            ("\u{1B}[2K", Kind::Control),
            ("a\u{85}", Kind::Control),
            ("a\u{2028}b", Kind::Separator),
            ("\u{E000}", Kind::PrivateUse),
            ("\u{10FFFD}", Kind::PrivateUse),
            ("\u{FFFE}", Kind::Unassigned),
            ("\u{FDD0}", Kind::Unassigned),
            ("\u{378}", Kind::Unassigned),
            ("cafe\u{301}", Kind::NotNormal),
            ("\u{212B}", Kind::NotNormal),
        ] {
            check(text, Some(kind));
        }
    }

    #[test]
    fn the_position_is_that_of_the_character() {
        let problem = check_text("first\nsé\u{200B}cond").unwrap_err();
        assert_eq!((problem.line, problem.column, problem.byte), (2, 3, 9));
        assert_eq!(problem.to_string(), "invisible character U+200B at line 2, column 3");
        assert_eq!(check_text("cafe\u{301}").unwrap_err().column, 4);
    }
}

//! Names, and other consecutive words.

use super::found::{Found, FoundValue, Taken};
use super::numbers::follows;
use super::sentence::{Sentence, TokenKind};

/// Verbs of a request, which are never values.
#[rustfmt::skip]
const REQUESTS: [&str; 44] = [
    "add", "analyze", "ask", "book", "calculate", "check", "compute", "convert", "count", "create", "delete", "determine",
    "display", "estimate", "fetch", "find", "generate", "help", "identify", "list", "locate", "look", "make", "open",
    "order", "plan", "play", "predict", "provide", "remind", "remove", "retrieve", "return", "schedule", "search", "send",
    "set", "show", "sort", "start", "translate", "turn", "update", "write",
];

/// Words that end a phrase without being a part of it, sorted.
#[rustfmt::skip]
const BREAKS: [&str; 26] = [
    "above", "after", "against", "around", "before", "below", "between", "called", "concerning", "containing", "during",
    "featuring", "found", "including", "made", "named", "near", "regarding", "selling", "since", "titled", "until", "uses",
    "versus", "within", "without",
];

/// Returns whether a word in lower case is a verb of a request.
pub(super) fn is_request(word: &str) -> bool {
    REQUESTS.binary_search(&word).is_ok()
}

pub(super) fn find(sentence: &Sentence<'_>, before: &Taken, quoted: &[Found]) -> Vec<Found> {
    let mut found = names(sentence, before);
    let phrases = phrases(sentence, before);
    found.extend(phrases);
    let rows = rows(sentence, &found, quoted);
    found.extend(rows);
    found
}

fn names(sentence: &Sentence<'_>, before: &Taken) -> Vec<Found> {
    let mut found = Vec::new();
    let mut index = 0;
    while index < sentence.tokens.len() {
        if !begins_name(sentence, index) || before.has(index) {
            index += 1;
            continue;
        }
        let end = name_end(sentence, index, before);
        let text = sentence.span(index, end).trim_end_matches("'s").trim_end_matches("’s").to_owned();
        found.push(Found { from: index, to: end, value: FoundValue::Name(text) });
        if let Some(end) = place_end(sentence, end, before) {
            found.push(Found {
                from: index,
                to: end,
                value: FoundValue::Name(sentence.span(index, end).to_owned()),
            });
        }
        index = end;
    }
    found
}

fn begins_name(sentence: &Sentence<'_>, index: usize) -> bool {
    let token = &sentence.tokens[index];
    // The first word of a sentence is always capitalized, so that does not make it a name.
    let first = index == 0 || sentence.tokens[index - 1].ends_clause();
    let ordinary = token.is_stop_word() || (first && is_request(&token.lower));
    token.is_capitalised() && !ordinary
}

fn name_end(sentence: &Sentence<'_>, start: usize, before: &Taken) -> usize {
    let continues = |at: usize| {
        sentence.token(at).is_some_and(|token| {
            !before.has(at)
                && ((token.is_capitalised() && !token.is_stop_word())
                    || (token.kind == TokenKind::Number && token.text.len() < 4 && at > start))
        })
    };
    let mut end = start + 1;
    loop {
        if sentence.tokens[end - 1].text.ends_with("'s") && !continues(end) {
            return end;
        }
        let initial = sentence.lower(end) == "." && is_initial(sentence, end - 1);
        if continues(end) || initial {
            end += 1;
        } else if matches!(sentence.lower(end), "of" | "&" | "vs" | "de" | "la" | "van" | "von" | "del")
            && continues(end + 1)
        {
            end += 2;
        } else if sentence.lower(end) == "of" && sentence.lower(end + 1) == "the" && continues(end + 2) {
            end += 3;
        } else {
            return end;
        }
    }
}

/// Returns whether a token is a capital letter directly followed by a dot, as in `D.C.`.
fn is_initial(sentence: &Sentence<'_>, at: usize) -> bool {
    sentence.joined(at)
        && sentence.token(at).is_some_and(|token| token.is_capitalised() && token.text.len() == 1)
}

/// Returns the end of `, France` or `, CA` after a name, unless a list follows.
fn place_end(sentence: &Sentence<'_>, end: usize, before: &Taken) -> Option<usize> {
    if sentence.lower(end) != "," || !sentence.token(end + 1)?.is_capitalised() || before.has(end + 1) {
        return None;
    }
    let to = name_end(sentence, end + 1, before);
    (!matches!(sentence.lower(to), "," | "and" | "or")).then_some(to)
}

/// Finds runs of words that are neither names nor common words.
fn phrases(sentence: &Sentence<'_>, before: &Taken) -> Vec<Found> {
    let fits = |at: usize| {
        sentence.token(at).is_some_and(|token| {
            token.is_word()
                && !token.is_stop_word()
                && !is_request(&token.lower)
                && BREAKS.binary_search(&token.lower.as_str()).is_err()
                && !before.has(at)
        })
    };
    let mut found = Vec::new();
    let mut index = 0;
    while index < sentence.tokens.len() {
        if !fits(index) {
            index += 1;
            continue;
        }
        let mut end = index + 1;
        while fits(end) {
            end += 1;
        }
        let text = sentence.span(index, end).to_owned();
        found.push(Found { from: index, to: end, value: FoundValue::Phrase(text) });
        index = end;
    }
    found
}

/// Finds lists: names, quoted texts or phrases with commas or `and` between them.
fn rows(sentence: &Sentence<'_>, found: &[Found], quoted: &[Found]) -> Vec<Found> {
    let mut items: Vec<&Found> = found.iter().chain(quoted).collect();
    items.sort_by_key(|found| (found.from, std::cmp::Reverse(found.to)));
    items.dedup_by(|later, earlier| later.overlaps(earlier));
    let mut rows = Vec::new();
    let mut start = 0;
    while start < items.len() {
        let mut end = start + 1;
        while end < items.len() && follows(sentence, items[end - 1].to, items[end].from) {
            end += 1;
        }
        let texts: Vec<String> =
            items[start..end].iter().filter_map(|found| found.text()).map(str::to_owned).collect();
        if texts.len() > 1 {
            let (from, to) = (items[start].from, items[end - 1].to);
            rows.push(Found { from, to, value: FoundValue::Texts(texts) });
        }
        start = end;
    }
    rows
}

impl Found {
    /// Returns the text of a textual value.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            FoundValue::Quoted(text)
            | FoundValue::Name(text)
            | FoundValue::Phrase(text)
            | FoundValue::Email(text)
            | FoundValue::Url(text)
            | FoundValue::Path(text)
            | FoundValue::Moment { text, .. } => Some(text),
            _ => None,
        }
    }
}

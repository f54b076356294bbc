//! Text as comparable terms: lower-case stems without stop words.

use rust_stemmers::{Algorithm, Stemmer};

/// Longest word that is compared, in bytes.
const MAX_WORD_BYTES: usize = 64;

/// Words that are no help to find a subject, sorted.
#[rustfmt::skip]
const STOPWORDS: [&str; 123] = [
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by", "can",
    "could", "did", "do", "does", "doing", "each", "for", "from", "get", "give", "given", "had", "has", "have", "having",
    "he", "her", "here", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "know", "let", "like",
    "ll", "many", "may", "me", "might", "more", "much", "must", "my", "need", "no", "not", "of", "on", "only", "or", "our",
    "out", "over", "please", "re", "s", "shall", "she", "should", "so", "some", "such", "t", "take", "tell", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too", "under", "up", "us", "use",
    "used", "using", "ve", "very", "via", "want", "was", "way", "we", "were", "what", "what's", "when", "where", "whether",
    "which", "while", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];

/// Returns whether a word in lower case is a stop word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOPWORDS.binary_search(&word).is_ok()
}

/// Returns the stem of a word in lower case.
pub(crate) fn stem(word: &str) -> String {
    // The algorithm knows ASCII endings and may cut inside of other letters.
    if !word.is_ascii() {
        return word.to_owned();
    }
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

/// Returns the terms of a text in order: `getWeatherFor_city2` gives `weather`, `citi`, `2`.
pub(crate) fn terms(text: &str) -> impl Iterator<Item = String> {
    pieces(text)
        .map(str::to_lowercase)
        .filter(|word| word.len() <= MAX_WORD_BYTES && !is_stop_word(word))
        .map(|word| stem(&word))
}

/// Splits a text at everything that is not a letter or digit, at `aB` and between letters and digits.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(split_case).filter(|piece| !piece.is_empty())
}

fn split_case(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let mut chars = rest.char_indices();
        let (_, mut before) = chars.next()?;
        let end = chars.find_map(|(at, c)| {
            let boundary =
                (before.is_lowercase() && c.is_uppercase()) || before.is_numeric() != c.is_numeric();
            before = c;
            boundary.then_some(at)
        });
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOPWORDS.is_sorted());
    }

    #[test]
    fn terms_split_identifiers_and_drop_endings() {
        let found: Vec<String> = terms("getWeatherFor_city2 of the Houses — Übungen").collect();
        assert_eq!(found, ["weather", "citi", "2", "hous", "übungen"]);
        assert_eq!(terms(&"x".repeat(1_000)).count(), 0);
    }
}

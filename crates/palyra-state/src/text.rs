//! Names: those of others as the journal can hold them, and ids of our own.

/// A principal's name, never longer than a field of the journal, with nothing in it that forges a line.
pub(crate) fn short_name(name: &str) -> String {
    clipped(name, 100)
}

/// The first letters of a text of others, with nothing in it that forges a line.
pub(crate) fn clipped(text: &str, letters: usize) -> String {
    let end = text.char_indices().nth(letters).map_or(text.len(), |(end, _)| end);
    palyra_common::redact::escape_untrusted(text.get(..end).unwrap_or_default())
}

/// An id that sorts by time, which keeps indexes small.
pub(crate) fn time_sorted_id(prefix: &str) -> Result<String, String> {
    let mut random = [0; 10];
    getrandom::fill(&mut random).map_err(|error| format!("there is no randomness: {error}"))?;
    let now = u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or(0);
    Ok(format!("{prefix}_{now:012x}{}", hex::encode(random)))
}

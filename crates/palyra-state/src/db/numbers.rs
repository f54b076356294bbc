//! Numbers as SQLite keeps them: with a sign, at most so large.

/// As the database holds it; what is larger than that is the largest there is.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// As it was meant; a value that we never write counts as absent.
pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

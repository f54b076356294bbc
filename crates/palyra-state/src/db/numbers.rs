//! Conversion between `u64` and the signed integers of SQLite.

/// Converts to the database's type, saturating at `i64::MAX`.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts from the database's type; a negative value, which is never written, becomes 0.
pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

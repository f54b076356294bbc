//! Byte counts with suffixes: `65536`, `64k`, `64KiB`, `4 MiB`.

/// Parses a byte count; suffixes are powers of 1,024.
///
/// Accepted suffixes, case ignored: none or `b`, `k`/`kb`/`kib`, `m`/`mb`/`mib`, `g`/`gb`/`gib`.
/// Underscores and commas may group digits.
pub fn parse_byte_size(text: &str) -> Result<u64, ByteSizeError> {
    let error = || ByteSizeError { text: text.chars().take(64).collect() };
    let trimmed = text.trim();
    let digits_end =
        trimmed.find(|c: char| !(c.is_ascii_digit() || c == '_' || c == ',')).unwrap_or(trimmed.len());
    let (digits, suffix) = trimmed.split_at(digits_end);
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let count: u64 = digits.parse().map_err(|_| error())?;
    let shift = match suffix.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err(error()),
    };
    count.checked_mul(1 << shift).ok_or_else(error)
}

/// Writes a byte count with the largest suffix that divides it; [`parse_byte_size`] reads it back.
pub fn format_byte_size(bytes: u64) -> String {
    match bytes {
        0 => "0".into(),
        n if n % (1 << 30) == 0 => format!("{}GiB", n >> 30),
        n if n % (1 << 20) == 0 => format!("{}MiB", n >> 20),
        n if n % (1 << 10) == 0 => format!("{}KiB", n >> 10),
        n => n.to_string(),
    }
}

/// Text that is not a byte count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid byte count `{text}`")]
pub struct ByteSizeError {
    /// The text, cut to 64 characters.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, expected) in [
            ("0", 0),
            ("65536", 65_536),
            ("1_000", 1_000),
            ("64k", 65_536),
            ("64 KiB", 65_536),
            ("4MB", 4 << 20),
            ("1g", 1 << 30),
        ] {
            assert_eq!(parse_byte_size(text), Ok(expected), "{text}");
        }
        for text in ["", "k", "-1", "1.5m", "1t", "99999999999999999999", "18446744073709551615k", "1 k k"] {
            assert!(parse_byte_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn writes_what_it_reads() {
        for bytes in [0, 1, 1023, 1024, 1536, 1 << 20, 3 << 30, u64::MAX] {
            assert_eq!(parse_byte_size(&format_byte_size(bytes)), Ok(bytes));
        }
    }
}

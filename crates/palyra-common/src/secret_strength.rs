//! Estimates how hard a secret is to guess.

/// Minimum estimated entropy of a secret, in bits. A guest or host with many attempts can guess a weaker one.
pub const MIN_SECRET_BITS: f64 = 40.0;

/// Returns whether a value is easy to guess: too short, too few kinds of characters, or repeated or consecutive
/// characters.
///
/// The estimate is an upper bound. A dictionary word can pass, while a random key always passes from ten characters on.
pub fn is_weak_secret(value: &[u8]) -> bool {
    estimated_bits(value) < MIN_SECRET_BITS
}

fn estimated_bits(value: &[u8]) -> f64 {
    let has = |class: fn(&u8) -> bool| value.iter().any(class);
    let classes = [
        (has(u8::is_ascii_digit), 10.0),
        (has(u8::is_ascii_lowercase), 26.0),
        (has(u8::is_ascii_uppercase), 26.0),
        (has(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()), 33.0),
        (has(|byte| !byte.is_ascii()), 128.0),
    ];
    let alphabet: f64 = classes.iter().filter(|(present, _)| *present).map(|(_, size)| size).sum();
    // A character that repeats or continues the previous one adds nothing.
    let follows = |pair: &&[u8]| pair[0].abs_diff(pair[1]) <= 1;
    let surprising = value.len().saturating_sub(value.windows(2).filter(follows).count());
    let mut seen = [false; 256];
    value.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let distinct = seen.iter().filter(|seen| **seen).count();
    let length = u32::try_from(surprising.min(distinct.saturating_mul(2))).unwrap_or(u32::MAX);
    f64::from(length) * alphabet.max(1.0).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guessable_values_are_weak_and_drawn_ones_are_not() {
        for weak in [
            "",
            "a",
            "1234",
            "483920",
            "12345678",
            "aaaaaaaaaaaaaaaa",
            "abcdefghijklmnop",
            "password",
            "abababababab",
        ] {
            assert!(is_weak_secret(weak.as_bytes()), "{weak}");
        }
        for strong in
            ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "hunter2hunter2", "k3v9x2m8q1", "0f3c9a7be2d14856"]
        {
            assert!(!is_weak_secret(strong.as_bytes()), "{strong}");
        }
    }
}

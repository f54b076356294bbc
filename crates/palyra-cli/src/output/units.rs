//! Numbers as people read them.

use std::time::Duration;

/// `10,000,000`.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `64 KiB`, `1.5 MiB`.
pub(crate) fn bytes(number: u64) -> String {
    let scales = [(1_u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match scales.into_iter().find(|(scale, _)| number >= *scale) {
        None => format!("{number} B"),
        Some((scale, unit)) if number.is_multiple_of(scale) => format!("{} {unit}", number / scale),
        Some((scale, unit)) => format!("{:.1} {unit}", number as f64 / scale as f64),
    }
}

/// `120 µs`, `3.4 ms`, `2.5 s`.
pub(crate) fn duration(time: Duration) -> String {
    match time.as_micros() {
        micros @ 0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{:.1} ms", time.as_secs_f64() * 1_000.0),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let counts = [0, 999, 1_000, 10_000_000, 1_234_567_890].map(count);
        assert_eq!(counts, ["0", "999", "1,000", "10,000,000", "1,234,567,890"]);
        let sizes = [0, 1_023, 65_536, 1_572_864, 1 << 30].map(bytes);
        assert_eq!(sizes, ["0 B", "1023 B", "64 KiB", "1.5 MiB", "1 GiB"]);
        let times = [0, 999, 1_000, 3_440, 2_500_000].map(|micros| duration(Duration::from_micros(micros)));
        assert_eq!(times, ["0 µs", "999 µs", "1.0 ms", "3.4 ms", "2.5 s"]);
    }
}

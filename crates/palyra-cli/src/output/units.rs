//! Formats numbers for people.

use std::time::Duration;

/// Formats a number such as `10,000,000`.
pub(crate) fn count(number: u64) -> String {
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

/// Formats a size such as `64 KiB` or `1.5 MiB`.
pub(crate) fn bytes(number: u64) -> String {
    let scales = [(1_u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match scales.into_iter().find(|(scale, _)| number >= *scale) {
        None => format!("{number} B"),
        Some((scale, unit)) if number.is_multiple_of(scale) => format!("{} {unit}", number / scale),
        Some((scale, unit)) => format!("{:.1} {unit}", number as f64 / scale as f64),
    }
}

/// Formats a count such as `1 run` or `10,000 runs`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Formats a duration such as `120 µs`, `3.4 ms`, `2.5 s`, `3 min 20 s`, `5 h 10 min` or `2 d 4 h`.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match time.as_micros() {
        micros @ 0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{:.1} ms", time.as_secs_f64() * 1_000.0),
        _ if seconds < 60 => format!("{:.1} s", time.as_secs_f64()),
        _ if seconds < 3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ if seconds < 86_400 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// Formats a duration measured in whole milliseconds: `< 1 ms`, `7 ms`, `2.5 s`.
pub(crate) fn milliseconds(time: u64) -> String {
    match time {
        0 => "< 1 ms".to_owned(),
        1..1_000 => format!("{time} ms"),
        _ => duration(Duration::from_millis(time)),
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
        let long = [200, 18_600, 187_200].map(|seconds| duration(Duration::from_secs(seconds)));
        assert_eq!(long, ["3 min 20 s", "5 h 10 min", "2 d 4 h"]);
        assert_eq!([0, 7, 2_500].map(milliseconds), ["< 1 ms", "7 ms", "2.5 s"]);
        assert_eq!([0, 1, 1_234].map(|number| counted(number, "run")), ["0 runs", "1 run", "1,234 runs"]);
    }
}

//! Formats models for people.

use crate::output::facts;
use palyra_api::models::{Model, ModelPrice};

/// Number of millionths in one unit of the currency.
const MILLION: u64 = 1_000_000;

/// Formats every field of a model.
pub(super) fn model(model: &Model) -> String {
    let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    facts(&[
        ("name", model.name.clone()),
        ("protocol", model.protocol.clone()),
        ("provider", place(model)),
        ("model", model.model.clone()),
        ("key", model.key.clone().unwrap_or_default()),
        ("context", number(model.context_tokens)),
        ("longest answer", number(model.max_output_tokens)),
        ("price", model.price.map(price).unwrap_or_default()),
        ("small", if model.small { "yes: it fills in arguments" } else { "" }.to_owned()),
        ("default", if model.is_default { "yes" } else { "no" }.to_owned()),
    ])
}

/// Formats the base URL, with a remark if loopback is permitted.
pub(super) fn place(model: &Model) -> String {
    let local = if model.allow_loopback { " (loopback allowed)" } else { "" };
    format!("{}{local}", model.base_url)
}

fn price(price: ModelPrice) -> String {
    format!("{} / {} per million tokens", money(price.input), money(price.output))
}

/// Formats millionths as a decimal number.
pub(super) fn money(millionths: u64) -> String {
    let text = format!("{}.{:06}", millionths / MILLION, millionths % MILLION);
    let cut = text.trim_end_matches('0');
    let least = text.len() - 4;
    text[..cut.len().max(least)].to_owned()
}

/// Parses a decimal amount; returns millionths.
pub(super) fn parse_money(text: &str) -> Result<u64, String> {
    let bad = || format!("`{text}` is not an amount such as `0.25`");
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 6 {
        return Err(bad());
    }
    let whole: u64 = whole.parse().map_err(|_| bad())?;
    let part: u64 = format!("{part:0<6}").parse().map_err(|_| bad())?;
    whole.checked_mul(MILLION).and_then(|whole| whole.checked_add(part)).ok_or_else(bad)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::{money, parse_money};

    #[test]
    fn amounts_read_back() {
        for (text, millionths) in
            [("0.25", 250_000), ("3.00", 3_000_000), ("0.075", 75_000), ("12.345678", 12_345_678)]
        {
            assert_eq!(parse_money(text), Ok(millionths));
            assert_eq!(money(millionths), text);
        }
        assert_eq!(parse_money("3"), Ok(3_000_000));
        for bad in ["", ".", "-1", "1.", "0.1234567", "1e3", "99999999999999999999", "1,5"] {
            assert!(parse_money(bad).is_err(), "{bad}");
        }
    }
}

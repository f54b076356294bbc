//! Numbers as requests may state them: never above what every reader of JSON gets right.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// The largest whole number of a request.
pub const MAX_WHOLE: u64 = (1 << 53) - 1;
/// The longest lifetime of a token, in seconds: a hundred years.
pub const MAX_LIFETIME_SECONDS: u64 = 3_155_760_000;

/// Reads a number that may be left out: `#[serde(default, deserialize_with = "palyra_api::bounds::whole")]`.
pub fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    at_most(deserializer, MAX_WHOLE)
}

/// Reads a lifetime that may be left out.
pub fn lifetime<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    at_most(deserializer, MAX_LIFETIME_SECONDS)
}

fn at_most<'de, D: Deserializer<'de>>(deserializer: D, most: u64) -> Result<Option<u64>, D::Error> {
    match Option::<u64>::deserialize(deserializer)? {
        Some(number) if number > most => Err(D::Error::custom(format!("`{number}` is above {most}"))),
        number => Ok(number),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Asked {
        #[serde(default, deserialize_with = "whole")]
        number: Option<u64>,
    }

    #[test]
    fn a_number_past_the_bound_is_refused_and_none_is_none() {
        let read = |text: &str| serde_json::from_str::<Asked>(text).map(|asked| asked.number);
        assert_eq!(read("{}").unwrap(), None);
        assert_eq!(read(r#"{"number":9007199254740991}"#).unwrap(), Some(MAX_WHOLE));
        assert!(read(r#"{"number":9007199254740992}"#).unwrap_err().to_string().contains("is above"));
        assert!(read(r#"{"number":9223372036854775808}"#).is_err());
    }
}

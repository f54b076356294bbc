//! Words of the HTTP API as enums: `awaiting_consent` is `SKILL_STATUS_AWAITING_CONSENT`.

use palyra_common::ErrorCode;
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::Problem;

/// A Protobuf enum whose values are words in the HTTP API.
pub trait Word: Copy + Into<i32> + TryFrom<i32> {
    /// Common prefix of the Protobuf names of its values, such as `SKILL_STATUS_`.
    const PREFIX: &'static str;

    /// Returns the value of a full Protobuf name.
    fn of_name(name: &str) -> Option<Self>;

    /// Returns the full Protobuf name.
    fn name(self) -> &'static str;
}

include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// Reads the enum value of a word.
pub(super) fn read_one<'de, W: Word, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
    of_word::<W>(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// Reads the enum value of an optional word.
pub(super) fn read_maybe<'de, W: Word, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<i32>, D::Error> {
    let word = Option::<String>::deserialize(deserializer)?;
    word.map(|word| of_word::<W>(&word).map_err(D::Error::custom)).transpose()
}

/// Reads the enum values of a list of words.
pub(super) fn read_list<'de, W: Word, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i32>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    words.iter().map(|word| of_word::<W>(word).map_err(D::Error::custom)).collect()
}

/// Writes the word of an enum value.
pub(super) fn write_one<W: Word, S: Serializer>(value: &i32, serializer: S) -> Result<S::Ok, S::Error> {
    to_word::<W>(*value).map_err(S::Error::custom)?.serialize(serializer)
}

/// Writes the words of enum values.
pub(super) fn write_list<W: Word, S: Serializer>(values: &[i32], serializer: S) -> Result<S::Ok, S::Error> {
    let words: Result<Vec<_>, _> = values.iter().map(|value| to_word::<W>(*value)).collect();
    words.map_err(S::Error::custom)?.serialize(serializer)
}

/// Returns whether an enum value is unspecified.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
pub(super) fn is_unspecified(value: &i32) -> bool {
    *value == 0
}

/// Returns the word of an enum value.
fn to_word<W: Word>(value: i32) -> Result<String, String> {
    let unknown = || format!("`{value}` is not a value of `{}`", W::PREFIX.trim_end_matches('_'));
    let name = W::try_from(value).map_err(|_| unknown())?.name();
    let word = name.strip_prefix(W::PREFIX).unwrap_or(name).to_ascii_lowercase();
    if word == "unspecified" { Err(unknown()) } else { Ok(word) }
}

fn of_word<W: Word>(word: &str) -> Result<i32, String> {
    let value = W::of_name(&format!("{}{}", W::PREFIX, word.to_ascii_uppercase()));
    value.map(Into::into).ok_or_else(|| format!("`{word}` is not a value of `{}`", W::PREFIX))
}

/// Converts an enum value of a request to the type of the HTTP API; returns `None` if it is unspecified.
pub fn asked<W: Word, T: DeserializeOwned>(value: i32) -> Result<Option<T>, Problem> {
    if is_unspecified(&value) {
        return Ok(None);
    }
    let refused = |reason: String| Problem::new(ErrorCode::Usage, reason);
    let word = to_word::<W>(value).map_err(refused)?;
    serde_json::from_value(Value::String(word)).map(Some).map_err(|error| refused(error.to_string()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::approvals::ApprovalScope as Scope;
    use crate::grpc::gateway::v1::ApprovalScope;
    use crate::grpc::skills::v1::SkillStatus;

    #[test]
    fn words_both_ways() {
        assert_eq!(of_word::<SkillStatus>("awaiting_consent"), Ok(SkillStatus::AwaitingConsent.into()));
        assert!(of_word::<SkillStatus>("unheard_of").unwrap_err().contains("`unheard_of`"));
        assert_eq!(asked::<ApprovalScope, Scope>(2).unwrap(), Some(Scope::Run));
        assert_eq!(asked::<ApprovalScope, Scope>(0).unwrap(), None);
        assert_eq!(asked::<ApprovalScope, Scope>(77).unwrap_err().code.as_str(), "usage");
    }
}

//! Words of the HTTP API as enums: `awaiting_consent` is `SKILL_STATUS_AWAITING_CONSENT`.

use palyra_common::ErrorCode;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::Problem;

/// An enum whose values are words elsewhere.
pub trait Word: Copy + Into<i32> + TryFrom<i32> {
    /// What the names of its values begin with.
    const PREFIX: &'static str;

    /// The value of a whole name.
    fn of_name(name: &str) -> Option<Self>;

    /// Its whole name.
    fn name(self) -> &'static str;
}

include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// The value of a word.
pub(super) fn one<'de, W: Word, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
    of_word::<W>(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// The value of a word, if there is one.
pub(super) fn maybe<'de, W: Word, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i32>, D::Error> {
    let word = Option::<String>::deserialize(deserializer)?;
    word.map(|word| of_word::<W>(&word).map_err(D::Error::custom)).transpose()
}

fn of_word<W: Word>(word: &str) -> Result<i32, String> {
    let value = W::of_name(&format!("{}{}", W::PREFIX, word.to_ascii_uppercase()));
    value.map(Into::into).ok_or_else(|| format!("`{word}` is no word of `{}`", W::PREFIX))
}

/// What a request says in an enum, in the shape of the HTTP API; none where it says nothing.
pub fn asked<W: Word, T: DeserializeOwned>(value: i32) -> Result<Option<T>, Problem> {
    let unknown = || Problem::new(ErrorCode::Usage, format!("`{value}` is no value of `{}`", W::PREFIX));
    let word = W::try_from(value).map_err(|_| unknown())?.name();
    let word = word.strip_prefix(W::PREFIX).unwrap_or(word).to_ascii_lowercase();
    match word.as_str() {
        "unspecified" => Ok(None),
        _ => serde_json::from_value(Value::String(word)).map(Some).map_err(|_| unknown()),
    }
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

//! Lists and maps that fail at their limit instead of collecting further elements.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::text::{Name, Rule};

/// Reads a list of at most `MAX` values.
pub(crate) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>, const MAX: usize>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Bounded<T, const MAX: usize>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Bounded<T, MAX> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::new();
            while let Some(value) = sequence.next_element()? {
                if list.len() == MAX {
                    return Err(A::Error::custom(format!("more than {MAX} entries")));
                }
                list.push(value);
            }
            Ok(list)
        }
    }
    deserializer.deserialize_seq(Bounded::<T, MAX>(PhantomData))
}

/// Reads an object of at most `MAX` members with different, acceptable names.
pub(crate) fn map<'de, D: Deserializer<'de>, T: Deserialize<'de>, const MAX: usize>(
    deserializer: D,
) -> Result<BTreeMap<String, T>, D::Error> {
    struct Bounded<T, const MAX: usize>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Bounded<T, MAX> {
        type Value = BTreeMap<String, T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
            let mut map = BTreeMap::new();
            while let Some(NameText(name)) = members.next_key()? {
                if map.len() == MAX {
                    return Err(A::Error::custom(format!("more than {MAX} members")));
                }
                let value = members.next_value()?;
                if let Some(_first) = map.insert(name.clone(), value) {
                    return Err(A::Error::custom(format!("duplicate key `{name}`")));
                }
            }
            Ok(map)
        }
    }
    deserializer.deserialize_map(Bounded::<T, MAX>(PhantomData))
}

/// The name of a member.
struct NameText(String);

impl<'de> Deserialize<'de> for NameText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Name::check(&name).map_err(|reason| D::Error::custom(format!("key `{name}`: {reason}")))?;
        Ok(Self(name))
    }
}

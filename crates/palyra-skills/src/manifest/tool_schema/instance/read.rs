//! Parses JSON text to a value that borrows from it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::{Instance, Members};
use crate::manifest::error::clip;

impl<'de> Deserialize<'de> for Instance<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Instance<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Instance<'de>, E> {
        Ok(Instance::Null)
    }

    fn visit_bool<E>(self, boolean: bool) -> Result<Instance<'de>, E> {
        Ok(Instance::Boolean(boolean))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Instance<'de>, E> {
        Ok(Instance::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Instance<'de>, E> {
        Ok(Instance::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Instance<'de>, E> {
        Number::from_f64(number).map(Instance::Number).ok_or_else(|| E::custom("an infinite number"))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Instance<'de>, E> {
        Ok(Instance::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Instance<'de>, E> {
        Ok(Instance::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Instance<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Instance::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Instance<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some((Name(name), value)) = map.next_entry()? {
            members.push((name, value));
        }
        let twice = |name: Cow<'_, str>| A::Error::custom(format!("duplicate key `{}`", clip(&name)));
        Members::new(members).map(Instance::Object).map_err(twice)
    }
}

/// The name of a member; that of a `Cow` would always be copied.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyName;

        impl<'de> Visitor<'de> for AnyName {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }

        deserializer.deserialize_str(AnyName)
    }
}

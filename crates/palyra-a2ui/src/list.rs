//! Items, one below the other.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::bounded;
use crate::component::Tone;
use crate::limits::MAX_ITEMS;
use crate::table::Cell;
use crate::text::{self, Line, Lines, Rule};

/// Items, one below the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Whether items are numbered, from 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ordered: bool,
    /// The items.
    #[serde(deserialize_with = "bounded::list::<_, _, MAX_ITEMS>")]
    #[schemars(length(max = MAX_ITEMS))]
    pub items: Vec<Item>,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Item {
    /// Text.
    Text(String),
    /// A label with what belongs to it.
    Row(ListRow),
}

/// A label with what belongs to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRow {
    /// Subject of the row.
    #[serde(deserialize_with = "text::string::<_, Line>")]
    pub label: String,
    /// Its value.
    #[serde(default, skip_serializing_if = "Cell::is_null")]
    pub value: Cell,
    /// More about it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "text::optional::<_, Lines>"
    )]
    pub detail: Option<String>,
    /// Its purpose.
    #[serde(default, skip_serializing_if = "Tone::is_normal")]
    pub tone: Tone,
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrRow;
        impl<'de> Visitor<'de> for TextOrRow {
            type Value = Item;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an object with `label`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Item, E> {
                Lines::check(text).map_err(E::custom)?;
                Ok(Item::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Item, A::Error> {
                ListRow::deserialize(MapAccessDeserializer::new(members)).map(Item::Row)
            }
        }
        deserializer.deserialize_any(TextOrRow)
    }
}

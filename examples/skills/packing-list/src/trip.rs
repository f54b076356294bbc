//! What is known of a trip.

use palyra_plugins_sdk::prelude::*;

/// Longest name of a destination.
pub(crate) const MAX_DESTINATION: u32 = 80;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Climate {
    Hot,
    Mild,
    Cold,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Transport {
    Plane,
    Train,
    Car,
}

impl Climate {
    pub(crate) const NAMES: [&str; 3] = ["hot", "mild", "cold"];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Mild => "mild",
            Self::Cold => "cold",
        }
    }

    /// What people do there, and what each needs.
    pub(crate) fn activities(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            Self::Hot => &[
                ("beach", &["swimwear", "beach towel", "flip-flops"]),
                ("hiking", &["sun hat", "hiking shoes", "water bottle"]),
                ("dinner", &["light evening clothes"]),
                ("work", &["laptop and charger"]),
            ],
            Self::Mild => &[
                ("city", &["comfortable shoes", "umbrella"]),
                ("hiking", &["hiking shoes", "rain jacket", "water bottle"]),
                ("dinner", &["evening clothes"]),
                ("work", &["laptop and charger"]),
            ],
            Self::Cold => &[
                ("skiing", &["ski wear", "ski goggles", "gloves"]),
                ("hiking", &["warm boots", "thermos"]),
                ("sauna", &["swimwear", "towel"]),
                ("work", &["laptop and charger"]),
            ],
        }
    }
}

impl Transport {
    pub(crate) const NAMES: [&str; 3] = ["plane", "train", "car"];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plane => "plane",
            Self::Train => "train",
            Self::Car => "car",
        }
    }

    pub(crate) fn needs(self) -> &'static [&'static str] {
        match self {
            Self::Plane => &["boarding pass", "clear bag for liquids", "headphones"],
            Self::Train => &["ticket", "book", "headphones"],
            Self::Car => &["driving licence", "sunglasses", "phone mount"],
        }
    }
}

/// A destination as documents take it: one line of plain characters.
pub(crate) fn checked_destination(text: &str) -> Result<&str, ToolError> {
    let text = text.trim();
    let fits = (1..=MAX_DESTINATION as usize).contains(&text.chars().count());
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | ',' | '.' | '\'' | '’' | '-' | '(' | ')' | '/');
    match fits && text.chars().all(plain) {
        true => Ok(text),
        false => {
            let message = format!("a destination is 1 to {MAX_DESTINATION} letters, digits and blanks");
            Err(ToolError::new("bad_destination", message))
        }
    }
}

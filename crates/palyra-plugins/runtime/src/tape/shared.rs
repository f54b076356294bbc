//! Serializes the shared parts of a tape as the values they share.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

pub(super) fn serialize<T: Serialize + ?Sized, S: Serializer>(
    value: &Arc<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.as_ref().serialize(serializer)
}

pub(super) fn deserialize<'de, T: ?Sized, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<T>, D::Error>
where
    Box<T>: Deserialize<'de>,
{
    Box::<T>::deserialize(deserializer).map(Arc::from)
}

/// 32 bytes in lower-case hexadecimal.
pub(super) mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _, ser::Error as _};

    pub(in crate::tape) fn serialize<S: Serializer>(
        bytes: &[u8; 32],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut digits = [0; 64];
        hex::encode_to_slice(bytes, &mut digits).map_err(S::Error::custom)?;
        serializer.serialize_str(std::str::from_utf8(&digits).map_err(S::Error::custom)?)
    }

    pub(in crate::tape) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[u8; 32], D::Error> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(String::deserialize(deserializer)?, &mut bytes).map_err(D::Error::custom)?;
        Ok(bytes)
    }
}

/// JSON text is written as a string, so that it is read back byte for byte.
pub(super) mod json_text {
    use palyra_common::JsonText;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(in crate::tape) fn serialize<S: Serializer>(
        text: &JsonText,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text.as_str())
    }

    pub(in crate::tape) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<JsonText, D::Error> {
        JsonText::from_text(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Like `json_text`, for an optional text.
pub(super) mod json_text_or_none {
    use palyra_common::JsonText;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(in crate::tape) fn serialize<S: Serializer>(
        text: &Option<JsonText>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        text.as_ref().map(JsonText::as_str).serialize(serializer)
    }

    pub(in crate::tape) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<JsonText>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(JsonText::from_text).transpose().map_err(D::Error::custom)
    }
}

//! From the words of the libraries to those of the API, where both have the same form.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::answer::Failure;

/// The same value as a shape of the API.
pub(super) fn shape<T: DeserializeOwned>(value: &impl Serialize) -> Result<T, Failure> {
    Ok(crate::shape::shape(value)?)
}

//! From the words of the libraries to those of the API, where both have the same form.

use palyra_api::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The same value as a shape of the API; both are read and written by the same names, which the tests compare.
pub(crate) fn shape<T: DeserializeOwned>(value: &impl Serialize) -> Result<T, Problem> {
    let made = serde_json::to_value(value).and_then(serde_json::from_value);
    made.map_err(|error| Problem::new("internal", format!("an answer has no shape of the API: {error}")))
}

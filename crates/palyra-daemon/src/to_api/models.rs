//! Models, their prices and their use.

use palyra_api::models as api;
use palyra_models::{ModelError, Usage};

use super::ToApi;

convert_fields! {
    Usage => api::ModelUsage { input_tokens, output_tokens, cached_input_tokens, reasoning_tokens }
}

impl ToApi for ModelError {
    type Api = api::ModelFailure;

    fn to_api(&self) -> api::ModelFailure {
        api::ModelFailure { code: self.code().to_string(), message: self.to_string() }
    }
}

//! Models: the providers that an operator configured for the agent, in one sealed row.

mod record;
mod store;

pub(crate) use record::ModelSettings;
pub use record::{ModelPrice, ModelRecord};
pub use store::ModelStore;

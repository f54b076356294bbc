//! A host in memory, so that an author tests a guest without wasm.
//!
//! Grants are the lines of `--grant`; what they do not cover is denied, and a denied or over-quota call
//! ends the run with that verdict even if the guest swallows the error, as on the real host. Handles are
//! drawn anew for each call. Two things differ: a `static` of the guest keeps its value from call to call,
//! which no guest can do on the host, and answers are not searched for secrets.

mod error;
mod grants;
mod handles;
mod harness;
pub(crate) mod host;
mod http_rule;
mod names;
mod secret_grant;
mod state;
mod url;

pub use error::{GrantLineError, RunError};
pub use harness::Harness;
pub use state::{LogLine, Message, SentRequest};

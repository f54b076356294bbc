//! A host in memory, with which authors test a guest without WebAssembly.
//!
//! Grants have the form of `--grant`; everything else is denied, and a denied or over-quota call ends the run with
//! that error even if the guest ignores it, as on the real host. Handles are new in each call. Two things differ: a
//! `static` of the guest keeps its value between calls, which is not possible on the host, and responses are not
//! searched for secrets.

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

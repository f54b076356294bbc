//! A server and a resolver under a test's control, for every crate that sends through the guard.

mod certificate;
mod raw;
mod reply;
mod resolver;
mod server;

pub use raw::{RawEnd, RawReply};
pub use reply::{TestBody, TestReply};
pub use resolver::FixedResolver;
pub use server::{TestRequest, TestServer};

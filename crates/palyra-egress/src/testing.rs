//! A server and a resolver for tests of crates that send through the guard.

mod certificate;
mod raw;
mod reply;
mod resolver;
mod server;

pub use raw::{RawEnd, RawReply};
pub use reply::{TestBody, TestReply};
pub use resolver::FixedResolver;
pub use server::{TestRequest, TestServer};

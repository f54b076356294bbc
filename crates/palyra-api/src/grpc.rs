//! The messages and services of gRPC, generated from `schemas/proto`, and the way between problems and statuses.
//!
//! Messages have the fields of the HTTP shapes; answers are read from their JSON and requests are written as it (see
//! `build.rs`). What a tool takes and gives stays JSON text: its bytes are hashed, and a `Struct` would not keep them.

mod status;
pub mod text;
pub mod words;

pub use status::{DOMAIN, grpc_code, problem_of, status_of};

/// Every file of every service, with its comments, as reflection gives it.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/palyra.binpb"));

macro_rules! packages {
    ($($package:ident: $doc:literal,)*) => {$(
        #[doc = $doc]
        pub mod $package {
            /// Its first version.
            #[allow(
                missing_docs,
                clippy::all,
                clippy::use_self,
                clippy::allow_attributes_without_reason,
                unreachable_pub,
                reason = "generated"
            )]
            pub mod v1 {
                include!(concat!(env!("OUT_DIR"), "/palyra.", stringify!($package), ".v1.rs"));
            }
        }
    )*};
}

packages! {
    auth: "Principals and what they may do: tokens, policy, publishers, keys, the names of secrets.",
    gateway: "The daemon itself: calls, approvals, runs, the journal, channels, sessions and models.",
    hooks: "Plugins that are bound to events.",
    plugins: "What runs get, what an operator set, and the catalogue of tools.",
    routines: "Scheduled tool calls, and objectives.",
    skills: "Installed skills.",
}

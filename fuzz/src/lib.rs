//! What the fuzz targets check: each function takes whatever the fuzzer made and panics when a promise is broken.

#![forbid(unsafe_code)]

mod core_calls;
mod grants;
mod host_calls;
mod sandbox;
mod tapes;

pub use core_calls::check_core_calls;
pub use grants::check_grants;
pub use host_calls::check_host_calls;
pub use tapes::check_tape;

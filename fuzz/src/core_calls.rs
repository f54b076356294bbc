//! The core ABI: every function with every number, in any order, ends as a typed result.
//!
//! The input is a little program for the guest: a byte of pages to grow by, a byte that chooses the fuel, then
//! calls of 13 bytes each: `[function, a, b, c]` with the arguments as little-endian `i32`. What follows the
//! last call is data. The low five bits of the function byte choose the function, in the order of the table in
//! `guests/core_calls.wat`; the three bits above make `a`, `b`, `c` count from the end of memory.

use super::sandbox::Sandbox;
use std::sync::LazyLock;

/// Enough for every program, and little enough to run out of.
const FUELS: [u64; 2] = [10_000_000, 50_000];

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(include_str!("../guests/core_calls.wat")));

/// Lets a guest carry out the program.
pub fn check_core_calls(data: &[u8]) {
    let fuel = FUELS[usize::from(data.get(1).copied().unwrap_or(0) & 1)];
    SANDBOX.run(data, fuel);
}

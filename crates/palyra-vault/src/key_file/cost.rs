//! The cost of deriving a key from a passphrase, checked before any work is done.

use super::KeyFileError;
use argon2::{Algorithm, Argon2, Params, Version};

const MEMORY_KIB: (u32, u32) = (19_456, 262_144);
const PASSES: (u32, u32) = (2, 10);
const LANES: (u32, u32) = (1, 8);

/// The cost of argon2id, always within the permitted range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KdfCost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

impl KdfCost {
    /// The lowest permitted cost.
    pub const LEAST: Self = Self { memory_kib: MEMORY_KIB.0, passes: PASSES.0, lanes: LANES.0 };

    /// Checks the parameters, so that an untrusted file cannot cause the use of gigabytes or hours.
    pub fn new(memory_kib: u32, passes: u32, lanes: u32) -> Result<Self, KeyFileError> {
        for (field, found, (low, high)) in
            [("memory", memory_kib, MEMORY_KIB), ("passes", passes, PASSES), ("lanes", lanes, LANES)]
        {
            if !(low..=high).contains(&found) {
                return Err(KeyFileError::UnacceptableCost { field, found, low, high });
            }
        }
        Ok(Self { memory_kib, passes, lanes })
    }

    pub(super) fn argon2id(self) -> Result<Argon2<'static>, argon2::Error> {
        let params = Params::new(self.memory_kib, self.passes, self.lanes, Some(32))?;
        Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
    }

    /// Returns the parameters as in the file: memory in KiB, passes, lanes.
    pub(super) fn numbers(self) -> [u32; 3] {
        [self.memory_kib, self.passes, self.lanes]
    }
}

impl Default for KdfCost {
    /// 64 MiB, 3 passes and 4 lanes: the second recommended option of RFC 9106, for machines with less memory.
    fn default() -> Self {
        Self { memory_kib: 65_536, passes: 3, lanes: 4 }
    }
}

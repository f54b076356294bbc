//! Handles of one call: opaque numbers that differ in the next call.

use super::grants::Grants;
use crate::abi::NOT_GRANTED;
use crate::guest::raw::types::CapabilityKind;
use std::cell::Cell;

/// The handles of one call.
#[derive(Debug, Default)]
pub(super) struct Handles {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    handle: i32,
    kind: CapabilityKind,
    index: usize,
}

impl Handles {
    /// Creates a handle for every grant.
    pub(super) fn draw(grants: &Grants) -> Self {
        let counts = [
            (CapabilityKind::Http, grants.http.len()),
            (CapabilityKind::Secret, grants.secrets.len()),
            (CapabilityKind::Storage, grants.storage.len()),
            (CapabilityKind::Channel, grants.channels.len()),
        ];
        let mut entries: Vec<Entry> = Vec::new();
        for (kind, count) in counts {
            for index in 0..count {
                let handle = next_number();
                entries.push(Entry { handle, kind, index });
            }
        }
        Self { entries }
    }

    /// Returns the number of grants of a kind.
    pub(super) fn count(&self, kind: CapabilityKind) -> i32 {
        let count = self.entries.iter().filter(|entry| entry.kind == kind).count();
        i32::try_from(count).unwrap_or(i32::MAX)
    }

    /// Returns the handle of the grant at `index`, or [`NOT_GRANTED`].
    pub(super) fn at(&self, kind: CapabilityKind, index: i32) -> i32 {
        let Ok(index) = usize::try_from(index) else { return NOT_GRANTED };
        let found = self.entries.iter().find(|entry| entry.kind == kind && entry.index == index);
        found.map_or(NOT_GRANTED, |entry| entry.handle)
    }

    /// Returns the kind and index of the grant behind a handle.
    pub(super) fn resolve(&self, handle: i32) -> Option<(CapabilityKind, usize)> {
        self.entries.iter().find(|entry| entry.handle == handle).map(|entry| (entry.kind, entry.index))
    }
}

/// Returns a number that never repeats on a thread and does not look sequential.
fn next_number() -> i32 {
    thread_local!(static COUNTER: Cell<u32> = const { Cell::new(1) });
    // A full-period generator modulo 2^30, with the result moved away from small numbers.
    let number = COUNTER.get().wrapping_mul(747_796_405).wrapping_add(2_891_336_453) & 0x3fff_ffff;
    COUNTER.set(number);
    i32::try_from(number | 0x4000_0000).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_handle() {
        let mut grants = Grants::default();
        grants.add("channel:a").unwrap();
        grants.add("channel:b").unwrap();
        let (first, second) = (Handles::draw(&grants), Handles::draw(&grants));
        let handle = first.at(CapabilityKind::Channel, 1);
        assert_eq!(first.resolve(handle), Some((CapabilityKind::Channel, 1)));
        assert_eq!(second.resolve(handle), None);
        assert_eq!((first.count(CapabilityKind::Channel), first.count(CapabilityKind::Http)), (2, 0));
        for index in [-1, 2, i32::MIN] {
            assert_eq!(first.at(CapabilityKind::Channel, index), NOT_GRANTED);
        }
    }
}

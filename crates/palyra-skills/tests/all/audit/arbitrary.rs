//! Arbitrary bytes give a report, and the same bytes give the same report.

use palyra_skills::audit::wasm::audit_module;
use palyra_skills::audit::{AuditPolicy, Verdict};
use proptest::prelude::*;

use super::support::{HONEST_CORE, MODULE, guest, manifest};

/// A change to a module: at a place, to a byte, over a length.
type Change = (prop::sample::Index, u8, u8);

fn mutate(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (at, value, kind) in changes {
        if bytes.is_empty() {
            break;
        }
        let at = at.index(bytes.len());
        match kind % 4 {
            0 => bytes[at] = *value,
            1 => bytes[at] ^= 1 << (value % 8),
            2 => bytes.truncate(at),
            _ => bytes.insert(at, *value),
        }
    }
    bytes
}

fn audit_twice(bytes: &[u8]) {
    let (manifest, policy) = (manifest(""), AuditPolicy::default());
    let report = audit_module(MODULE, bytes, &manifest, &policy);
    assert_eq!(report, audit_module(MODULE, bytes, &manifest, &policy));
    // Every verdict other than a pass has a finding as its reason.
    assert_eq!(report.verdict == Verdict::Pass, report.findings.iter().all(|finding| !finding.quarantines()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..512), component: bool) {
        audit_twice(&bytes);
        let header: &[u8] = if component { b"\0asm\x0d\0\x01\0" } else { b"\0asm\x01\0\0\0" };
        audit_twice(&[header, &bytes].concat());
    }

    #[test]
    fn changed_modules_never_panic(
        which in 0_usize..4,
        changes in prop::collection::vec(any::<Change>(), 1..8),
    ) {
        let names = ["counter-wat", "bench-echo", "wordcount-c"];
        let bytes = names.get(which).map_or_else(|| wat::parse_str(HONEST_CORE).unwrap(), |name| guest(name));
        audit_twice(&mutate(&bytes, &changes));
    }
}

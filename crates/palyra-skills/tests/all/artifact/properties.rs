//! Properties of every artifact, tested with generated inputs.

use std::collections::BTreeMap;

use palyra_skills::SkillTrustStore;
use palyra_skills::artifact::SkillArtifact;
use palyra_skills::artifact::write::encode_archive;
use palyra_skills::constants::{MANIFEST_PATH, PROVENANCE_PATH, SBOM_PATH, SIGNATURE_PATH};
use palyra_skills::trust::{
    FeedIssuer, RevocationList, RevocationTarget, RevokedKey, SignedRevocations, SignedRotation,
};
use proptest::prelude::*;

use super::support::{Recipe, entries, key, key_set, pack, plain, verify};

#[test]
fn s01_any_flipped_bit_is_refused() {
    let good = plain();
    for position in 0..good.len() {
        for bit in 0..8 {
            let mut bytes = good.to_vec();
            bytes[position] ^= 1 << bit;
            // A sample over all positions.
            if position % 257 == 0 && position % 8 == bit {
                crate::seeds::keep("skill_archive", &bytes);
            }
            assert!(verify(bytes).is_err(), "bit {bit} of byte {position}");
        }
    }
}

#[test]
fn s01_any_flipped_bit_is_refused_when_the_archive_is_put_right_again() {
    let lineage =
        SignedRotation::sign("acme", 0, &key_set(&[7], 1), &key_set(&[1], 1), &[&key(7), &key(1)]).unwrap();
    let good = Recipe { epoch: 1, lineage: vec![lineage], ..Recipe::default() }.build();
    verify(good.clone()).unwrap();
    let parts = entries(&good);
    for index in 0..parts.len() {
        for position in 0..parts[index].1.len() {
            let mut parts = parts.clone();
            parts[index].1[position] ^= 1 << (position % 8);
            assert!(verify(pack(&parts)).is_err(), "byte {position} of {}", parts[index].0);
        }
    }
}

fn any_path() -> impl Strategy<Value = String> {
    let segment = "[a-z0-9_-]{1,6}(\\.[a-z0-9]{1,3})?".prop_filter("no device", |segment| {
        let stem = segment.split('.').next().unwrap();
        !["con", "prn", "aux", "nul"].contains(&stem) && !stem.starts_with("com") && !stem.starts_with("lpt")
    });
    prop::collection::vec(segment, 1..4).prop_map(|segments| format!("assets/{}", segments.join("/")))
}

fn any_content() -> impl Strategy<Value = BTreeMap<String, Vec<u8>>> {
    prop::collection::btree_map(any_path(), prop::collection::vec(any::<u8>(), 0..64), 0..12)
}

fn with_fixed_parts(assets: &BTreeMap<String, Vec<u8>>) -> Vec<(&str, &[u8])> {
    let fixed = [MANIFEST_PATH, SBOM_PATH, PROVENANCE_PATH, SIGNATURE_PATH].map(|path| (path, &b"{}"[..]));
    let assets = assets.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
    fixed.into_iter().chain(assets).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(assets in any_content(), rotate in 0_usize..16) {
        let mut parts = with_fixed_parts(&assets);
        let rotate = rotate % parts.len();
        parts.rotate_left(rotate);
        // A file that is also a directory is refused; all other entries are read back in any order.
        if let Ok(bytes) = encode_archive(parts.clone()) {
            let artifact = SkillArtifact::read(bytes.clone().into()).unwrap();
            parts.sort_unstable();
            prop_assert_eq!(artifact.entries().collect::<Vec<_>>(), parts);
            prop_assert_eq!(encode_archive(artifact.entries()).unwrap(), bytes);
        } else {
            let paths: Vec<&str> = parts.iter().map(|(path, _)| *path).collect();
            let nested = paths.iter().any(|file| paths.iter().any(|path| path.starts_with(&format!("{file}/"))));
            prop_assert!(nested);
        }
    }

    #[test]
    fn whatever_is_read_encodes_to_the_same_bytes(
        assets in any_content(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
        cuts in any::<bool>(),
    ) {
        let Ok(mut bytes) = encode_archive(with_fixed_parts(&assets)) else { return Ok(()) };
        for (index, value) in edits {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        if cuts {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(artifact) = SkillArtifact::read(bytes.clone().into()) {
            prop_assert_eq!(encode_archive(artifact.entries()).unwrap(), bytes);
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(SkillArtifact::read(bytes.into()).is_err());
    }

    #[test]
    fn revocations_and_epochs_only_grow(steps in prop::collection::vec((0_u8..4, 1_u8..5, 1_u8..5, 0_u64..6), 1..20)) {
        let mut store = SkillTrustStore::default();
        store.pin("acme", key_set(&[1], 1), 0).unwrap();
        store.follow_feed("feed", key_set(&[70], 1)).unwrap();
        for (kind, first, second, number) in steps {
            let before = store.clone();
            match kind {
                0 => {
                    store.revoke(RevocationTarget::Key(key(first).public().key_id()), "gone");
                }
                1 => {
                    let list = RevocationList {
                        issuer: FeedIssuer::Feed("feed".into()),
                        number,
                        keys: vec![RevokedKey { key_id: key(second).public().key_id(), reason: "gone".into() }],
                        releases: vec![],
                    };
                    let _ = store.apply_feed(&SignedRevocations::sign(list, &[&key(70)]).unwrap());
                }
                2 => {
                    let (old, new) = (key_set(&[first], 1), key_set(&[second], 1));
                    let signed = SignedRotation::sign("acme", number, &old, &new, &[&key(first), &key(second)]);
                    if store.rotate(&signed.unwrap()).is_err() {
                        prop_assert_eq!(&store, &before, "a refused rotation changes nothing");
                    }
                }
                _ => {
                    let _ = store.unblock("acme");
                }
            }
            for (target, scope, _) in before.revocations() {
                let kept = store.revocations().any(|(other, place, _)| (other, place) == (target, scope));
                prop_assert!(kept);
            }
            let epoch = |store: &SkillTrustStore| store.publisher("acme").unwrap().anchor.as_ref().unwrap().epoch;
            prop_assert!(epoch(&store) >= epoch(&before));
            prop_assert_eq!(SkillTrustStore::from_rows(store.rows().unwrap()).unwrap(), store.clone());
        }
    }
}

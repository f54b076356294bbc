//! Ed25519 against published vectors: Wycheproof, and CCTV where its directory is present.

use std::path::PathBuf;

use palyra_skills::signing::{KeyError, PublisherKey, SkillSigningKey, base64};
use palyra_skills::verify::VerifyStepName;

use super::support::{plain, signature_file, verify, with_signature};

/// The eight points of low order, in every encoding that decodes to one of them.
pub(crate) fn low_order_keys() -> Vec<[u8; 32]> {
    let texts = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];
    let known = texts.into_iter().map(|text| hex::decode(text).unwrap().try_into().unwrap());
    let vectors = cctv().unwrap_or_default().into_iter();
    let listed = vectors.filter(|vector| vector.has("low_order_A"));
    let mut keys: Vec<[u8; 32]> = known.chain(listed.map(|vector| vector.key())).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[derive(serde::Deserialize)]
struct Vector {
    number: u32,
    key: String,
    sig: String,
    msg: String,
    flags: Option<Vec<String>>,
}

impl Vector {
    fn key(&self) -> [u8; 32] {
        hex::decode(&self.key).unwrap().try_into().unwrap()
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.iter().flatten().any(|other| other == flag)
    }

    fn is_accepted(&self) -> bool {
        let signature = hex::decode(&self.sig).unwrap().try_into().unwrap();
        PublisherKey::from_bytes(&self.key()).is_ok_and(|key| key.verifies(self.msg.as_bytes(), &signature))
    }
}

/// Returns the CCTV vectors from their directory beside the workspace, or `None` if it is missing.
fn cctv() -> Option<Vec<Vector>> {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read(workspace.join("../shared/data/cctv-ed25519/ed25519vectors.json")).ok()?;
    Some(serde_json::from_slice(&text).unwrap())
}

#[test]
fn s07_wycheproof_cases_all_match() {
    use wycheproof::{TestResult, eddsa};
    let set = eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap();
    let mut cases = 0;
    for group in &set.test_groups {
        let key: [u8; 32] = group.key.pk.as_slice().try_into().unwrap();
        let key = PublisherKey::from_bytes(&key).unwrap();
        for test in &group.tests {
            let signature: Result<[u8; 64], _> = test.sig.as_slice().try_into();
            let accepted = signature.is_ok_and(|signature| key.verifies(&test.msg, &signature));
            assert_eq!(accepted, test.result == TestResult::Valid, "case {}: {}", test.tc_id, test.comment);
            cases += 1;
        }
    }
    assert_eq!(cases, set.number_of_tests);
    assert!(cases > 100, "{cases} cases");
}

#[test]
fn s07_cctv_vectors_are_accepted_only_when_strict() {
    let Some(vectors) = cctv() else {
        println!("skipped: ../shared/data/cctv-ed25519/ed25519vectors.json is not there");
        return;
    };
    assert_eq!(vectors.len(), 914);
    let accepted: Vec<&Vector> = vectors.iter().filter(|vector| vector.is_accepted()).collect();
    for vector in &accepted {
        let low =
            ["low_order_A", "low_order_component_A", "low_order_R", "non_canonical_A", "non_canonical_R"]
                .iter()
                .any(|flag| vector.has(flag));
        assert!(!low, "vector {}: {:?}", vector.number, vector.flags);
    }
    // Of the 43 that strict verification accepts, 42 are under a key with a torsion component.
    assert_eq!(accepted.len(), 1);
}

#[test]
fn s07_a_second_spelling_of_a_signature_is_refused_in_an_artifact() {
    // The order of the group, as the last half of a signature is written.
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    type Change = fn(&mut [u8]);
    let larger: Change = |signature| {
        let mut carry = 0_u16;
        for (byte, order) in signature[32..].iter_mut().zip(ORDER) {
            let sum = u16::from(*byte) + u16::from(order) + carry;
            (*byte, carry) = (sum.to_le_bytes()[0], sum >> 8);
        }
        assert_eq!(carry, 0);
    };
    let point: Change = |signature| signature[..32].copy_from_slice(&[0xff; 32]);
    for change in [larger, point] {
        let bytes = with_signature(&plain(), |file| {
            let signature = &mut file.envelope.signatures[0];
            let mut raw = base64::decode(&signature.sig).unwrap();
            change(&mut raw);
            signature.sig = base64::encode(&raw);
        });
        crate::seeds::keep("skill_envelope", &signature_file(&bytes).encode().unwrap());
        let refusal = verify(bytes).unwrap_err();
        assert_eq!(refusal.step, VerifyStepName::Signatures, "{refusal}");
    }
}

/// The public key of seed `[7; 32]` plus each of the seven points of small order that are not the identity.
const TWINS: [&str; 7] = [
    "1f4f580e73ac208f06760190e9edc6f5916775dabd9c1cdca393175c2d6d1083",
    "344a13f0838504f35bf3f34bddb7ee0fead970eda495d5b253f660a2eacbb3f6",
    "fbb3211d177bccefd763d01a88f6473e43e5cf0a0740e44ab5c64460eefd4675",
    "03b5939c1d63adf5410aaf84ecd13a066ab889514141846dbde11596ebb92dd3",
    "ceb0a7f18c53df70f989fe6f1612390a6e988a254263e3235c6ce8a3d292ef7c",
    "b9b5ec0f7c7afb0ca40c0cb4224811f015268f125b6a2a4dac099f5d15344c09",
    "f24bdee2e8843310289c2fe57709b8c1bc1a30f5f8bf1bb54a39bb9f1102b98a",
];

#[test]
fn key_with_torsion_component_is_rejected_in_every_form() {
    let mut twins: Vec<[u8; 32]> =
        TWINS.iter().map(|text| hex::decode(text).unwrap().try_into().unwrap()).collect();
    let vectors = cctv().unwrap_or_default();
    let mixed = |vector: &&Vector| {
        vector.has("low_order_component_A") && !vector.has("low_order_A") && !vector.has("non_canonical_A")
    };
    twins.extend(vectors.iter().filter(mixed).map(Vector::key));
    for twin in twins {
        assert_eq!(PublisherKey::from_bytes(&twin).unwrap_err(), KeyError::Torsion);
        let text = format!("ed25519-public:{}", base64::encode(&twin));
        assert_eq!(text.parse::<PublisherKey>().unwrap_err(), KeyError::Torsion);
        assert!(serde_json::from_value::<PublisherKey>(text.into()).is_err());
    }
    let honest = SkillSigningKey::from_seed(&zeroize::Zeroizing::new([7; 32])).public();
    assert_eq!(PublisherKey::from_bytes(honest.as_bytes()), Ok(honest));
}

#[test]
fn s07_a_second_spelling_of_a_point_is_no_key() {
    // Every y from p to 2^255 - 1: some are points of the curve, written a second way.
    let mut refused = 0;
    for low in 0xed..=0xff_u8 {
        for sign in [0x7f, 0xff] {
            let mut bytes = [0xff; 32];
            (bytes[0], bytes[31]) = (low, sign);
            let problem = PublisherKey::from_bytes(&bytes).unwrap_err();
            refused += usize::from(problem == KeyError::NotCanonical);
        }
    }
    assert!(refused > 0, "some of them are points in a second spelling");
}

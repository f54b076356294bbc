//! Rows S02 to S12: signatures that are missing, borrowed, repeated or written another way.

use palyra_skills::artifact::SkillArtifact;
use palyra_skills::constants::SIGNATURE_PATH;
use palyra_skills::signing::dsse::{Envelope, EnvelopeError, EnvelopeSignature};
use palyra_skills::signing::strict_json::encode_canonical;
use palyra_skills::signing::{KeyError, ListedKey, SignatureFileError, StatementError, base64};
use palyra_skills::trust::{ROTATION_PAYLOAD_TYPE, TrustRefusal};
use palyra_skills::verify::{RefusalReason, StatementMismatch, VerifyStepName};
use palyra_skills::{Sha256Digest, SkillTrustStore, VerifyRefusal};

use super::support::{
    Recipe, key, key_set, plain, resigned, signature_file, statement, verify, verify_with, with_entry,
    with_signature, with_statement_bytes,
};

fn keep(bytes: &[u8]) {
    crate::seeds::keep("skill_archive", bytes);
    if let Ok(artifact) = SkillArtifact::read(bytes.into()) {
        crate::seeds::keep("skill_envelope", artifact.entry(SIGNATURE_PATH).unwrap());
    }
}

fn refused_at(bytes: &[u8], step: VerifyStepName) -> RefusalReason {
    keep(bytes);
    let refusal: Box<VerifyRefusal> = verify(bytes).expect_err("it was accepted");
    assert_eq!(refusal.step, step, "{refusal}");
    assert!(!refusal.hint().is_empty());
    refusal.reason
}

fn envelope_refused(bytes: &[u8]) -> SignatureFileError {
    keep(bytes);
    let refusal: Box<VerifyRefusal> = verify(bytes).expect_err("it was accepted");
    match refusal.reason {
        RefusalReason::Envelope(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn s02_no_signature_an_empty_one_and_two_are_refused() {
    for content in [&b""[..], b"{}", b"null", b"[]"] {
        refused_at(&with_entry(&plain(), SIGNATURE_PATH, content), VerifyStepName::Envelope);
    }
    let text = String::from_utf8(signature_file(&plain()).encode().unwrap()).unwrap();
    let envelope = &text[text.find("\"envelope\"").unwrap()..text.len() - 1];
    let twice = format!("{},{envelope}}}", &text[..text.len() - 1]);
    let error = envelope_refused(&with_entry(&plain(), SIGNATURE_PATH, twice.as_bytes()));
    assert!(error.to_string().contains("duplicate field `envelope`"), "{error}");
}

#[test]
fn s03_a_signature_made_for_another_type_is_refused() {
    let bytes = plain();
    let payload = signature_file(&bytes).statement_bytes().unwrap();
    let borrowed = Envelope::sign(ROTATION_PAYLOAD_TYPE, &payload, &[&key(1)]);
    let error = envelope_refused(&with_signature(&bytes, |file| file.envelope = borrowed.clone()));
    assert!(matches!(error, SignatureFileError::Envelope(EnvelopeError::PayloadType { .. })), "{error}");
    // With the expected payload type, so that only verifying the signature fails.
    let error = envelope_refused(&with_signature(&bytes, |file| {
        file.envelope.signatures = borrowed.signatures.clone();
    }));
    assert!(matches!(error, SignatureFileError::Envelope(EnvelopeError::BadSignature(_))), "{error}");
}

#[test]
fn s04_the_signature_of_another_skill_is_refused() {
    let other = Recipe { name: "other".into(), ..Recipe::default() }.build();
    let borrowed = signature_file(&other);
    let bytes = with_signature(&plain(), |file| *file = borrowed);
    assert!(matches!(
        refused_at(&bytes, VerifyStepName::Statement),
        RefusalReason::Statement(StatementMismatch::Digest { .. })
    ));
}

#[test]
fn s05_the_key_id_of_a_trusted_key_is_no_proof() {
    let foreign = Recipe { signers: vec![9], ..Recipe::default() }.build();
    let trusted = key(1).public().key_id();
    let bytes = with_signature(&foreign, |file| file.key_id = trusted);
    assert!(matches!(
        refused_at(&bytes, VerifyStepName::Signatures),
        RefusalReason::OuterKeyId { outer, .. } if outer == trusted
    ));
    // The id inside the envelope as well: the signature does not hold under that key.
    let mut listed = statement(&foreign);
    listed.predicate.keys = vec![ListedKey::from(&key(1).public())];
    let bytes = with_statement_bytes(&foreign, &encode_canonical(&listed).unwrap(), &[9]);
    let bytes = with_signature(&bytes, |file| {
        file.key_id = trusted;
        file.envelope.signatures[0].keyid = trusted;
    });
    let error = envelope_refused(&bytes);
    assert_eq!(error, SignatureFileError::Envelope(EnvelopeError::BadSignature(trusted)));
}

#[test]
fn s06_weak_keys_are_refused_wherever_a_key_enters() {
    for point in super::key_vectors::low_order_keys() {
        let problem = palyra_skills::signing::PublisherKey::from_bytes(&point).unwrap_err();
        assert!(matches!(problem, KeyError::Weak), "{}: {problem}", Sha256Digest::of(&point));
        let mut listed = statement(&plain());
        let id = format!("ed25519:{}", Sha256Digest::of(&point)).parse().unwrap();
        listed.predicate.keys =
            vec![ListedKey { algorithm: "ed25519".into(), key_id: id, public_key: base64::encode(&point) }];
        let bytes = with_statement_bytes(&plain(), &encode_canonical(&listed).unwrap(), &[1]);
        let error = envelope_refused(&bytes);
        assert!(
            matches!(
                error,
                SignatureFileError::Statement(StatementError::Key { problem: KeyError::Weak, .. })
            ),
            "{error}"
        );
        let text = format!("ed25519-public:{}", base64::encode(&point));
        assert_eq!(text.parse::<palyra_skills::signing::PublisherKey>(), Err(KeyError::Weak));
    }
}

#[test]
fn s08_one_key_does_not_reach_a_threshold_of_two() {
    let pair = key_set(&[1, 2], 2);
    let both = Recipe { signers: vec![1, 2], keys: Some(pair.clone()), ..Recipe::default() }.build();
    let mut store = SkillTrustStore::default();
    store.allow("acme", pair).unwrap();
    verify_with(&store, both.clone()).unwrap();

    let alone = with_signature(&both, |file| {
        file.envelope.signatures.truncate(1);
    });
    let refusal = verify_with(&store, alone).unwrap_err();
    assert!(matches!(refusal.reason, RefusalReason::OwnThreshold { found: 1, needed: 2 }), "{refusal}");

    let twice = with_signature(&both, |file| {
        let first = file.envelope.signatures[0].clone();
        file.envelope.signatures = vec![first.clone(), first];
    });
    let refusal = verify_with(&store, twice).unwrap_err();
    assert_eq!(refusal.code().as_str(), "threshold_not_met", "{refusal}");

    // The same key under a second id: the id is not that of any listed key.
    let disguised = with_signature(&both, |file| {
        let first = file.envelope.signatures[0].clone();
        let keyid = format!("ed25519:{}", Sha256Digest::of(b"another name")).parse().unwrap();
        file.envelope.signatures = vec![first.clone(), EnvelopeSignature { keyid, ..first }];
        file.envelope.signatures.sort_by_key(|signature| signature.keyid);
    });
    let refusal = verify_with(&store, disguised).unwrap_err();
    assert!(
        matches!(
            &refusal.reason,
            RefusalReason::Envelope(SignatureFileError::Envelope(EnvelopeError::UnknownKey(_)))
        ),
        "{refusal}"
    );

    // And listed under two ids.
    let mut listed = statement(&both);
    let mut copy = ListedKey::from(&key(1).public());
    copy.key_id = key(2).public().key_id();
    listed.predicate.keys = vec![ListedKey::from(&key(1).public()), copy];
    let bytes = with_statement_bytes(&both, &encode_canonical(&listed).unwrap(), &[1, 2]);
    let refusal = verify_with(&store, bytes).unwrap_err();
    assert!(
        matches!(
            &refusal.reason,
            RefusalReason::Envelope(SignatureFileError::Statement(StatementError::KeyIdDiffers { .. }))
        ),
        "{refusal}"
    );

    // A statement that lowers its own threshold does not lower the store's.
    let lone = Recipe { signers: vec![1], ..Recipe::default() }.build();
    let refusal = verify_with(&store, lone).unwrap_err();
    assert!(
        matches!(&refusal.reason, RefusalReason::Trust(TrustRefusal::Threshold { found: 1, needed: 2, .. })),
        "{refusal}"
    );
}

#[test]
fn s09_statement_and_archive_must_list_the_same_entries() {
    let bytes = plain();
    let extra = with_entry(&bytes, "assets/extra.txt", b"unsigned");
    assert!(matches!(
        refused_at(&extra, VerifyStepName::Statement),
        RefusalReason::Statement(StatementMismatch::NotInStatement(path)) if path == "assets/extra.txt"
    ));
    let mut list = super::support::entries(&bytes);
    list.retain(|(path, _)| path != "assets/readme.txt");
    assert!(matches!(
        refused_at(&super::support::pack(&list), VerifyStepName::Statement),
        RefusalReason::Statement(StatementMismatch::NotInArchive(path)) if path == "assets/readme.txt"
    ));
    let changed = with_entry(&bytes, "assets/readme.txt", b"hallo");
    assert!(matches!(
        refused_at(&changed, VerifyStepName::Statement),
        RefusalReason::Statement(StatementMismatch::Digest { name, .. }) if name == "assets/readme.txt"
    ));
    for (path, edit) in [("payload", 0), ("order", 1), ("twice", 2)] {
        let mut listed = statement(&bytes);
        match edit {
            0 => listed.subject[0].digest.sha256 = Sha256Digest::of(b""),
            1 => listed.subject.swap(1, 2),
            _ => listed.subject.push(listed.subject[1].clone()),
        }
        let bytes = with_statement_bytes(&bytes, &encode_canonical(&listed).unwrap(), &[1]);
        let reason = refused_at(&bytes, VerifyStepName::Statement);
        assert!(matches!(reason, RefusalReason::Statement(_)), "{path}: {reason}");
    }
}

#[test]
fn s10_json_with_two_readings_is_refused() {
    let bytes = plain();
    let text = String::from_utf8(signature_file(&bytes).statement_bytes().unwrap()).unwrap();
    let digest = "\"sha256\":\"";
    let first = text.find(digest).unwrap();
    let twice = format!("{}\"sha256\":\"{}\",{}", &text[..first], "0".repeat(64), &text[first..]);
    let cases = [
        ("a key twice", twice, "duplicate field"),
        ("an unknown field", text.replacen('{', "{\"note\":1,", 1), "unknown field"),
        ("bytes after the end", format!("{text}{{}}"), "trailing characters"),
        ("white space after the end", format!("{text}\n"), "canonical form"),
        ("white space inside", text.replacen(':', ": ", 1), "canonical form"),
        (
            "another order",
            {
                let predicate = text.find(",\"predicateType\"").unwrap();
                let body = text.find(",\"predicate\":").unwrap();
                let end = text.len() - 1;
                [&text[..predicate], &text[body..end], &text[predicate..body], "}"].concat()
            },
            "canonical form",
        ),
        ("an escape for a letter", text.replacen("acme", "\\u0061cme", 1), "canonical form"),
    ];
    for (what, changed, expected) in cases {
        let error = envelope_refused(&with_statement_bytes(&bytes, changed.as_bytes(), &[1]));
        assert!(error.to_string().contains(expected), "{what}: {error}");
    }
}

#[test]
fn s11_base64_has_one_spelling() {
    let bytes = plain();
    let envelope = signature_file(&bytes).envelope;
    let spellings = |text: &str| {
        let unpadded = text.trim_end_matches('=').to_owned();
        vec![
            format!("{} {}", &text[..8], &text[8..]),
            format!("{text}\n"),
            format!("\n{text}"),
            text.replace('/', "_").replace('+', "-") + if text.contains(['/', '+']) { "" } else { "-" },
            if unpadded == text { format!("{text}=") } else { unpadded },
        ]
    };
    for payload in spellings(&envelope.payload) {
        refused_at(&with_signature(&bytes, |file| file.envelope.payload = payload), VerifyStepName::Envelope);
    }
    // 64 bytes end in `==`: four bits of the last letter are unused.
    let signature = envelope.signatures[0].sig.clone();
    let letter = signature.as_bytes()[85];
    let other = char::from(if letter == b'A' { b'B' } else { letter + 1 });
    let tail = format!("{}{other}==", &signature[..85]);
    for spelling in spellings(&signature).into_iter().chain([tail]) {
        let bytes = with_signature(&bytes, |file| file.envelope.signatures[0].sig = spelling);
        let error = envelope_refused(&bytes);
        assert_eq!(error, SignatureFileError::Envelope(EnvelopeError::Base64 { part: "signature" }));
    }
}

#[test]
fn s12_other_algorithms_are_refused() {
    for algorithm in ["none", "ed25519ph", "rsa", "Ed25519", ""] {
        let mut listed = statement(&plain());
        listed.predicate.keys[0].algorithm = algorithm.into();
        let bytes = with_statement_bytes(&plain(), &encode_canonical(&listed).unwrap(), &[1]);
        assert!(matches!(
            envelope_refused(&bytes),
            SignatureFileError::Statement(StatementError::Algorithm(found)) if found == algorithm
        ));
    }
}

#[test]
fn outer_fields_must_equal_what_the_envelope_proves() {
    let bytes = with_signature(&plain(), |file| file.payload_sha256 = Sha256Digest::of(b""));
    assert!(matches!(
        refused_at(&bytes, VerifyStepName::Statement),
        RefusalReason::Statement(StatementMismatch::Field { field: "payload_sha256", .. })
    ));
    type Change = fn(&mut palyra_skills::signing::ReleasePredicate);
    let changes: [(&str, Change); 6] = [
        ("skill_id", |predicate| predicate.skill_id = "acme.other".into()),
        ("publisher", |predicate| predicate.publisher = "other".into()),
        ("version", |predicate| predicate.version = "1.0.1".parse().unwrap()),
        ("release_counter", |predicate| predicate.release_counter = 2),
        ("capabilities_sha256", |predicate| predicate.capabilities_sha256 = Sha256Digest::of(b"")),
        ("model_text_sha256", |predicate| predicate.model_text_sha256 = Sha256Digest::of(b"")),
    ];
    for (name, change) in changes {
        let reason = refused_at(&resigned(&plain(), &[], change), VerifyStepName::Manifest);
        assert!(
            matches!(&reason, RefusalReason::Statement(StatementMismatch::Field { field, .. }) if *field == name),
            "{name}: {reason}"
        );
    }
    let reason = refused_at(
        &resigned(&plain(), &[], |predicate| predicate.lineage_sha256 = Some(Sha256Digest::of(b""))),
        VerifyStepName::Statement,
    );
    assert!(matches!(reason, RefusalReason::Statement(StatementMismatch::Field { .. })), "{reason}");
}

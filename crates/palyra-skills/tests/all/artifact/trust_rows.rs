//! Rows T04, T06 to T09, U07 and M01: trusted keys, and when they are no longer trusted.

use std::sync::Arc;

use palyra_skills::signing::strict_json::encode_canonical;
use palyra_skills::signing::{SignatureFile, SkillSigningKey};
use palyra_skills::trust::{
    FeedError, FeedIssuer, FeedOutcome, LineageProblem, PublisherChange, PublisherMode, RevocationList,
    RevocationTarget, RevokedKey, RevokedRelease, RollbackRefusal, RotationError, RotationOutcome,
    SignedRevocations, SignedRotation, TrustError, TrustRefusal, TrustStatement,
};
use palyra_skills::verify::{RefusalReason, VerifyStepName};
use palyra_skills::{
    Sha256Digest, SkillTrustStore, TrustDecision, TrustSnapshot, reverify_installed_artifact,
    verify_skill_artifact,
};

use super::support::{
    Recipe, key, key_set, plain, platform, statement, store, verify_with, with_statement_bytes,
};

fn trust_refused(store: &SkillTrustStore, bytes: Arc<[u8]>) -> TrustRefusal {
    let refusal = verify_with(store, bytes).expect_err("it was accepted");
    assert_eq!(refusal.step, VerifyStepName::Trust, "{refusal}");
    match refusal.reason {
        RefusalReason::Trust(reason) => reason,
        other => panic!("{other}"),
    }
}

/// A rotation from one numbered key to another.
fn rotation(from_epoch: u64, old: u8, new: u8) -> SignedRotation {
    SignedRotation::sign(
        "acme",
        from_epoch,
        &key_set(&[old], 1),
        &key_set(&[new], 1),
        &[&key(old), &key(new)],
    )
    .unwrap()
}

/// Keeps an envelope with an invalid statement as a fuzzing seed.
fn keep_statement(envelope: &palyra_skills::signing::dsse::Envelope) {
    let file = palyra_skills::signing::strict_json::encode_canonical(envelope).unwrap();
    crate::seeds::keep("trust_store", &file);
}

fn pinned() -> SkillTrustStore {
    let mut store = SkillTrustStore::default();
    store.pin("acme", key_set(&[1], 1), 0).unwrap();
    store
}

#[test]
fn t04_first_contact_without_permission_proposes_nothing() {
    let nobody = TrustSnapshot::new(SkillTrustStore::default());
    let verification = verify_skill_artifact(plain(), &nobody, &platform()).unwrap();
    assert!(matches!(verification.trust, TrustDecision::Unknown { .. }));
    assert_eq!(verification.proposed, None);

    let verification = verify_skill_artifact(plain(), &nobody.clone().with_tofu(true), &platform()).unwrap();
    let TrustDecision::TofuOffer { keys, epoch: 0 } = &verification.trust else {
        panic!("{:?}", verification.trust)
    };
    assert_eq!(*keys, key_set(&[1], 1));
    assert_eq!(nobody.store(), &SkillTrustStore::default(), "an offer pins nothing");

    let mut store = SkillTrustStore::default();
    store.apply(&verification.proposed.unwrap()).unwrap();
    assert_eq!(store.publisher("acme").unwrap().mode(), Some(PublisherMode::TofuPinned));
    assert!(matches!(verify_with(&store, plain()).unwrap().trust, TrustDecision::Pinned));
}

#[test]
fn t06_an_unknown_key_of_a_pinned_publisher_is_refused() {
    let bytes = Recipe { signers: vec![9], version: "2.0.0".into(), counter: 2, ..Recipe::default() }.build();
    for store in [pinned(), store()] {
        let before = store.clone();
        let TrustRefusal::KeyMismatch { expected, found, .. } = trust_refused(&store, bytes.clone()) else {
            panic!("another reason")
        };
        assert_eq!(expected, [key(1).public().key_id()]);
        assert_eq!(found, [key(9).public().key_id()]);
        assert_eq!(store, before);
    }
}

#[test]
fn t07_a_rotation_needs_the_old_threshold_and_every_new_key() {
    let (old, new) = (key_set(&[1, 2], 2), key_set(&[3, 4], 1));
    let sign = |signers: &[&SkillSigningKey]| SignedRotation::sign("acme", 0, &old, &new, signers);
    let (one, two, three, four) = (key(1), key(2), key(3), key(4));
    assert_eq!(sign(&[&one, &two]), Err(RotationError::NewKeyMissing(new.keys().next().unwrap().key_id())));
    assert!(matches!(sign(&[&one, &two, &three]), Err(RotationError::NewKeyMissing(_))));
    assert_eq!(sign(&[&three, &four]), Err(RotationError::OldThreshold { found: 0, needed: 2 }));
    assert_eq!(sign(&[&one, &three, &four]), Err(RotationError::OldThreshold { found: 1, needed: 2 }));
    let good = sign(&[&one, &two, &three, &four]).unwrap();
    let file = TrustStatement::Rotation(Box::new(good.clone())).encode().unwrap();
    crate::seeds::keep("trust_store", &file);

    let mut store = SkillTrustStore::default();
    store.pin("acme", old.clone(), 0).unwrap();
    assert_eq!(store.rotate(&good), Ok(RotationOutcome::Rotated));
    assert_eq!(store.rotate(&good), Ok(RotationOutcome::AlreadyKnown));
    let anchor = store.publisher("acme").unwrap().anchor.clone().unwrap();
    assert_eq!((anchor.keys, anchor.epoch), (new.clone(), Some(1)));

    // A gap inside the statement, and a gap before it.
    let mut gap = good.statement().clone();
    gap.to_epoch = 2;
    let payload = palyra_skills::signing::strict_json::encode_canonical(&gap).unwrap();
    let envelope = palyra_skills::signing::dsse::Envelope::sign(
        palyra_skills::trust::ROTATION_PAYLOAD_TYPE,
        &payload,
        &[&one, &two, &three, &four],
    );
    keep_statement(&envelope);
    assert_eq!(SignedRotation::verify(envelope), Err(RotationError::EpochGap { from: 0, to: 2 }));
    let early = SignedRotation::sign("acme", 5, &old, &new, &[&one, &two, &three, &four]).unwrap();
    let mut fresh = SkillTrustStore::default();
    fresh.pin("acme", old, 0).unwrap();
    assert!(matches!(fresh.rotate(&early), Err(TrustError::EpochGap { found: 5, known: 0, .. })));

    // Signed by other keys than the pinned ones.
    assert!(matches!(fresh.rotate(&rotation(0, 8, 9)), Err(TrustError::NotTheirs { found: 0, .. })));
}

#[test]
fn t07_two_rotations_for_one_epoch_block_the_publisher() {
    let mut store = pinned();
    store.rotate(&rotation(0, 1, 2)).unwrap();
    assert_eq!(store.rotate(&rotation(0, 1, 3)), Ok(RotationOutcome::Forked));
    assert_eq!(store.publisher("acme").unwrap().mode(), Some(PublisherMode::Blocked));
    assert!(matches!(trust_refused(&store, plain()), TrustRefusal::Blocked { .. }));

    // Seen in an artifact: refused, and the block is proposed.
    let mut store = pinned();
    store.rotate(&rotation(0, 1, 2)).unwrap();
    let bytes =
        Recipe { signers: vec![3], epoch: 1, lineage: vec![rotation(0, 1, 3)], ..Recipe::default() }.build();
    let refusal = verify_with(&store, bytes).unwrap_err();
    assert!(
        matches!(refusal.reason, RefusalReason::Trust(TrustRefusal::Forked { epoch: 0, .. })),
        "{refusal}"
    );
    let proposed = refusal.proposed.unwrap();
    assert!(matches!(proposed.keys, Some(PublisherChange::Block { .. })));
    store.apply(&proposed).unwrap();
    assert_eq!(store.publisher("acme").unwrap().mode(), Some(PublisherMode::Blocked));
    // Other keys cannot block a publisher: the second statement is not signed by the publisher's keys.
    let mut store = pinned();
    store.rotate(&rotation(0, 1, 2)).unwrap();
    assert!(store.rotate(&rotation(0, 8, 9)).is_err());
    assert_eq!(store.publisher("acme").unwrap().mode(), Some(PublisherMode::TofuPinned));
}

#[test]
fn t08_a_retired_key_makes_no_new_release() {
    let old = Recipe { version: "1.1.0".into(), counter: 2, ..Recipe::default() }.build();
    let mut store = pinned();
    store.rotate(&rotation(0, 1, 2)).unwrap();
    assert!(matches!(trust_refused(&store, old), TrustRefusal::RetiredKey { .. }));

    // A key kept through a rotation can only sign releases of the new epoch.
    let mut store = pinned();
    let kept = SignedRotation::sign("acme", 0, &key_set(&[1], 1), &key_set(&[1, 2], 1), &[&key(1), &key(2)]);
    store.rotate(&kept.unwrap()).unwrap();
    assert!(matches!(trust_refused(&store, plain()), TrustRefusal::StaleEpoch { found: 0, expected: 1, .. }));
    let now = Recipe { epoch: 1, ..Recipe::default() }.build();
    assert!(matches!(verify_with(&store, now).unwrap().trust, TrustDecision::Pinned));
}

#[test]
fn a_release_that_was_accepted_stays_verifiable_after_rotation() {
    let mut store = pinned();
    store.apply(&verify_with(&store, plain()).unwrap().proposed.unwrap()).unwrap();
    store.rotate(&rotation(0, 1, 2)).unwrap();
    let snapshot = TrustSnapshot::new(store.clone());
    let again = reverify_installed_artifact(plain(), &snapshot, &platform()).unwrap();
    assert!(matches!(again.trust, TrustDecision::Pinned));
    let other = Recipe { note: "never accepted", ..Recipe::default() }.build();
    assert!(reverify_installed_artifact(other, &snapshot, &platform()).is_err());
    store.revoke(RevocationTarget::Payload(again.skill.payload()), "bad");
    assert!(reverify_installed_artifact(plain(), &TrustSnapshot::new(store), &platform()).is_err());
}

#[test]
fn lineage_connects_trusted_keys_to_signing_keys() {
    let lineage = vec![rotation(0, 1, 2), rotation(1, 2, 3)];
    let bytes = Recipe { signers: vec![3], epoch: 2, lineage: lineage.clone(), ..Recipe::default() }.build();
    let verification = verify_with(&pinned(), bytes.clone()).unwrap();
    assert!(matches!(verification.trust, TrustDecision::Lineage { from_epoch: Some(0), to_epoch: 2, .. }));
    let mut store = pinned();
    store.apply(&verification.proposed.unwrap()).unwrap();
    assert_eq!(store.publisher("acme").unwrap().anchor.as_ref().unwrap().epoch, Some(2));
    assert!(matches!(verify_with(&store, bytes).unwrap().trust, TrustDecision::Pinned));

    // A lineage with a hole leads nowhere.
    let holed =
        Recipe { signers: vec![3], epoch: 2, lineage: lineage[1..].to_vec(), ..Recipe::default() }.build();
    assert!(matches!(trust_refused(&pinned(), holed), TrustRefusal::KeyMismatch { .. }));
    // An allowlisted publisher stays allowlisted over it.
    let bytes =
        Recipe { signers: vec![2], epoch: 1, lineage: vec![rotation(0, 1, 2)], ..Recipe::default() }.build();
    assert!(verify_with(&super::support::store(), bytes).unwrap().trust.is_allowlisted());
}

#[test]
fn a_lineage_that_does_not_hold_is_refused_even_when_it_is_not_needed() {
    let bytes =
        Recipe { signers: vec![2], epoch: 1, lineage: vec![rotation(0, 1, 2)], ..Recipe::default() }.build();
    let mut store = pinned();
    store.rotate(&rotation(0, 1, 2)).unwrap();
    verify_with(&store, bytes.clone()).unwrap();
    let broken = super::support::with_signature(&bytes, |file| {
        file.lineage[0].signatures.pop();
    });
    assert_eq!(verify_with(&store, broken).unwrap_err().code().as_str(), "bad_lineage");
    let without = super::support::with_signature(&bytes, |file| file.lineage.clear());
    assert_eq!(verify_with(&store, without).unwrap_err().code().as_str(), "statement_mismatch");
}

/// A release of this epoch by one numbered key that carries any statements, properly signed.
fn with_lineage(signer: u8, epoch: u64, lineage: &[SignedRotation]) -> Arc<[u8]> {
    let bytes = Recipe { signers: vec![signer], epoch, ..Recipe::default() }.build();
    let envelopes: Vec<_> = lineage.iter().map(|rotation| rotation.envelope().clone()).collect();
    let mut signed = statement(&bytes);
    signed.predicate.lineage_sha256 = SignatureFile::lineage_digest(&envelopes).unwrap();
    let bytes = with_statement_bytes(&bytes, &encode_canonical(&signed).unwrap(), &[signer]);
    super::support::with_signature(&bytes, |file| file.lineage = envelopes).into()
}

#[test]
fn forked_lineage_at_first_contact_is_refused_and_blocks_the_publisher() {
    let forked = [rotation(1, 1, 2), rotation(2, 2, 3), rotation(2, 2, 1)];
    for allow_tofu in [true, false] {
        let mut store = SkillTrustStore::default();
        let snapshot = TrustSnapshot::new(store.clone()).with_tofu(allow_tofu);
        let refusal = verify_skill_artifact(with_lineage(3, 3, &forked), &snapshot, &platform()).unwrap_err();
        let RefusalReason::Trust(reason) = &refusal.reason else { panic!("{refusal}") };
        assert!(matches!(reason, TrustRefusal::Forked { epoch: 2, .. }), "{reason}");
        store.apply(&refusal.proposed.unwrap()).unwrap();
        assert_eq!(store.publisher("acme").unwrap().mode(), Some(PublisherMode::Blocked));
    }
}

#[test]
fn lineage_that_returns_to_a_retired_key_is_refused_and_blocks_the_publisher() {
    let snapshot = TrustSnapshot::new(SkillTrustStore::default()).with_tofu(true);
    let cycle = [rotation(0, 1, 2), rotation(1, 2, 1)];
    let refusal = verify_skill_artifact(with_lineage(1, 2, &cycle), &snapshot, &platform()).unwrap_err();
    let RefusalReason::Trust(reason) = &refusal.reason else { panic!("{refusal}") };
    let TrustRefusal::Lineage { problem, .. } = reason else { panic!("{reason}") };
    assert!(matches!(problem, LineageProblem::KeyReturns { epoch: 2, .. }), "{problem}");
    assert!(matches!(refusal.proposed.unwrap().keys, Some(PublisherChange::Block { .. })));
    // The same by `trust apply`.
    let mut store = pinned();
    store.rotate(&rotation(0, 1, 2)).unwrap();
    assert!(matches!(store.rotate(&rotation(1, 2, 1)), Err(TrustError::KeyReturns { .. })));
}

#[test]
fn lineage_that_is_not_one_line_to_the_release_is_refused_without_a_block() {
    let other =
        SignedRotation::sign("globex", 0, &key_set(&[1], 1), &key_set(&[2], 1), &[&key(1), &key(2)]).unwrap();
    for (signer, epoch, lineage) in [
        (2, 1, vec![other]),
        (3, 2, vec![rotation(0, 1, 2), rotation(2, 2, 3)]),
        (3, 2, vec![rotation(1, 2, 3), rotation(0, 1, 2)]),
        (3, 2, vec![rotation(0, 1, 2), rotation(1, 4, 3)]),
        (2, 1, vec![rotation(0, 1, 2), rotation(0, 1, 2)]),
        (2, 3, vec![rotation(0, 1, 2)]),
        (3, 1, vec![rotation(0, 1, 2)]),
    ] {
        let bytes = with_lineage(signer, epoch, &lineage);
        for store in [SkillTrustStore::default(), pinned()] {
            let snapshot = TrustSnapshot::new(store).with_tofu(true);
            let refusal = verify_skill_artifact(bytes.clone(), &snapshot, &platform()).unwrap_err();
            assert_eq!((refusal.code().as_str(), &refusal.proposed), ("bad_lineage", &None), "{refusal}");
        }
    }
}

#[test]
fn lineage_seen_at_first_contact_is_remembered_and_another_history_is_noticed() {
    let lineage = [rotation(0, 1, 2), rotation(1, 2, 3)];
    let snapshot = TrustSnapshot::new(SkillTrustStore::default()).with_tofu(true);
    let first = verify_skill_artifact(with_lineage(3, 2, &lineage), &snapshot, &platform()).unwrap();
    let mut store = SkillTrustStore::default();
    store.apply(&first.proposed.unwrap()).unwrap();
    assert_eq!(SkillTrustStore::from_rows(store.rows().unwrap()).unwrap(), store);
    verify_with(&store, with_lineage(3, 2, &lineage)).unwrap();
    // Statements older than the pin: signed by keys of that time, they prove the fork.
    let forked =
        verify_with(&store, with_lineage(3, 2, &[rotation(0, 1, 4), rotation(1, 4, 3)])).unwrap_err();
    assert!(matches!(forked.proposed.unwrap().keys, Some(PublisherChange::Block { .. })));
    // Signed by unknown keys, they are refused and block no publisher.
    let strange =
        verify_with(&store, with_lineage(9, 2, &[rotation(0, 7, 8), rotation(1, 8, 9)])).unwrap_err();
    assert_eq!((strange.code().as_str(), strange.proposed), ("bad_lineage", None));
}

#[test]
fn repinned_publisher_begins_a_new_line_of_rotations() {
    let mut store = pinned();
    store.rotate(&rotation(0, 1, 2)).unwrap();
    store.repin("acme", key_set(&[5], 1)).unwrap();
    assert_eq!(store.rotate(&rotation(0, 5, 6)), Ok(RotationOutcome::Rotated));
    assert_eq!(store.rotate(&rotation(0, 5, 7)), Ok(RotationOutcome::Forked));
}

#[test]
fn a_newer_epoch_without_its_rotation_is_refused() {
    let bytes = Recipe { epoch: 3, ..Recipe::default() }.build();
    assert!(matches!(
        trust_refused(&pinned(), bytes),
        TrustRefusal::EpochAhead { found: 3, expected: 0, .. }
    ));
}

#[test]
fn an_allowlisted_key_learns_its_epoch() {
    let bytes = Recipe { epoch: 4, ..Recipe::default() }.build();
    let mut store = store();
    let verification = verify_with(&store, bytes).unwrap();
    assert!(matches!(verification.trust, TrustDecision::Allowlisted));
    store.apply(&verification.proposed.unwrap()).unwrap();
    assert_eq!(store.publisher("acme").unwrap().anchor.as_ref().unwrap().epoch, Some(4));
}

#[test]
fn t09_a_revoked_key_or_release_is_refused() {
    let mut store = store();
    store.revoke(RevocationTarget::Key(key(1).public().key_id()), "leaked");
    assert!(matches!(
        trust_refused(&store, plain()),
        TrustRefusal::Revoked { target: RevocationTarget::Key(_), .. }
    ));
    assert_eq!(
        store.allow("other", key_set(&[1], 1)),
        Err(TrustError::Revoked(RevocationTarget::Key(key(1).public().key_id()))),
        "a revoked key comes in nowhere"
    );

    let mut store = super::support::store();
    let payload = verify_with(&store, plain()).unwrap().skill.payload();
    assert!(store.revoke(RevocationTarget::Payload(payload), "steals notes"));
    assert!(!store.revoke(RevocationTarget::Payload(payload), "another reason"));
    let TrustRefusal::Revoked { reason, .. } = trust_refused(&store, plain()) else {
        panic!("another reason")
    };
    assert_eq!(reason, "steals notes");
    let next = Recipe { version: "1.0.1".into(), counter: 2, ..Recipe::default() }.build();
    verify_with(&store, next).unwrap();
}

#[test]
fn t09_revoked_takes_precedence_over_blocked() {
    let mut store = store();
    store.block("acme", "spam");
    assert!(matches!(trust_refused(&store, plain()), TrustRefusal::Blocked { .. }));
    store.revoke(RevocationTarget::Key(key(1).public().key_id()), "leaked");
    assert!(matches!(trust_refused(&store, plain()), TrustRefusal::Revoked { .. }));
    store.unblock("acme").unwrap();
    assert!(matches!(trust_refused(&store, plain()), TrustRefusal::Revoked { .. }));
    // First contact with a set that holds a revoked key, even if another one signed.
    let set = key_set(&[1, 2], 1);
    let bytes = Recipe { signers: vec![2], keys: Some(set), ..Recipe::default() }.build();
    let mut fresh = SkillTrustStore::default();
    fresh.revoke(RevocationTarget::Key(key(1).public().key_id()), "leaked");
    assert!(matches!(trust_refused(&fresh, bytes), TrustRefusal::Revoked { .. }));
}

fn list(issuer: FeedIssuer, number: u64, keys: &[u8], payloads: &[Sha256Digest]) -> RevocationList {
    RevocationList {
        issuer,
        number,
        keys: keys
            .iter()
            .map(|number| RevokedKey { key_id: key(*number).public().key_id(), reason: "gone".into() })
            .collect(),
        releases: payloads
            .iter()
            .map(|payload| RevokedRelease { payload_sha256: *payload, reason: "gone".into() })
            .collect(),
    }
}

#[test]
fn u07_a_list_of_lower_number_is_refused() {
    let mut store = store();
    store.follow_feed("community", key_set(&[70], 1)).unwrap();
    let feed = || FeedIssuer::Feed("community".into());
    let sign = |list: RevocationList, number: u8| {
        let signed = SignedRevocations::sign(list, &[&key(number)]).unwrap();
        let file = TrustStatement::Revocations(Box::new(signed.clone())).encode().unwrap();
        crate::seeds::keep_of_row("u", "trust_store", &file);
        signed
    };

    let five = sign(list(feed(), 5, &[9], &[]), 70);
    assert_eq!(store.apply_feed(&five), Ok(FeedOutcome::Applied { added: 1 }));
    assert_eq!(store.apply_feed(&five), Ok(FeedOutcome::AlreadyKnown));
    let four = sign(list(feed(), 4, &[], &[]), 70);
    assert_eq!(store.apply_feed(&four), Err(FeedError::Older { found: 4, known: 5 }));
    let other_five = sign(list(feed(), 5, &[8], &[]), 70);
    assert_eq!(store.apply_feed(&other_five), Err(FeedError::TwoForOneNumber(5)));
    let foreign = sign(list(feed(), 6, &[1], &[]), 71);
    assert!(matches!(store.apply_feed(&foreign), Err(FeedError::Envelope(_))));
    let nobody = sign(list(FeedIssuer::Feed("nobody".into()), 1, &[1], &[]), 70);
    assert!(matches!(store.apply_feed(&nobody), Err(FeedError::UnknownIssuer(_))));
    verify_with(&store, plain()).unwrap();

    // A later list that no longer names a key does not bring it back.
    let six = sign(list(feed(), 6, &[1], &[]), 70);
    assert_eq!(store.apply_feed(&six), Ok(FeedOutcome::Applied { added: 1 }));
    assert_eq!(store.apply_feed(&sign(list(feed(), 7, &[], &[]), 70)), Ok(FeedOutcome::Applied { added: 0 }));
    assert!(matches!(trust_refused(&store, plain()), TrustRefusal::Revoked { .. }));
}

#[test]
fn t09_publisher_revokes_only_its_own_releases() {
    let mut store = store();
    store.allow("rival", key_set(&[2], 1)).unwrap();
    let payload = verify_with(&store, plain()).unwrap().skill.payload();
    let attack = list(FeedIssuer::Publisher("rival".into()), 1, &[1], &[payload]);
    store.apply_feed(&SignedRevocations::sign(attack, &[&key(2)]).unwrap()).unwrap();
    verify_with(&store, plain()).unwrap();
    let own = list(FeedIssuer::Publisher("acme".into()), 1, &[], &[payload]);
    let borrowed = SignedRevocations::sign(own.clone(), &[&key(2)]).unwrap();
    assert!(store.apply_feed(&borrowed).is_err());
    store.apply_feed(&SignedRevocations::sign(own, &[&key(1)]).unwrap()).unwrap();
    assert!(matches!(trust_refused(&store, plain()), TrustRefusal::Revoked { .. }));
}

#[test]
fn m01_a_skill_of_another_publisher_is_refused() {
    // Everything is signed and consistent, but the id is in another publisher's namespace.
    let toml = Recipe::default().manifest().replace("publisher = \"acme\"", "publisher = \"rival\"");
    assert!(palyra_skills::parse_manifest_toml(&toml).is_err(), "the manifest's own grammar says so");
    let bytes = super::support::resigned(&plain(), &[("skill.toml", toml.as_bytes())], |predicate| {
        predicate.publisher = "rival".into();
    });
    let mut store = SkillTrustStore::default();
    store.allow("rival", key_set(&[1], 1)).unwrap();
    assert_eq!(verify_with(&store, bytes).unwrap_err().step, VerifyStepName::Manifest);

    // The store checks this independently of the manifest.
    let mark = palyra_skills::trust::ReleaseMark {
        skill_id: "acme.notes".into(),
        version: "1.0.0".parse().unwrap(),
        release_counter: 1,
        payload: Sha256Digest::of(b""),
        built_in: false,
    };
    assert!(matches!(
        store.record_release("rival", &mark),
        Err(TrustError::Rollback(refusal)) if matches!(*refusal, RollbackRefusal::Namespace { .. })
    ));
    store.record_release("acme", &mark).unwrap();
    // A publisher whose name is a prefix of another's.
    let long = palyra_skills::trust::ReleaseMark { skill_id: "acmeworks.notes".into(), ..mark };
    assert!(matches!(
        store.record_release("acme", &long),
        Err(TrustError::Rollback(refusal)) if matches!(*refusal, RollbackRefusal::Namespace { .. })
    ));
}

#[test]
fn operators_decide_step_by_step() {
    let mut store = pinned();
    assert_eq!(store.pin("acme", key_set(&[2], 1), 0), Err(TrustError::OtherKeys("acme".into())));
    assert_eq!(store.allow("acme", key_set(&[2], 1)), Err(TrustError::OtherKeys("acme".into())));
    store.allow("acme", key_set(&[1], 1)).unwrap();
    assert_eq!(store.publisher("acme").unwrap().mode(), Some(PublisherMode::Allowlisted));
    store.repin("acme", key_set(&[2], 1)).unwrap();
    assert!(matches!(trust_refused(&store, plain()), TrustRefusal::RetiredKey { .. }));
    assert_eq!(store.repin("nobody", key_set(&[2], 1)), Err(TrustError::UnknownPublisher("nobody".into())));
    store.block("stranger", "spam");
    assert!(matches!(store.pin("stranger", key_set(&[3], 1), 0), Err(TrustError::Blocked { .. })));
    store.unblock("stranger").unwrap();
    assert_eq!(store.publisher("stranger"), None);
    assert!(matches!(store.unblock("acme"), Err(TrustError::NotBlocked(_))));
    for error in [TrustError::UnknownPublisher("a".into()), TrustError::OtherKeys("a".into())] {
        assert!(error.hint().contains("palyra trust"));
    }
}

#[test]
fn a_statement_file_says_what_it_is() {
    let rotation = rotation(0, 1, 2);
    let file = TrustStatement::Rotation(Box::new(rotation)).encode().unwrap();
    let with_newline = [&file[..], b"\n"].concat();
    assert!(matches!(TrustStatement::parse(&with_newline), Ok(TrustStatement::Rotation(_))));
    let feed =
        SignedRevocations::sign(list(FeedIssuer::Publisher("acme".into()), 1, &[], &[]), &[&key(1)]).unwrap();
    let file = TrustStatement::Revocations(Box::new(feed)).encode().unwrap();
    assert!(matches!(TrustStatement::parse(&file), Ok(TrustStatement::Revocations(_))));
    assert!(TrustStatement::parse(b"{}").is_err());
    let release = palyra_skills::signing::strict_json::encode_canonical(
        &super::support::signature_file(&plain()).envelope,
    )
    .unwrap();
    assert!(TrustStatement::parse(&release).is_err());
}

#[test]
fn keys_that_did_not_sign_are_not_counted() {
    // A statement that lists two keys with a threshold of one, signed by the one the store does not know.
    let mut listed = statement(&plain());
    listed.predicate.keys = key_set(&[1, 9], 1).keys().map(Into::into).collect();
    let bytes = palyra_skills::signing::strict_json::encode_canonical(&listed).unwrap();
    let bytes = with_statement_bytes(&plain(), &bytes, &[9]);
    assert!(matches!(trust_refused(&store(), bytes.into()), TrustRefusal::KeyMismatch { .. }));
}

//! The store as rows: they are read back unchanged, and other rows are refused. The storage part of T01 and T03.

use palyra_skills::SkillTrustStore;
use palyra_skills::trust::{
    BuilderKey, FeedIssuer, RevocationList, RevocationTarget, SignedRevocations, SignedRotation, TrustRow,
    TrustRowError,
};

use super::support::{Recipe, key, key_set, plain, verify_with};

/// Returns a store with rows of every kind.
fn full() -> SkillTrustStore {
    let mut store = super::support::store();
    store.apply(&verify_with(&store, plain()).unwrap().proposed.unwrap()).unwrap();
    let next = Recipe { version: "1.1.0".into(), counter: 2, ..Recipe::default() }.build();
    store.apply(&verify_with(&store, next).unwrap().proposed.unwrap()).unwrap();
    let rotation = SignedRotation::sign(
        "acme",
        0,
        &key_set(&[1], 1),
        &key_set(&[2, 3], 2),
        &[&key(1), &key(2), &key(3)],
    );
    store.rotate(&rotation.unwrap()).unwrap();
    store.pin("other", key_set(&[4], 1), 7).unwrap();
    store.repin("other", key_set(&[5], 1)).unwrap();
    store.block("spammer", "spam");
    store.allow_builder(BuilderKey { name: "ci".into(), key: key(50).public(), level: 2 }).unwrap();
    store.follow_feed("community", key_set(&[70], 1)).unwrap();
    store.revoke(RevocationTarget::Key(key(99).public().key_id()), "leaked");
    let list = RevocationList {
        issuer: FeedIssuer::Publisher("other".into()),
        number: 3,
        keys: vec![],
        releases: vec![palyra_skills::trust::RevokedRelease {
            payload_sha256: palyra_skills::Sha256Digest::of(b"x"),
            reason: "bad".into(),
        }],
    };
    store.apply_feed(&SignedRevocations::sign(list, &[&key(5)]).unwrap()).unwrap();
    store
}

#[test]
fn rows_come_back_as_the_same_store() {
    let store = full();
    let rows = store.rows().unwrap();
    crate::seeds::keep("trust_store", &crate::seeds::trust_lines(&rows));
    assert!(rows.is_sorted());
    let mut shuffled = rows.clone();
    shuffled.reverse();
    let back = SkillTrustStore::from_rows(shuffled).unwrap();
    assert_eq!(back, store);
    assert_eq!(back.rows().unwrap(), rows);
    let shown = store.display().unwrap();
    assert_eq!(shown["publisher"]["spammer"]["blocked"], "spam");
    assert_eq!(shown["skill"]["acme.notes"]["owner"], "acme");
}

#[test]
fn t01_damaged_rows_are_refused() {
    let rows = full().rows().unwrap();
    for index in 0..rows.len() {
        let with = |bytes: Vec<u8>| {
            let mut rows = rows.clone();
            rows[index].bytes = bytes;
            crate::seeds::keep_of_row("t", "trust_store", &crate::seeds::trust_lines(&rows[index..=index]));
            SkillTrustStore::from_rows(rows)
        };
        let whole = rows[index].bytes.clone();
        for bytes in [Vec::new(), b"null".to_vec(), b"{}".to_vec(), whole[..whole.len() / 2].to_vec()] {
            assert!(matches!(with(bytes), Err(TrustRowError::Value { .. })), "{}", rows[index].key);
        }
        for extra in [&b" "[..], b"\n", b"{}"] {
            assert!(with([&whole[..], extra].concat()).is_err());
        }
        let text = String::from_utf8(whole).unwrap();
        assert!(with(text.replacen('{', "{\"extra\":1,", 1).into_bytes()).is_err());
        assert!(with(text.replacen(':', ": ", 1).into_bytes()).is_err());
    }
}

#[test]
fn t03_a_key_twice_is_refused() {
    let rows = full().rows().unwrap();
    let mut doubled = rows.clone();
    doubled.push(rows[0].clone());
    crate::seeds::keep("trust_store", &crate::seeds::trust_lines(&doubled));
    assert!(matches!(SkillTrustStore::from_rows(doubled), Err(TrustRowError::Duplicate(_))));

    let publisher = rows.iter().position(|row| row.key == "publisher/other").unwrap();
    let text = String::from_utf8(rows[publisher].bytes.clone()).unwrap();
    let key = key(5).public().to_string();
    let mut edited = rows.clone();
    edited[publisher].bytes =
        text.replacen(&format!("\"{key}\""), &format!("\"{key}\",\"{key}\""), 1).into_bytes();
    crate::seeds::keep("trust_store", &crate::seeds::trust_lines(&edited));
    assert!(matches!(SkillTrustStore::from_rows(edited), Err(TrustRowError::Value { .. })));
    let mut edited = rows;
    edited[publisher].bytes = text.replacen("\"blocked\"", "\"blocked\":null,\"blocked\"", 1).into_bytes();
    crate::seeds::keep("trust_store", &crate::seeds::trust_lines(&edited));
    assert!(matches!(SkillTrustStore::from_rows(edited), Err(TrustRowError::Value { .. })));
}

#[test]
fn rows_without_a_meaning_are_refused() {
    let row = |key: &str| TrustRow { key: key.into(), bytes: b"{}".to_vec() };
    let builder = full().rows().unwrap().into_iter().find(|row| row.key.starts_with("builder/")).unwrap();
    let renamed = TrustRow { key: format!("builder/{}", key(51).public().key_id()), ..builder };
    for row in [
        row(""),
        row("publisher"),
        row("publisher/"),
        row("pubisher/a"),
        row("revoked/key/x/everywhere"),
        renamed,
    ] {
        let error = SkillTrustStore::from_rows([row]).unwrap_err();
        assert!(matches!(error, TrustRowError::UnknownKey(_)), "{error}");
        assert!(error.hint().contains("trust repair"));
    }
}

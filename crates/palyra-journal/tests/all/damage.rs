//! Manipulations of the rows, with the check that detects each.

use crate::home::{Home, append_many, event, key, options, signer};
use palyra_journal::{
    Checkpoint, Damage, JournalError, JournalStore, Query, TreeHash, TreeHead, VerifyReport, VerifyScope,
    Witness, inspect_journal,
};

fn damage_on_open(result: Result<JournalStore, JournalError>) -> Damage {
    match result {
        Err(JournalError::Damaged(damage)) => damage,
        Err(error) => panic!("refused for another reason: {error}"),
        Ok(_) => panic!("the damaged journal was opened"),
    }
}

fn verify(home: &Home) -> VerifyReport {
    inspect_journal(&home.path(), &[key()], VerifyScope::Everything, None).unwrap()
}

fn first_bad(home: &Home) -> u64 {
    match verify(home).damage.expect("the damage was not found") {
        Damage::EventMissing { sequence }
        | Damage::EventChanged { sequence, .. }
        | Damage::EventUnreadable { sequence, .. }
        | Damage::EventBeyondEnd { sequence, .. }
        | Damage::NodesMissing { sequence, .. }
        | Damage::NodesChanged { sequence, .. }
        | Damage::SummaryChanged { sequence } => sequence,
        Damage::Truncated { found, .. } => found,
        Damage::Forked { intact_before, .. } => intact_before,
        Damage::CheckpointInvalid { size, .. } => size,
        Damage::CheckpointMissing | Damage::HeadUnreadable { .. } => 0,
    }
}

/// 600 events, the last checkpoint at 600; two full tiles and a part of one.
fn journal() -> (Home, TreeHead) {
    Home::filled(600)
}

/// 650 events, of which the last 50 have no checkpoint, as after a kill.
fn killed_journal() -> (Home, TreeHead) {
    let (home, head) = Home::filled(600);
    let (copy, store) = (Home::new(), home.open_anchored(head).unwrap());
    append_many(&store, 600..650);
    let now = store.head();
    // A copy of the files while the writer runs, with every committed event.
    for name in ["state.db", "state.db-wal"] {
        std::fs::copy(home.directory.path().join(name), copy.directory.path().join(name)).unwrap();
    }
    (copy, now)
}

#[test]
fn untouched_is_intact() {
    let (home, head) = killed_journal();
    let report = verify(&home);
    assert_eq!((report.damage, report.events_checked, report.checkpoints_checked), (None, 650, 7));
    assert_eq!(home.open_anchored(head).unwrap().head(), head);
}

#[test]
fn i04_truncated_by_one_below_the_anchored_head_is_refused() {
    let (home, head) = killed_journal();
    // The hardest truncation to detect: the journal as it was before the last event.
    let shorter = {
        let other = Home::filled(600).0;
        let store = other.open().unwrap();
        append_many(&store, 600..649);
        store.head()
    };
    home.tamper(&format!(
        "DELETE FROM journal_event WHERE seq = 649; UPDATE journal_head SET size = 649, root = x'{}';",
        shorter.root
    ));
    assert_eq!(
        damage_on_open(home.open_anchored(head)),
        Damage::Truncated { found: 649, expected: 650, witness: Witness::Anchor }
    );
    assert_eq!(home.open().unwrap().head(), shorter, "without an anchor nobody can tell");
}

#[test]
fn i04_the_last_row_deleted_is_refused() {
    let (home, _) = killed_journal();
    home.tamper("DELETE FROM journal_event WHERE seq = 649;");
    assert_eq!(
        damage_on_open(home.open()),
        Damage::Truncated { found: 649, expected: 650, witness: Witness::Head }
    );
    assert_eq!(first_bad(&home), 649);
}

#[test]
fn i04_a_row_edited_after_the_last_checkpoint_is_refused_on_open() {
    let (home, head) = killed_journal();
    for column in ["at_ms", "kind", "actor", "run", "skill", "subject", "details"] {
        let (copy, _) = killed_journal();
        let value = if column == "at_ms" { "7" } else { "'\"7\"'" };
        copy.tamper(&format!("UPDATE journal_event SET {column} = {value} WHERE seq = 620;"));
        let damage = damage_on_open(copy.open_anchored(head));
        assert!(matches!(damage, Damage::EventChanged { sequence: 620, .. }), "{column}: {damage}");
        assert_eq!(first_bad(&copy), 620);
    }
    assert!(home.open_anchored(head).is_ok());
}

#[test]
fn i04_a_row_edited_together_with_its_hash_and_head_is_refused_by_the_anchor() {
    let (home, head) = killed_journal();
    // A whole journal with another event 620, made with the same key: only the anchor detects it.
    let (other, forged) = {
        let (other, head) = Home::filled(600);
        let store = other.open_anchored(head).unwrap();
        append_many(&store, 600..620);
        store.append(event(9_999)).wait().unwrap();
        append_many(&store, 621..650);
        let head = store.close().unwrap().head();
        drop(store);
        (other, head)
    };
    assert_ne!(forged.root, head.root);
    let damage = damage_on_open(other.open_anchored(head));
    assert!(
        matches!(&damage, Damage::Forked { size: 650, expected, witness: Witness::Anchor, .. } if *expected == head.root),
        "{damage}"
    );
    drop(home);
}

#[test]
fn i04_a_row_edited_before_the_last_checkpoint_is_found_by_verify() {
    let (home, head) = journal();
    home.tamper("UPDATE journal_event SET skill = 'evil.skill' WHERE seq = 5;");
    let store = home.open_anchored(head).unwrap();
    let report = store.verify(VerifyScope::Everything, None).unwrap();
    assert!(matches!(report.damage, Some(Damage::EventChanged { sequence: 5, .. })), "{report:?}");
    assert!(store.verify(VerifyScope::SinceLastCheckpoint, None).unwrap().is_intact());
}

#[test]
fn i04_an_old_edited_row_is_found_when_it_is_read() {
    let (home, head) = journal();
    home.tamper("UPDATE journal_event SET details = '{\"number\":6}' WHERE seq = 5;");
    let store = home.open_anchored(head).unwrap();
    let read = store.query(&Query { from_sequence: Some(5), limit: 1, ..Query::default() });
    assert!(matches!(read, Err(JournalError::Damaged(Damage::EventChanged { sequence: 5, .. }))));
    assert!(matches!(store.receipt(5), Err(JournalError::Damaged(Damage::EventChanged { sequence: 5, .. }))));
    assert!(store.query(&Query { from_sequence: Some(6), limit: 1, ..Query::default() }).is_ok());
}

/// The hash column follows the edit, so that only the tree knows.
fn edit_with_hash(home: &Home, sequence: u64) {
    let (other, _) = Home::filled(0);
    let store = other.open().unwrap();
    let hash = store.append(event(9_999).details(serde_json::json!({}))).wait().unwrap().hash;
    let forged = event(9_999);
    home.tamper(&format!(
        "UPDATE journal_event SET at_ms = {}, kind = '{}', run = '{}', skill = '{}', details = '{{}}', hash = x'{hash}'
         WHERE seq = {sequence};",
        forged.at_ms,
        forged.kind,
        forged.run.unwrap(),
        forged.skill.unwrap()
    ));
}

#[test]
fn i04_an_old_row_edited_together_with_its_hash_is_found_by_its_proof() {
    let (home, head) = journal();
    edit_with_hash(&home, 5);
    let store = home.open_anchored(head).unwrap();
    let read = |with_proofs| {
        store.query(&Query { from_sequence: Some(5), limit: 1, with_proofs, ..Query::default() })
    };
    assert!(read(false).is_ok(), "the row and its hash agree");
    assert!(matches!(read(true), Err(JournalError::Damaged(Damage::EventChanged { sequence: 5, .. }))));
    drop(store);
    assert_eq!(first_bad(&home), 5);
}

#[test]
fn a_row_in_the_open_tile_edited_together_with_its_hash_is_refused_on_open() {
    let (home, head) = journal();
    edit_with_hash(&home, 520);
    let damage = damage_on_open(home.open_anchored(head));
    assert!(matches!(damage, Damage::Forked { size: 600, witness: Witness::Checkpoint, .. }), "{damage}");
    assert!(matches!(
        verify(&home).damage,
        Some(Damage::Forked { size: 600, intact_before: 500, witness: Witness::Checkpoint, .. })
    ));
}

#[test]
fn a_missing_row_in_the_middle_is_named() {
    for sequence in [0, 100, 300, 599] {
        let (home, _) = journal();
        home.tamper(&format!("DELETE FROM journal_event WHERE seq = {sequence};"));
        assert_eq!(first_bad(&home), sequence);
    }
}

#[test]
fn two_rows_swapped_are_found() {
    for (first, second) in [(10, 20), (255, 256), (610, 620)] {
        let (home, _) = killed_journal();
        home.tamper(
            &format!(
                "UPDATE journal_event SET seq = -1 WHERE seq = {first};
             UPDATE journal_event SET seq = {first} WHERE seq = {second};
             UPDATE journal_event SET seq = {second} WHERE seq = -1;"
            )
            .replace("seq = -1", "seq = 999999"),
        );
        let damage = verify(&home).damage.expect("the swap was not found");
        match first {
            // The row and its hash moved together, and no tile holds the hashes yet: the head disagrees.
            610 => assert!(matches!(damage, Damage::Forked { intact_before: 600, .. }), "{damage}"),
            _ => assert!(
                matches!(damage, Damage::EventChanged { sequence, .. } if sequence == first),
                "{damage}"
            ),
        }
        let opened = home.open();
        assert_eq!(opened.is_err(), first == 610, "after the last checkpoint it is noticed at once");
    }
}

#[test]
fn a_row_beyond_the_end_is_refused() {
    let (home, _) = journal();
    home.tamper(
        "INSERT INTO journal_event SELECT 600, at_ms, kind, actor, run, skill, subject, hash, details
         FROM journal_event WHERE seq = 3;",
    );
    assert_eq!(damage_on_open(home.open()), Damage::EventBeyondEnd { sequence: 600, size: 600 });
}

#[test]
fn a_value_of_another_type_is_named() {
    let (home, _) = killed_journal();
    home.tamper("UPDATE journal_event SET at_ms = -1 WHERE seq = 630;");
    assert!(matches!(damage_on_open(home.open()), Damage::EventUnreadable { sequence: 630, .. }));
}

#[test]
fn edited_subtree_hashes_are_found() {
    for (sql, sequence) in [
        ("UPDATE journal_tile SET hashes = zeroblob(8192) WHERE idx = 1", 256),
        ("UPDATE journal_tile SET root = zeroblob(32) WHERE idx = 1", 511),
        ("DELETE FROM journal_tile WHERE idx = 0", 0),
    ] {
        let (home, _) = journal();
        home.tamper(sql);
        assert_eq!(first_bad(&home), sequence, "{sql}");
    }
}

#[test]
fn a_summary_that_hides_events_is_found() {
    for sql in [
        "UPDATE journal_block SET terms = zeroblob(2048)",
        "UPDATE journal_block SET first_ms = last_ms",
        "DELETE FROM journal_block",
    ] {
        let (home, _) = Home::filled(1_030);
        home.tamper(sql);
        assert_eq!(verify(&home).damage, Some(Damage::SummaryChanged { sequence: 0 }), "{sql}");
    }
    let (home, head) = Home::filled(1_030);
    home.tamper("DELETE FROM journal_block");
    let store = home.open_anchored(head).unwrap();
    let search = store.query(&Query { skill: Some("acme.skill1".into()), ..Query::default() });
    assert!(matches!(search, Err(JournalError::Damaged(Damage::SummaryChanged { sequence: 0 }))));
}

#[test]
fn an_edited_head_row_is_refused() {
    for sql in [
        "UPDATE journal_head SET root = zeroblob(32)",
        "UPDATE journal_head SET size = 599",
        "UPDATE journal_head SET size = 601",
        "UPDATE journal_head SET size = 4611686018427387904",
        "DELETE FROM journal_head",
    ] {
        let (home, _) = journal();
        home.tamper(sql);
        damage_on_open(home.open());
        assert!(!verify(&home).is_intact(), "{sql}");
    }
}

#[test]
fn a_forged_or_missing_checkpoint_is_refused() {
    let forger = palyra_journal::CheckpointSigner::from_seed("palyra.test/journal", &[9; 32]).unwrap();
    let note = forger.sign(TreeHead { size: 600, root: TreeHash::of_leaf(b"forged") });
    for (sql, expected) in [
        (format!("UPDATE journal_checkpoint SET note = '{}' WHERE size = 600", note.note()), "no signature"),
        ("UPDATE journal_checkpoint SET size = 590 WHERE size = 600".to_owned(), "was signed for size 600"),
        ("DELETE FROM journal_checkpoint".to_owned(), "no checkpoint"),
    ] {
        let (home, head) = journal();
        home.tamper(&sql);
        let damage = damage_on_open(home.open_anchored(head));
        assert!(damage.to_string().contains(expected), "{damage}");
    }
}

#[test]
fn a_checkpoint_beyond_the_end_is_truncation() {
    let (home, _) = journal();
    let honest = signer().sign(TreeHead { size: 700, root: TreeHash::of_leaf(b"later") });
    home.tamper(&format!("INSERT INTO journal_checkpoint VALUES (700, '{}')", honest.note()));
    let expected = Damage::Truncated { found: 600, expected: 700, witness: Witness::Checkpoint };
    assert_eq!(damage_on_open(home.open()), expected);
    assert_eq!(verify(&home).damage, Some(expected));
}

#[test]
fn rewritten_history_is_detected_by_external_checkpoint() {
    let (home, _) = journal();
    let kept = {
        let store = home.open().unwrap();
        store.checkpoint().wait().unwrap()
    };
    // The same key but another history, all of it signed: only the stored note detects it.
    let forged = Home::new();
    let store = JournalStore::create(&forged.path(), options()).unwrap();
    append_many(&store, 1_000..1_700);
    store.close().unwrap();
    assert!(verify(&forged).is_intact());
    let kept = Checkpoint::open(kept.note(), &key()).unwrap();
    let report =
        inspect_journal(&forged.path(), &[key()], VerifyScope::SinceLastCheckpoint, Some(&kept)).unwrap();
    assert!(
        matches!(report.damage, Some(Damage::Forked { size: 600, witness: Witness::Outside, .. })),
        "{report:?}"
    );
    let honest = inspect_journal(&home.path(), &[key()], VerifyScope::Everything, Some(&kept)).unwrap();
    assert!(honest.is_intact());
    let short = Home::filled(400).0;
    let report = inspect_journal(&short.path(), &[key()], VerifyScope::Everything, Some(&kept)).unwrap();
    assert_eq!(
        report.damage,
        Some(Damage::Truncated { found: 400, expected: 600, witness: Witness::Outside })
    );
}

#[test]
fn an_older_database_in_the_place_of_the_newer_is_refused_by_the_anchor() {
    let (home, head) = journal();
    let older = home.directory.path().join("older.db");
    std::fs::copy(home.path(), &older).unwrap();
    let store = home.open_anchored(head).unwrap();
    append_many(&store, 600..700);
    let newer = store.close().unwrap().head();
    drop(store);
    std::fs::copy(&older, home.path()).unwrap();
    assert_eq!(
        damage_on_open(home.open_anchored(newer)),
        Damage::Truncated { found: 600, expected: 700, witness: Witness::Anchor }
    );
}

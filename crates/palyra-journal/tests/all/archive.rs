//! Archived events can be proven and imported again.

use crate::home::{Home, append_many, event, key};
use palyra_journal::{
    CheckpointSigner, Damage, EventKind, JournalError, Query, Segment, SegmentError, TreeHead, VerifyScope,
};
use proptest::prelude::*;
use std::path::PathBuf;

/// 1,200 events of which the first 1,024 are in a segment file; the head before that.
fn archived() -> (Home, PathBuf, TreeHead) {
    let (home, head) = Home::filled(1_200);
    let directory = home.directory.path().join("archive");
    std::fs::create_dir(&directory).unwrap();
    let store = home.open_anchored(head).unwrap();
    let segments = store.archive(1_100, &directory, 42).unwrap();
    assert_eq!(segments.iter().map(|segment| (segment.first, segment.end)).collect::<Vec<_>>(), [(0, 1_024)]);
    let path = directory.join(&segments[0].file);
    (home, path, head)
}

#[test]
fn archived_events_are_gone_from_the_rows_and_still_proven() {
    let (home, path, before) = archived();
    let store = home.open_anchored(before).unwrap();
    let page = store.query(&Query { limit: 1, ..Query::default() }).unwrap();
    assert_eq!((page.archived, page.events[0].leaf.sequence), (1_024, 1_024));
    let report = store.verify(VerifyScope::Everything, None).unwrap();
    assert_eq!((report.archived, report.events_checked, &report.damage), (1_024, 177, &None));
    assert!(report.checkpoints_checked >= 12, "{report:?}");
    assert!(store.consistency_with(before).unwrap().verify().is_ok());
    let last =
        store.query(&Query { newest_first: true, limit: 1, with_proofs: true, ..Query::default() }).unwrap();
    assert_eq!(last.events[0].event.kind, EventKind::JournalArchived);

    let segment = Segment::decode(&std::fs::read(path).unwrap()).unwrap().verify(&[key()]).unwrap();
    for (number, read) in (0..).zip(segment.events()) {
        assert_eq!(read.unwrap(), (number, event(number)));
    }
    assert_eq!(segment.segment().leaves().len(), 1_024);
}

#[test]
fn archiving_goes_on_where_it_stopped_and_imports_go_back() {
    let (home, path, before) = archived();
    let store = home.open_anchored(before).unwrap();
    append_many(&store, 1_200..3_300);
    store.checkpoint().wait().unwrap();
    let segments = store.archive(u64::MAX, path.parent().unwrap(), 43).unwrap();
    assert_eq!((segments[0].first, segments[0].end), (1_024, 3_072));
    let root = store.head();
    let read =
        |path: PathBuf| Segment::decode(&std::fs::read(path).unwrap()).unwrap().verify(&[key()]).unwrap();
    let (old, new) = (read(path.clone()), read(path.with_file_name(&segments[0].file)));
    assert!(matches!(
        store.import(old.clone(), 44),
        Err(JournalError::Segment(SegmentError::NotAdjacent { end: 1_024, archived: 3_072 }))
    ));
    store.import(new, 45).unwrap();
    store.import(old.clone(), 46).unwrap();
    assert!(store.import(old, 47).is_err(), "twice");
    let page = store.query(&Query { limit: 1, with_proofs: true, ..Query::default() }).unwrap();
    assert_eq!((page.archived, &page.events[0].event), (0, &event(0)));
    assert!(store.consistency_with(root).unwrap().verify().is_ok());
    let report = store.verify(VerifyScope::Everything, None).unwrap();
    assert_eq!((report.events_checked, report.damage), (store.head().size, None));
}

#[test]
fn nothing_is_archived_that_no_checkpoint_covers() {
    let home = Home::new();
    let store = home.create();
    append_many(&store, 0..90);
    assert!(store.archive(u64::MAX, home.directory.path(), 1).unwrap().is_empty());
    append_many(&store, 90..1_023);
    store.checkpoint().wait().unwrap();
    assert!(store.archive(u64::MAX, home.directory.path(), 1).unwrap().is_empty(), "no whole block");
}

#[test]
fn a_damaged_row_is_not_archived() {
    let (home, head) = Home::filled(1_100);
    home.tamper("UPDATE journal_event SET run = 'x' WHERE seq = 17;");
    let store = home.open_anchored(head).unwrap();
    let outcome = store.archive(u64::MAX, home.directory.path(), 1);
    assert!(matches!(outcome, Err(JournalError::Damaged(Damage::EventChanged { sequence: 17, .. }))));
    assert_eq!(store.query(&Query { limit: 1, ..Query::default() }).unwrap().archived, 0);
}

#[test]
fn a_segment_of_another_history_is_not_imported() {
    let (home, _, before) = archived();
    let other = Home::new();
    let store = other.create();
    append_many(&store, 5_000..6_100);
    store.checkpoint().wait().unwrap();
    let segments = store.archive(1_024, other.directory.path(), 1).unwrap();
    let bytes = std::fs::read(other.directory.path().join(&segments[0].file)).unwrap();
    let forged = Segment::decode(&bytes).unwrap().verify(&[key()]).unwrap();
    let store = home.open_anchored(before).unwrap();
    let head = store.head();
    let outcome = store.import(forged, 2);
    assert!(matches!(outcome, Err(JournalError::Damaged(Damage::EventChanged { sequence: 0, .. }))));
    assert_eq!(store.head(), head);
}

#[test]
fn a_segment_is_bound_to_its_key() {
    let (_home, path, _) = archived();
    let other = CheckpointSigner::from_seed("palyra.test/journal", &[9; 32]).unwrap();
    let segment = Segment::decode(&std::fs::read(path).unwrap()).unwrap();
    assert!(matches!(segment.verify(&[other.key().clone()]), Err(SegmentError::BadCheckpoint(_))));
}

#[test]
fn what_is_no_segment_is_refused() {
    let check = |text: &str| Segment::decode(text.as_bytes()).unwrap_err().to_string();
    let leaf = r#"{"at_ms":1,"details":{},"kind":"vault:put","v":1}"#;
    assert!(check("").contains("line 1"));
    assert!(check("palyra-journal-segment/2\n").contains("line 1"));
    for header in [
        "",
        "0 1",
        "0 1 0 0",
        "00 1 0",
        "0 +1 0",
        "0 0 0",
        "0 65537 0",
        "0 1 127",
        "-1 1 0",
        "9223372036854775807 1 0",
        "18446744073709551615 1 0",
        "0  1 0",
    ] {
        assert!(
            check(&format!("palyra-journal-segment/1\n{header}\n{leaf}\nnote")).contains("line 2"),
            "{header}"
        );
    }
    assert!(check(&format!("palyra-journal-segment/1\n0 1 1\n{leaf}\nnote")).contains("line 3"));
    assert!(check("palyra-journal-segment/1\n0 1 0\n{}\nnote").contains("line 3"));
    assert!(check(&format!("palyra-journal-segment/1\n0 2 0\n{leaf}\nnote")).contains("line 4"));
    assert!(check(&format!("palyra-journal-segment/1\n0 1 0\n{leaf}\n")).contains("line 4"));
    let unknown = leaf.replace("vault:put", "vault:sung");
    let error =
        Segment::decode(format!("palyra-journal-segment/1\n7 1 0\n{unknown}\nnote").as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "line 3 of the segment, sequence 7");
    assert!(std::error::Error::source(&error).unwrap().to_string().contains("`vault:sung`"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any change to any byte is refused by the reader or the proof, and accepted bytes encode to themselves.
    #[test]
    fn a_changed_segment_is_refused(place in any::<prop::sample::Index>(), change in 1_u8..=255) {
        let bytes = sample();
        let mut changed = bytes.to_vec();
        changed[place.index(bytes.len())] ^= change;
        if let Ok(segment) = Segment::decode(&changed) {
            prop_assert_eq!(segment.encode(), changed);
            prop_assert!(segment.verify(&[key()]).is_err());
        }
        let cut = &bytes[..place.index(bytes.len())];
        prop_assert!(Segment::decode(cut).and_then(|segment| segment.verify(&[key()])).is_err());
    }
}

#[test]
fn i04_a_segment_cut_by_one_or_edited_is_refused() {
    let text = std::str::from_utf8(sample()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let cut = [&lines[..2], &lines[3..]].concat().join("\n");
    let edited = text.replacen("\"at_ms\":", "\"at_ms\":1", 1);
    assert_ne!(edited, text);
    for (name, bytes) in [("cut_by_one", cut), ("edited", edited)] {
        keep_seed(&format!("i04_a_segment_{name}"), bytes.as_bytes());
        let read = Segment::decode(bytes.as_bytes()).and_then(|segment| segment.verify(&[key()]));
        assert!(read.is_err(), "{name}");
    }
}

/// With `PALYRA_FUZZ_SEEDS` set to a folder, an input becomes a seed of the import.
fn keep_seed(name: &str, bytes: &[u8]) {
    let Some(folder) = std::env::var_os("PALYRA_FUZZ_SEEDS") else { return };
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::write(root.join(folder).join("journal_import").join(name), bytes).unwrap();
}

fn sample() -> &'static [u8] {
    static SAMPLE: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    SAMPLE.get_or_init(|| {
        let (_home, path, _) = archived();
        let bytes = std::fs::read(path).unwrap();
        let segment = Segment::decode(&bytes).unwrap();
        assert_eq!(segment.encode(), bytes);
        segment.verify(&[key()]).unwrap();
        bytes
    })
}

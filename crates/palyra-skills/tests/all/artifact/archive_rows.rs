//! Rows A01 to A22: ambiguous archives and archives with false sizes, offsets or checksums.

use std::io::{Cursor, Read, Seek, SeekFrom, Write as _};

use palyra_skills::artifact::{ArchiveError, ArchiveRecord, NameProblem, SkillArtifact};
use palyra_skills::constants::{MAX_ARCHIVE_BYTES, MAX_ENTRY_BYTES};
use palyra_skills::verify::VerifyStepName;

use super::raw_zip::{RawEntry, RawZip};
use super::support::{Recipe, plain, verify};

/// Both the reader and the whole verification refuse; returns the reader's reason.
fn refused(bytes: &[u8]) -> ArchiveError {
    crate::seeds::keep("skill_archive", bytes);
    let refusal = verify(bytes).expect_err("verification accepted it");
    assert!(matches!(refusal.step, VerifyStepName::Archive | VerifyStepName::Size), "{refusal}");
    assert!(!refusal.hint().is_empty());
    SkillArtifact::read(bytes.into()).expect_err("the reader accepted it")
}

fn name_refused(name: &[u8]) -> NameProblem {
    let mut zip = RawZip::plain();
    zip.add(RawEntry::new(name, b"x"));
    match refused(&zip.bytes()) {
        ArchiveError::Name { problem, .. } => problem,
        other => panic!("{}: {other}", name.escape_ascii()),
    }
}

fn field_refused(zip: &RawZip, name: &str) {
    match refused(&zip.bytes()) {
        ArchiveError::Field { field, .. } if field == name => {}
        other => panic!("expected {name}: {other}"),
    }
}

#[test]
fn a01_a_second_skill_toml_is_refused() {
    let mut zip = RawZip::plain();
    zip.add(RawEntry::new(b"skill.toml", b"manifest_version = 2"));
    assert_eq!(refused(&zip.bytes()), ArchiveError::Duplicate { path: "skill.toml".into() });
}

#[test]
fn a02_a_second_spelling_in_capitals_is_refused() {
    assert_eq!(name_refused(b"SKILL.TOML"), NameProblem::Byte { byte: b'S', offset: 0 });
}

#[test]
fn a03_paths_that_leave_the_archive_are_refused() {
    for name in ["../../x", "/abs", "C:\\w", "a\\..\\b", "assets/../x", "assets/./x"] {
        name_refused(name.as_bytes());
    }
}

#[test]
fn a04_a_symlink_is_refused() {
    let mut link = RawEntry::new(b"assets", b"/etc");
    (link.made_by, link.attributes) = (0x0314, 0o120_777 << 16);
    let mut zip = RawZip::plain();
    zip.add(link.clone()).add(RawEntry::new(b"assets/passwd", b"root"));
    assert!(matches!(refused(&zip.bytes()), ArchiveError::Name { problem: NameProblem::NotAPlace, .. }));

    let mut zip = RawZip::plain();
    (link.local_name, link.central_name) = (b"assets/link".to_vec(), b"assets/link".to_vec());
    zip.add(link);
    field_refused(&zip, "version made by");
    zip.entry("assets/link").made_by = 10;
    field_refused(&zip, "external attributes");
}

#[test]
fn a05_data_before_the_first_header_is_refused() {
    let mut zip = RawZip::plain();
    zip.prefix = b"#!/bin/sh\necho hi\nexit\n".to_vec();
    field_refused(&zip, "offset of the local header");
    // The same with every offset as if the script were not there.
    let mut glued = b"#!/bin/sh\n".to_vec();
    glued.extend_from_slice(&plain());
    refused(&glued);
}

#[test]
fn a06_data_after_the_end_is_refused() {
    let zip = RawZip { suffix: b"more".to_vec(), ..RawZip::plain() };
    assert_eq!(refused(&zip.bytes()), ArchiveError::DataAfterEnd { count: 4 });
}

#[test]
fn a07_two_artifacts_in_one_file_are_refused() {
    let other = Recipe { version: "2.0.0".into(), counter: 2, ..Recipe::default() }.build();
    refused(&[&plain()[..], &other[..]].concat());
}

#[test]
fn a08_an_archive_inside_the_comment_is_refused() {
    let zip = RawZip { comment: plain().to_vec(), ..RawZip::plain() };
    refused(&zip.bytes());
    // A comment that ends with an end record.
    let zip = RawZip { comment: RawZip::default().bytes(), ..RawZip::plain() };
    refused(&zip.bytes());
}

#[test]
fn a09_two_names_for_one_entry_are_refused() {
    let mut zip = RawZip::plain();
    zip.entry("assets/readme.txt").local_name = b"assets/readmf.txt".to_vec();
    assert!(matches!(refused(&zip.bytes()), ArchiveError::NamesDiffer { .. }));
    zip.entry("assets/readme.txt").local_name = b"assets/a".to_vec();
    refused(&zip.bytes());
}

#[test]
fn a10_a_local_header_that_disagrees_is_refused() {
    type Change = fn(&mut RawEntry);
    let changes: [(&str, Change); 4] = [
        ("compression method", |entry| entry.local.method = 8),
        ("compressed size", |entry| entry.local.packed += 1),
        ("size", |entry| entry.local.size += 1),
        ("crc-32", |entry| entry.local.crc ^= 1),
    ];
    for (field, change) in changes {
        let mut zip = RawZip::plain();
        change(zip.entry("modules/notes.wasm"));
        field_refused(&zip, field);
    }
    let mut zip = RawZip::plain();
    zip.entry("modules/notes.wasm").both(|fields| fields.crc ^= 1);
    field_refused(&zip, "crc-32");
}

#[test]
fn a11_two_records_for_one_header_are_refused() {
    let mut zip = RawZip::plain();
    let mut second = RawEntry::new(b"assets/zwei.txt", b"hello");
    (second.in_local, second.offset) = (false, Some(0));
    zip.add(second);
    field_refused(&zip, "offset of the local header");
}

#[test]
fn a12_an_entry_outside_the_directory_is_refused() {
    for path in ["assets/readme.txt", "modules/notes.wasm", "skill.toml"] {
        let mut zip = RawZip::plain();
        zip.entry(path).in_central = false;
        refused(&zip.bytes());
    }
    // Behind the last entry, where no offset betrays it.
    let mut zip = RawZip::plain();
    let mut hidden = RawEntry::new(b"skill.toml", b"hidden");
    hidden.in_central = false;
    zip.entries.push(hidden);
    assert!(matches!(refused(&zip.bytes()), ArchiveError::StrayBytes { .. }));
}

#[test]
fn a13_counts_that_lie_are_refused() {
    refused(&RawZip { count: Some(1), ..RawZip::plain() }.bytes());
    refused(&RawZip { count: Some(7), ..RawZip::plain() }.bytes());
    refused(&RawZip { count: Some(0), ..RawZip::plain() }.bytes());
    let zip = RawZip { directory_size: Some(0), ..RawZip::plain() };
    field_refused(&zip, "size of the directory");
}

#[test]
fn a14_zip64_is_refused() {
    let mut record = 0x0606_4b50_u32.to_le_bytes().to_vec();
    record.extend(44_u64.to_le_bytes());
    record.extend([45, 0, 45, 0]);
    record.extend([0; 8]);
    for number in [1_u64, 1, 46, 0] {
        record.extend(number.to_le_bytes());
    }
    record.extend(0x0706_4b50_u32.to_le_bytes());
    record.extend([0; 12]);
    record.extend(1_u32.to_le_bytes());
    let zip = RawZip { before_end: record, ..RawZip::plain() };
    field_refused(&zip, "size of the directory");
    let zip = RawZip { count: Some(u16::MAX), directory_size: Some(u32::MAX), ..zip };
    assert_eq!(refused(&zip.bytes()), ArchiveError::TooManyEntries { count: 0xffff });
}

#[test]
fn a15_compression_is_refused_without_inflating() {
    let content = b"hello";
    let mut deflated = vec![1, 5, 0, 0xfa, 0xff];
    deflated.extend_from_slice(content);
    let mut zip = RawZip::plain();
    let entry = zip.entry("assets/readme.txt");
    entry.both(|fields| (fields.method, fields.packed) = (8, 10));
    entry.data = deflated;
    assert!(matches!(
        refused(&zip.bytes()),
        ArchiveError::Field { field: "compression method", found: 8, expected: 0, .. }
    ));

    // Many records over one deflated kernel, each declaring the largest allowed size.
    let mut bomb = RawZip::plain();
    for index in 0..250 {
        let mut record = RawEntry::new(format!("assets/bomb{index:03}").as_bytes(), &[0; 64]);
        record.both(|fields| (fields.method, fields.size) = (8, 90 << 20));
        (record.in_local, record.offset) = (index == 0, Some(0));
        bomb.add(record);
    }
    refused(&bomb.bytes());
}

#[test]
fn a16_names_that_are_not_plain_text_are_refused() {
    for name in [&b"assets/a\0b"[..], b"assets/\xff\xfe", b"assets/caf\x82"] {
        assert!(matches!(name_refused(name), NameProblem::Byte { .. }));
    }
}

#[test]
fn a17_accented_names_are_refused_in_both_spellings() {
    for name in ["assets/caf\u{e9}", "assets/cafe\u{301}"] {
        assert!(matches!(name_refused(name.as_bytes()), NameProblem::Byte { .. }));
    }
}

#[test]
fn a18_an_extra_field_that_renames_is_refused() {
    let mut extra = 0x7075_u16.to_le_bytes().to_vec();
    extra.extend(15_u16.to_le_bytes());
    extra.push(1);
    extra.extend(crc32fast::hash(b"assets/readme.txt").to_le_bytes());
    extra.extend_from_slice(b"skill.toml");
    let mut zip = RawZip::plain();
    zip.entry("assets/readme.txt").central.extra = extra.clone();
    field_refused(&zip, "extra length");
    let mut zip = RawZip::plain();
    zip.entry("assets/readme.txt").local.extra = extra;
    refused(&zip.bytes());
}

#[test]
fn a19_the_encrypted_flag_is_refused() {
    let mut zip = RawZip::plain();
    zip.entry("assets/readme.txt").local.flags = 1;
    field_refused(&zip, "flags");
    zip.entry("assets/readme.txt").central.flags = 1;
    field_refused(&zip, "flags");
}

#[test]
fn a20_directories_with_content_and_files_under_files_are_refused() {
    assert_eq!(name_refused(b"assets/dir/"), NameProblem::EmptySegment);
    let mut zip = RawZip::plain();
    zip.add(RawEntry::new(b"assets/readme.txt/more", b"x"));
    let child = "assets/readme.txt/more".into();
    assert_eq!(
        refused(&zip.bytes()),
        ArchiveError::FileIsDirectory { path: "assets/readme.txt".into(), child }
    );
    // Not adjacent after sorting: `-` sorts before `/`.
    zip.add(RawEntry::new(b"assets/readme.txt-2", b"x"));
    assert!(matches!(refused(&zip.bytes()), ArchiveError::FileIsDirectory { .. }));
}

#[test]
fn a21_more_than_512_entries_are_refused() {
    let mut zip = RawZip::plain();
    for index in zip.entries.len()..513 {
        zip.entries.push(RawEntry::new(format!("assets/{index:04}").as_bytes(), b""));
    }
    zip.entries.sort_by(|left, right| left.central_name.cmp(&right.central_name));
    assert_eq!(refused(&zip.bytes()), ArchiveError::TooManyEntries { count: 513 });
    let index = zip.entries.iter().position(|entry| entry.data.is_empty()).unwrap();
    zip.entries.remove(index);
    SkillArtifact::read(zip.bytes().into()).unwrap();
}

#[test]
fn a21_a_file_over_128_mib_is_refused_by_its_length() {
    let mut file = tempfile::tempfile().unwrap();
    file.set_len(MAX_ARCHIVE_BYTES + 1).unwrap();
    let length = file.metadata().unwrap().len();
    let error = SkillArtifact::read_from(&mut file, length).unwrap_err();
    assert_eq!(error, ArchiveError::TooLarge { length });
    assert_eq!(file.stream_position().unwrap(), 0, "nothing was read");
}

#[test]
fn a21_an_entry_over_96_mib_is_refused_by_the_directory() {
    let mut zip = RawZip::plain();
    let mut huge = RawEntry::new(b"assets/huge", b"");
    let size = u32::try_from(MAX_ENTRY_BYTES + 1).unwrap();
    huge.both(|fields| (fields.size, fields.packed) = (size, size));
    zip.add(huge);
    let bytes = zip.bytes();
    assert!(
        matches!(refused(&bytes), ArchiveError::EntryTooLarge { size, .. } if size == MAX_ENTRY_BYTES + 1)
    );

    // The same for real, as a sparse file: only the end record and the directory are read.
    let directory = bytes.windows(4).position(|window| window == 0x0201_4b50_u32.to_le_bytes()).unwrap();
    let mut tail = bytes[directory..].to_vec();
    let place = tail.len() - 6;
    let moved = u32::try_from(directory).unwrap() + size;
    tail[place..place + 4].copy_from_slice(&moved.to_le_bytes());
    let mut file = tempfile::tempfile().unwrap();
    file.seek(SeekFrom::Start(moved.into())).unwrap();
    file.write_all(&tail).unwrap();
    let length = file.metadata().unwrap().len();
    let mut counted = Counted { inner: file, read: 0 };
    let error = SkillArtifact::read_from(&mut counted, length).unwrap_err();
    assert!(matches!(error, ArchiveError::EntryTooLarge { .. }), "{error}");
    assert!(counted.read <= tail.len() + 22, "{} bytes were read", counted.read);
}

#[test]
fn a21_a_sidecar_over_1_mib_is_refused() {
    let mut zip = RawZip::plain();
    *zip.entry("provenance.json") = RawEntry::new(b"provenance.json", &vec![b' '; (1 << 20) + 1]);
    assert!(matches!(refused(&zip.bytes()), ArchiveError::EntryTooLarge { limit: 1_048_576, .. }));
}

#[test]
fn a22_entries_out_of_order_are_refused() {
    let mut zip = RawZip::plain();
    zip.entries.reverse();
    assert!(matches!(refused(&zip.bytes()), ArchiveError::Unsorted { .. }));
}

#[test]
fn a22_another_time_or_mode_is_refused() {
    let mut zip = RawZip::plain();
    zip.entry("skill.toml").both(|fields| fields.date = 0x5a21);
    field_refused(&zip, "date");
    let mut zip = RawZip::plain();
    zip.entry("skill.toml").both(|fields| fields.time = 1);
    field_refused(&zip, "time");
    let mut zip = RawZip::plain();
    zip.entry("modules/notes.wasm").attributes = 0o100_755 << 16;
    field_refused(&zip, "external attributes");
}

#[test]
fn bytes_between_entries_are_refused() {
    let mut zip = RawZip::plain();
    zip.entry("skill.toml").before = b"gap".to_vec();
    field_refused(&zip, "offset of the local header");
    zip.entries.iter_mut().for_each(|entry| entry.before.clear());
    zip.before_end = b"gap".to_vec();
    refused(&zip.bytes());
}

#[test]
fn a_part_that_every_skill_has_is_missed() {
    for path in ["skill.toml", "sbom.cyclonedx.json", "provenance.json", "signature.json"] {
        let mut zip = RawZip::plain();
        zip.entries.retain(|entry| entry.central_name != path.as_bytes());
        assert_eq!(refused(&zip.bytes()), ArchiveError::Missing { path });
    }
}

#[test]
fn every_cut_is_refused() {
    let whole = plain();
    for length in 0..whole.len() {
        SkillArtifact::read(whole[..length].into()).expect_err("a cut archive was read");
    }
}

#[test]
fn reading_from_a_file_gives_the_same_entries() {
    let bytes = plain();
    let artifact = SkillArtifact::read_from(&mut Cursor::new(bytes.to_vec()), bytes.len() as u64).unwrap();
    assert_eq!(artifact.bytes(), &bytes);
    let paths: Vec<&str> = artifact.entries().map(|(path, _)| path).collect();
    let expected = [
        "assets/readme.txt",
        "modules/notes.wasm",
        "provenance.json",
        "sbom.cyclonedx.json",
        "signature.json",
        "skill.toml",
    ];
    assert_eq!(paths, expected);
    assert_eq!(artifact.entry("assets/readme.txt"), Some(&b"hello"[..]));
    assert_eq!(artifact.entry("assets/none"), None);
    let longer = SkillArtifact::read_from(&mut Cursor::new([&bytes[..], b"x"].concat()), bytes.len() as u64);
    assert!(matches!(longer, Err(ArchiveError::Unreadable { .. })), "a file that grows is refused");
}

#[test]
fn messages_name_the_place() {
    let mut zip = RawZip::plain();
    zip.entry("skill.toml").local.flags = 1;
    let error = refused(&zip.bytes());
    assert!(
        matches!(&error, ArchiveError::Field { record: ArchiveRecord::Local { path }, .. } if path == "skill.toml")
    );
    assert_eq!(error.to_string(), "flags of the local header of `skill.toml` is 0x1, expected 0x0");
}

/// Counts the bytes read through it.
struct Counted<R> {
    inner: R,
    read: usize,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read += count;
        Ok(count)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, position: SeekFrom) -> std::io::Result<u64> {
        self.inner.seek(position)
    }
}

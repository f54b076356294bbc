//! Reading the archive: every number is checked before it is used, then the encoding is compared.

use std::collections::HashSet;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use super::Entry;
use super::error::{ArchiveError, ArchiveRecord};
use super::layout::{
    CENTRAL_BYTES, END_BYTES, END_SIGNATURE, EndFacts, EntryFacts, Field, LOCAL_BYTES, LOCAL_SIGNATURE,
    central_fields, end_fields, local_fields, number,
};
use super::names::check_entry_path;
use crate::constants::{
    MANIFEST_PATH, MAX_ARCHIVE_BYTES, MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_PATH_BYTES, MAX_SIDECAR_BYTES,
    PROVENANCE_PATH, SBOM_PATH, SIGNATURE_PATH,
};

/// Refuses a file by its length alone.
pub fn check_archive_length(length: u64) -> Result<(), ArchiveError> {
    if length > MAX_ARCHIVE_BYTES { Err(ArchiveError::TooLarge { length }) } else { Ok(()) }
}

/// Reads a whole archive, in an order that allocates little before an invalid one is refused.
pub(super) fn load_archive<R: Read + Seek>(source: &mut R, length: u64) -> Result<Arc<[u8]>, ArchiveError> {
    check_archive_length(length)?;
    let unreadable = |error: std::io::Error| ArchiveError::Unreadable { reason: error.to_string() };
    if let Some(end_offset) = length.checked_sub(END_BYTES as u64) {
        let mut record = [0; END_BYTES];
        source.seek(SeekFrom::Start(end_offset)).map_err(unreadable)?;
        source.read_exact(&mut record).map_err(unreadable)?;
        if number(&record, 0, 4) == Some(END_SIGNATURE) {
            let end = parse_end(&record, end_offset)?;
            let mut directory = vec![0; end.directory_size as usize];
            source.seek(SeekFrom::Start(u64::from(end.directory_offset))).map_err(unreadable)?;
            source.read_exact(&mut directory).map_err(unreadable)?;
            parse_directory(&directory, end)?;
        }
    }
    let size = usize::try_from(length).map_err(|_| ArchiveError::TooLarge { length })?;
    let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, size).collect();
    if let Some(buffer) = Arc::get_mut(&mut bytes) {
        source.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        source.read_exact(buffer).map_err(unreadable)?;
    }
    let mut beyond = [0];
    match source.read(&mut beyond).map_err(unreadable)? {
        0 => Ok(bytes),
        _ => Err(ArchiveError::Unreadable { reason: "it grew while it was read".into() }),
    }
}

/// Parses an archive and requires that encoding its entries gives the same bytes.
///
/// Fields are checked one by one first only for an error that names the field.
pub(super) fn parse_archive(bytes: &[u8]) -> Result<Vec<Entry>, ArchiveError> {
    check_archive_length(bytes.len() as u64)?;
    let end_offset = find_end(bytes)?;
    let end = parse_end(bytes.get(end_offset..).unwrap_or_default(), end_offset as u64)?;
    let directory = bytes.get(end.directory_offset as usize..end_offset).unwrap_or_default();
    let records = parse_directory(directory, end)?;
    let mut entries = Vec::with_capacity(records.len());
    let mut offset = 0_usize;
    for record in records {
        let entry = parse_local(bytes, offset, record)?;
        offset = entry.range.end;
        entries.push(entry);
    }
    if offset != end.directory_offset as usize {
        let count = u64::from(end.directory_offset).saturating_sub(offset as u64);
        return Err(ArchiveError::StrayBytes { offset: offset as u64, count });
    }
    compare_with_encoding(bytes, &entries).map_err(|error| find_bad_crc(bytes, &entries).unwrap_or(error))?;
    Ok(entries)
}

/// Returns the offset of the end record. An earlier end record means that bytes were appended to the archive.
fn find_end(bytes: &[u8]) -> Result<usize, ArchiveError> {
    const LONGEST_COMMENT: usize = u16::MAX as usize;
    let last = bytes.len().checked_sub(END_BYTES).ok_or(ArchiveError::NotAnArchive)?;
    let signature = END_SIGNATURE.to_le_bytes();
    let is_end = |at: &usize| bytes.get(*at..).is_some_and(|rest| rest.starts_with(&signature));
    if is_end(&last) {
        return Ok(last);
    }
    match (last.saturating_sub(LONGEST_COMMENT)..last).rev().find(is_end) {
        Some(at) => Err(ArchiveError::DataAfterEnd { count: last - at }),
        None => Err(ArchiveError::NotAnArchive),
    }
}

fn parse_end(record: &[u8], end_offset: u64) -> Result<EndFacts, ArchiveError> {
    let cut = ArchiveError::CutOff { record: ArchiveRecord::End };
    let read = |offset, width| number(record, offset, width).ok_or(cut.clone());
    let count = read(10, 2)?;
    let (directory_size, directory_offset) = (read(12, 4)?, read(16, 4)?);
    if count as usize > MAX_ENTRIES {
        return Err(ArchiveError::TooManyEntries { count });
    }
    let facts =
        EndFacts { entries: u16::try_from(count).unwrap_or(u16::MAX), directory_size, directory_offset };
    check_fields(record, &end_fields(facts), ArchiveRecord::End)?;
    let longest = MAX_ENTRIES * (CENTRAL_BYTES + MAX_PATH_BYTES);
    let directory_end = u64::from(directory_offset) + u64::from(directory_size);
    if directory_size as usize > longest || directory_end != end_offset {
        let expected = u32::try_from(end_offset.saturating_sub(directory_offset.into())).unwrap_or(u32::MAX);
        return Err(ArchiveError::Field {
            record: ArchiveRecord::End,
            field: "size of the directory",
            found: directory_size,
            expected: expected.min(u32::try_from(longest).unwrap_or(u32::MAX)),
        });
    }
    Ok(facts)
}

/// One record of the directory.
struct DirectoryRecord {
    path: Box<str>,
    facts: EntryFacts,
}

fn parse_directory(directory: &[u8], end: EndFacts) -> Result<Vec<DirectoryRecord>, ArchiveError> {
    let mut records = Vec::with_capacity(end.entries.into());
    let mut rest = directory;
    let mut offset = 0_u32;
    for index in 0..usize::from(end.entries) {
        let record = ArchiveRecord::Directory { index };
        let cut = ArchiveError::CutOff { record: record.clone() };
        let read = |at, width| number(rest, at, width).ok_or(cut.clone());
        let (name_length, size) = (read(28, 2)?, read(24, 4)?);
        let (header, after) = rest.split_at_checked(CENTRAL_BYTES).ok_or(cut.clone())?;
        let (name, after) = after.split_at_checked(name_length as usize).ok_or(cut.clone())?;
        let facts = EntryFacts {
            crc32: read(16, 4)?,
            size,
            name_length: u16::try_from(name_length).unwrap_or(u16::MAX),
            offset,
        };
        let path = check_entry_path(name)
            .map_err(|problem| ArchiveError::Name { path: name.escape_ascii().to_string(), problem })?;
        check_entry_size(path, size.into())?;
        check_fields(header, &central_fields(facts), record)?;
        let length = LOCAL_BYTES as u64 + u64::from(name_length) + u64::from(size);
        let next = u64::from(offset) + length;
        if next > u64::from(end.directory_offset) {
            return Err(ArchiveError::CutOff { record: ArchiveRecord::Local { path: path.into() } });
        }
        offset = u32::try_from(next).unwrap_or(u32::MAX);
        records.push(DirectoryRecord { path: path.into(), facts });
        rest = after;
    }
    if !rest.is_empty() {
        let offset = u64::from(end.directory_offset) + (directory.len() - rest.len()) as u64;
        return Err(ArchiveError::StrayBytes { offset, count: rest.len() as u64 });
    }
    check_shape(&records.iter().map(|record| &*record.path).collect::<Vec<_>>())?;
    Ok(records)
}

fn parse_local(bytes: &[u8], offset: usize, record: DirectoryRecord) -> Result<Entry, ArchiveError> {
    let DirectoryRecord { path, facts } = record;
    let place = ArchiveRecord::Local { path: path.to_string() };
    let rest = bytes.get(offset..).unwrap_or_default();
    if number(rest, 0, 4) != Some(LOCAL_SIGNATURE) {
        return Err(stray_before_header(rest, offset));
    }
    let header = rest.get(..LOCAL_BYTES).ok_or(ArchiveError::CutOff { record: place.clone() })?;
    let name_length = number(header, 26, 2).unwrap_or_default() as usize;
    let name = rest.get(LOCAL_BYTES..LOCAL_BYTES + name_length).unwrap_or_default();
    if name != path.as_bytes() {
        let local = name.iter().take(MAX_PATH_BYTES).copied().collect::<Vec<u8>>().escape_ascii().to_string();
        return Err(ArchiveError::NamesDiffer { path: path.into(), local });
    }
    check_fields(header, &local_fields(facts), place.clone())?;
    let start = offset + LOCAL_BYTES + name_length;
    let range = start..start + facts.size as usize;
    bytes.get(range.clone()).ok_or(ArchiveError::CutOff { record: place })?;
    Ok(Entry { path, range })
}

fn stray_before_header(rest: &[u8], offset: usize) -> ArchiveError {
    let signature = LOCAL_SIGNATURE.to_le_bytes();
    let count = rest.windows(4).take(1 << 20).position(|window| window == signature).unwrap_or(rest.len());
    ArchiveError::StrayBytes { offset: offset as u64, count: count as u64 }
}

/// Refuses an entry whose record gives a size above the limit for its path.
pub(super) fn check_entry_size(path: &str, size: u64) -> Result<(), ArchiveError> {
    let text = [MANIFEST_PATH, SBOM_PATH, PROVENANCE_PATH, SIGNATURE_PATH].contains(&path);
    let limit = if text { MAX_SIDECAR_BYTES } else { MAX_ENTRY_BYTES };
    if size > limit { Err(ArchiveError::EntryTooLarge { path: path.into(), size, limit }) } else { Ok(()) }
}

/// Checks the paths together: order, duplicates, files that are also directories, and the required parts.
pub(super) fn check_shape(paths: &[&str]) -> Result<(), ArchiveError> {
    if paths.len() > MAX_ENTRIES {
        return Err(ArchiveError::TooManyEntries { count: u32::try_from(paths.len()).unwrap_or(u32::MAX) });
    }
    let mut known = HashSet::with_capacity(paths.len());
    if let Some(path) = paths.iter().find(|path| !known.insert(**path)) {
        return Err(ArchiveError::Duplicate { path: (*path).into() });
    }
    if let Some((after, path)) = paths.iter().zip(paths.iter().skip(1)).find(|(before, next)| before > next) {
        return Err(ArchiveError::Unsorted { path: (*path).into(), after: (*after).into() });
    }
    for path in paths {
        let mut ancestors = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        if let Some(file) = ancestors.find(|ancestor| known.contains(ancestor)) {
            return Err(ArchiveError::FileIsDirectory { path: file.into(), child: (*path).into() });
        }
    }
    let parts = [MANIFEST_PATH, SBOM_PATH, PROVENANCE_PATH, SIGNATURE_PATH];
    match parts.into_iter().find(|part| !known.contains(part)) {
        Some(path) => Err(ArchiveError::Missing { path }),
        None => Ok(()),
    }
}

fn check_fields(record: &[u8], fields: &[Field], place: ArchiveRecord) -> Result<(), ArchiveError> {
    for field in fields {
        let found = number(record, field.offset, field.width)
            .ok_or_else(|| ArchiveError::CutOff { record: place.clone() })?;
        if found != field.value {
            return Err(ArchiveError::Field {
                record: place,
                field: field.name,
                found,
                expected: field.value,
            });
        }
    }
    Ok(())
}

/// Encodes the entries again and compares the result, which also rejects what the checks above do not cover.
fn compare_with_encoding(bytes: &[u8], entries: &[Entry]) -> Result<(), ArchiveError> {
    let parts: Vec<(&str, &[u8])> = entries
        .iter()
        .map(|entry| (&*entry.path, bytes.get(entry.range.clone()).unwrap_or_default()))
        .collect();
    let mut rest = bytes;
    let mut differs = None;
    super::write::encode(&parts, &mut |piece| match rest.strip_prefix(piece) {
        Some(after) => {
            rest = after;
            true
        }
        None => {
            differs = Some(bytes.len() - rest.len());
            false
        }
    });
    match (differs, rest.is_empty()) {
        (None, true) => Ok(()),
        (offset, _) => Err(ArchiveError::NotCanonical { offset: offset.unwrap_or(bytes.len() - rest.len()) }),
    }
}

/// Finds the entry whose bytes do not have the CRC of its header.
///
/// Called only after a difference was found, to explain it.
fn find_bad_crc(bytes: &[u8], entries: &[Entry]) -> Option<ArchiveError> {
    entries.iter().find_map(|entry| {
        let header = entry.range.start.checked_sub(LOCAL_BYTES + entry.path.len())?;
        let found = number(bytes.get(header..)?, 14, 4)?;
        let expected = crc32fast::hash(bytes.get(entry.range.clone())?);
        let record = ArchiveRecord::Local { path: entry.path.to_string() };
        (found != expected).then_some(ArchiveError::Field { record, field: "crc-32", found, expected })
    })
}

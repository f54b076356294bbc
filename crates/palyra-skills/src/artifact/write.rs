//! Writing the archive: the definition of its byte form.

use std::collections::BTreeMap;

use super::error::ArchiveError;
use super::layout::{CENTRAL_BYTES, END_BYTES, LOCAL_BYTES};
use super::layout::{EndFacts, EntryFacts, Field, central_fields, end_fields, local_fields};
use super::read::{check_entry_size, check_shape};

/// Encodes entries into their only byte form; the order of the input does not matter.
///
/// # Errors
///
/// If a path is invalid or occurs twice, a required entry is missing, or a size exceeds its limit.
pub fn encode_archive<'a>(
    entries: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> Result<Vec<u8>, ArchiveError> {
    let mut sorted = BTreeMap::new();
    for (path, bytes) in entries {
        super::names::check_entry_path(path.as_bytes())
            .map_err(|problem| ArchiveError::Name { path: path.to_owned(), problem })?;
        check_entry_size(path, bytes.len() as u64)?;
        if sorted.insert(path, bytes).is_some() {
            return Err(ArchiveError::Duplicate { path: path.to_owned() });
        }
    }
    let entries: Vec<(&str, &[u8])> = sorted.into_iter().collect();
    check_shape(&entries.iter().map(|(path, _)| *path).collect::<Vec<_>>())?;
    let length = encoded_length(&entries);
    super::read::check_archive_length(length)?;
    let mut out = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    encode(&entries, &mut |piece| {
        out.extend_from_slice(piece);
        true
    });
    Ok(out)
}

fn encoded_length(entries: &[(&str, &[u8])]) -> u64 {
    let entry =
        |(path, bytes): &(&str, &[u8])| (LOCAL_BYTES + CENTRAL_BYTES + 2 * path.len() + bytes.len()) as u64;
    entries.iter().map(entry).sum::<u64>() + END_BYTES as u64
}

/// Passes the encoding of sorted, checked entries to `emit` piece by piece, until it returns false.
///
/// Writing appends the pieces and reading compares them, so the two agree and neither copies.
pub(super) fn encode(entries: &[(&str, &[u8])], emit: &mut dyn FnMut(&[u8]) -> bool) {
    let mut offset = 0_u32;
    let mut directory = Vec::new();
    for (path, bytes) in entries {
        // Sizes were checked: an archive is far below 4 GiB, a path below 64 KiB.
        let facts = EntryFacts {
            crc32: crc32fast::hash(bytes),
            size: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            name_length: u16::try_from(path.len()).unwrap_or(u16::MAX),
            offset,
        };
        let header = record(&local_fields(facts));
        if !(emit(&header) && emit(path.as_bytes()) && emit(bytes)) {
            return;
        }
        directory.extend(record(&central_fields(facts)));
        directory.extend_from_slice(path.as_bytes());
        let length = header.len() + path.len() + bytes.len();
        offset = offset.saturating_add(u32::try_from(length).unwrap_or(u32::MAX));
    }
    let end = end_fields(EndFacts {
        entries: u16::try_from(entries.len()).unwrap_or(u16::MAX),
        directory_size: u32::try_from(directory.len()).unwrap_or(u32::MAX),
        directory_offset: offset,
    });
    if emit(&directory) {
        emit(&record(&end));
    }
}

fn record(fields: &[Field]) -> Vec<u8> {
    fields.iter().flat_map(|field| field.value.to_le_bytes().into_iter().take(field.width)).collect()
}

//! The three ZIP records of the format: their bytes, and the only value of each fixed field.

/// Bytes of a local header before its name.
pub(crate) const LOCAL_BYTES: usize = 30;
/// Bytes of a directory record before its name.
pub(crate) const CENTRAL_BYTES: usize = 46;
/// Bytes of the end record.
pub(crate) const END_BYTES: usize = 22;

pub(crate) const LOCAL_SIGNATURE: u32 = 0x0403_4b50;
pub(crate) const CENTRAL_SIGNATURE: u32 = 0x0201_4b50;
pub(crate) const END_SIGNATURE: u32 = 0x0605_4b50;

/// ZIP 1.0: stored files.
const VERSION_NEEDED: u16 = 10;
/// ZIP 1.0 with the host MS-DOS, so that no reader looks for Unix modes.
const VERSION_MADE_BY: u16 = 10;
const STORED: u16 = 0;
/// Midnight, so that the bytes do not depend on when the archive was built.
const TIME: u16 = 0;
/// 1 January 1980, the first date ZIP can write.
const DATE: u16 = 0x0021;

/// The fields of a local header or directory record that differ between entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryFacts {
    pub(crate) crc32: u32,
    pub(crate) size: u32,
    pub(crate) name_length: u16,
    pub(crate) offset: u32,
}

/// The fields of the end record that differ between archives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndFacts {
    pub(crate) entries: u16,
    pub(crate) directory_size: u32,
    pub(crate) directory_offset: u32,
}

/// One field of a record: name, offset, width in bytes and required value.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) offset: usize,
    pub(crate) width: usize,
    pub(crate) value: u32,
}

const fn field16(name: &'static str, offset: usize, value: u16) -> Field {
    Field { name, offset, width: 2, value: value as u32 }
}

const fn field32(name: &'static str, offset: usize, value: u32) -> Field {
    Field { name, offset, width: 4, value }
}

/// Returns the fields of a local header. The name follows it, then the bytes of the entry.
pub(crate) fn local_fields(facts: EntryFacts) -> [Field; 11] {
    [
        field32("signature", 0, LOCAL_SIGNATURE),
        field16("version needed", 4, VERSION_NEEDED),
        field16("flags", 6, 0),
        field16("compression method", 8, STORED),
        field16("time", 10, TIME),
        field16("date", 12, DATE),
        field32("crc-32", 14, facts.crc32),
        field32("compressed size", 18, facts.size),
        field32("size", 22, facts.size),
        field16("name length", 26, facts.name_length),
        field16("extra length", 28, 0),
    ]
}

/// Returns the fields of a directory record. The name follows it.
pub(crate) fn central_fields(facts: EntryFacts) -> [Field; 17] {
    [
        field32("signature", 0, CENTRAL_SIGNATURE),
        field16("version made by", 4, VERSION_MADE_BY),
        field16("version needed", 6, VERSION_NEEDED),
        field16("flags", 8, 0),
        field16("compression method", 10, STORED),
        field16("time", 12, TIME),
        field16("date", 14, DATE),
        field32("crc-32", 16, facts.crc32),
        field32("compressed size", 20, facts.size),
        field32("size", 24, facts.size),
        field16("name length", 28, facts.name_length),
        field16("extra length", 30, 0),
        field16("comment length", 32, 0),
        field16("disk", 34, 0),
        field16("internal attributes", 36, 0),
        field32("external attributes", 38, 0),
        field32("offset of the local header", 42, facts.offset),
    ]
}

/// Returns the fields of the end record, the last bytes of the archive.
pub(crate) fn end_fields(facts: EndFacts) -> [Field; 8] {
    [
        field32("signature", 0, END_SIGNATURE),
        field16("disk", 4, 0),
        field16("disk of the directory", 6, 0),
        field16("entries on this disk", 8, facts.entries),
        field16("entries", 10, facts.entries),
        field32("size of the directory", 12, facts.directory_size),
        field32("offset of the directory", 16, facts.directory_offset),
        field16("comment length", 20, 0),
    ]
}

/// Reads a little-endian number of `width` bytes, or `None` past the end of `bytes`.
pub(crate) fn number(bytes: &[u8], offset: usize, width: usize) -> Option<u32> {
    let field = bytes.get(offset..offset.checked_add(width)?)?;
    Some(field.iter().rev().fold(0, |value, byte| (value << 8) | u32::from(*byte)))
}

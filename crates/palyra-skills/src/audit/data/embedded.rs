//! Recognizes file types by their first bytes: native programs, WebAssembly, archives.
//!
//! A magic number alone can be chance, so the fields after it must be plausible for a program.

use wasmparser::Parser;

use crate::audit::finding::FindingId;

/// Number of payloads that must parse before bytes count as WebAssembly.
const WASM_PAYLOADS: usize = 2;

/// Returns the rule and the description for bytes that start like a known file type, or `None`.
pub(super) fn recognise_start(bytes: &[u8]) -> Option<(FindingId, &'static str)> {
    if is_wasm(bytes) {
        return Some((FindingId::EmbeddedWasm, "a WebAssembly module"));
    }
    let program = if is_elf(bytes) {
        Some("an ELF program")
    } else if is_pe(bytes) {
        Some("a Windows program")
    } else if is_mach_o(bytes) {
        Some("a macOS program")
    } else {
        None
    };
    if let Some(program) = program {
        return Some((FindingId::EmbeddedExecutable, program));
    }
    archive(bytes).map(|archive| (FindingId::EmbeddedArchive, archive))
}

fn is_wasm(bytes: &[u8]) -> bool {
    (Parser::is_core_wasm(bytes) || Parser::is_component(bytes))
        && Parser::new(0).parse_all(bytes).take(WASM_PAYLOADS).all(|payload| payload.is_ok())
}

fn is_elf(bytes: &[u8]) -> bool {
    let [b'\x7f', b'E', b'L', b'F', class @ (1 | 2), data @ (1 | 2), 1, ..] = bytes else { return false };
    let (size_offset, header_size) = if *class == 1 { (40, 52) } else { (52, 64) };
    let size = match data {
        1 => number_at(bytes, size_offset).map(u16::from_le_bytes),
        _ => number_at(bytes, size_offset).map(u16::from_be_bytes),
    };
    size == Some(header_size)
}

fn is_pe(bytes: &[u8]) -> bool {
    let header = number_at(bytes, 0x3c).map(u32::from_le_bytes).and_then(|at| usize::try_from(at).ok());
    bytes.starts_with(b"MZ")
        && header.and_then(|at| bytes.get(at..)).is_some_and(|header| header.starts_with(b"PE\0\0"))
}

fn is_mach_o(bytes: &[u8]) -> bool {
    const KINDS: std::ops::RangeInclusive<u32> = 1..=12;
    let kind =
        |read: fn([u8; 4]) -> u32| number_at(bytes, 12).map(read).is_some_and(|kind| KINDS.contains(&kind));
    match bytes {
        [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..] => kind(u32::from_be_bytes),
        [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..] => kind(u32::from_le_bytes),
        // Java classes start the same; their next number is a version over 40.
        [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1..=16, ..] => true,
        _ => false,
    }
}

fn archive(bytes: &[u8]) -> Option<&'static str> {
    let starts: [(&[u8], &str); 8] = [
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x1f\x8b\x08", "a gzip stream"),
        (b"BZh", "a bzip2 stream"),
        (b"\xfd7zXZ\0", "an xz stream"),
        (b"\x28\xb5\x2f\xfd", "a Zstandard stream"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"Rar!\x1a\x07", "a RAR archive"),
        (b"!<arch>\n", "a static library"),
    ];
    let by_start = starts.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, name)| *name);
    let is_tar = bytes.get(257..262) == Some(b"ustar");
    by_start.or_else(|| is_tar.then_some("a tar archive"))
}

fn number_at<const N: usize>(bytes: &[u8], offset: usize) -> Option<[u8; N]> {
    bytes.get(offset..)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_magic_number_alone_is_not_a_program() {
        assert_eq!(recognise_start(b"\x7fELF"), None);
        assert_eq!(
            recognise_start(b"MZ and then nothing of the kind, however long the text goes on for"),
            None
        );
        assert_eq!(recognise_start(b"\0asm"), None);
        assert_eq!(recognise_start(b""), None);
        assert_eq!(recognise_start(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61]), None);
    }

    #[test]
    fn programs_and_archives_are_recognised() {
        let mut elf = vec![0; 64];
        elf[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        elf[52] = 64;
        assert_eq!(recognise_start(&elf).map(|(id, _)| id), Some(FindingId::EmbeddedExecutable));
        let mut pe = vec![0; 0x90];
        pe[..2].copy_from_slice(b"MZ");
        pe[0x3c] = 0x80;
        pe[0x80..0x84].copy_from_slice(b"PE\0\0");
        assert_eq!(recognise_start(&pe).map(|(id, _)| id), Some(FindingId::EmbeddedExecutable));
        let macho = [0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1, 3, 0, 0, 0, 2, 0, 0, 0];
        assert_eq!(recognise_start(&macho).map(|(id, _)| id), Some(FindingId::EmbeddedExecutable));
        let wasm = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0";
        assert_eq!(recognise_start(wasm).map(|(id, _)| id), Some(FindingId::EmbeddedWasm));
        assert_eq!(recognise_start(b"PK\x03\x04rest").map(|(id, _)| id), Some(FindingId::EmbeddedArchive));
    }
}

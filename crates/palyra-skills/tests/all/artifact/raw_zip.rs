//! A ZIP writer that can write false headers.

use palyra_skills::artifact::SkillArtifact;

use super::support::plain;

/// One entry; every field can be changed after [`RawEntry::new`].
#[derive(Clone)]
pub(crate) struct RawEntry {
    pub(crate) local_name: Vec<u8>,
    pub(crate) central_name: Vec<u8>,
    pub(crate) data: Vec<u8>,
    pub(crate) local: RawFields,
    pub(crate) central: RawFields,
    pub(crate) made_by: u16,
    pub(crate) attributes: u32,
    pub(crate) offset: Option<u32>,
    pub(crate) in_local: bool,
    pub(crate) in_central: bool,
    pub(crate) before: Vec<u8>,
}

/// The fields a local header and a directory record share.
#[derive(Clone)]
pub(crate) struct RawFields {
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) time: u16,
    pub(crate) date: u16,
    pub(crate) crc: u32,
    pub(crate) packed: u32,
    pub(crate) size: u32,
    pub(crate) extra: Vec<u8>,
}

/// An archive; `prefix`, `suffix`, `comment` and the end record's numbers can be changed.
#[derive(Clone, Default)]
pub(crate) struct RawZip {
    pub(crate) prefix: Vec<u8>,
    pub(crate) entries: Vec<RawEntry>,
    pub(crate) before_end: Vec<u8>,
    pub(crate) count: Option<u16>,
    pub(crate) directory_size: Option<u32>,
    pub(crate) comment: Vec<u8>,
    pub(crate) suffix: Vec<u8>,
}

impl RawEntry {
    pub(crate) fn new(name: &[u8], data: &[u8]) -> Self {
        let size = u32::try_from(data.len()).unwrap();
        let fields = RawFields {
            flags: 0,
            method: 0,
            time: 0,
            date: 0x21,
            crc: crc32fast::hash(data),
            packed: size,
            size,
            extra: Vec::new(),
        };
        Self {
            local_name: name.to_vec(),
            central_name: name.to_vec(),
            data: data.to_vec(),
            local: fields.clone(),
            central: fields,
            made_by: 10,
            attributes: 0,
            offset: None,
            in_local: true,
            in_central: true,
            before: Vec::new(),
        }
    }

    /// Applies a change to both records.
    pub(crate) fn both(&mut self, change: impl Fn(&mut RawFields)) {
        change(&mut self.local);
        change(&mut self.central);
    }
}

impl RawZip {
    /// The entries of a plain signed skill.
    pub(crate) fn plain() -> Self {
        let artifact = SkillArtifact::read(plain()).unwrap();
        let entries = artifact.entries().map(|(path, bytes)| RawEntry::new(path.as_bytes(), bytes)).collect();
        Self { entries, ..Self::default() }
    }

    pub(crate) fn entry(&mut self, path: &str) -> &mut RawEntry {
        self.entries.iter_mut().find(|entry| entry.central_name == path.as_bytes()).unwrap()
    }

    /// Adds an entry at its sorted position.
    pub(crate) fn add(&mut self, entry: RawEntry) -> &mut Self {
        self.entries.push(entry);
        self.entries.sort_by(|left, right| left.central_name.cmp(&right.central_name));
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = self.prefix.clone();
        let mut directory = Vec::new();
        let mut count = 0_u16;
        for entry in &self.entries {
            out.extend_from_slice(&entry.before);
            let offset = entry.offset.unwrap_or(u32::try_from(out.len()).unwrap());
            if entry.in_local {
                out.extend(0x0403_4b50_u32.to_le_bytes());
                out.extend(10_u16.to_le_bytes());
                push_fields(&mut out, &entry.local, entry.local_name.len());
                out.extend_from_slice(&entry.local_name);
                out.extend_from_slice(&entry.local.extra);
                out.extend_from_slice(&entry.data);
            }
            if entry.in_central {
                count += 1;
                directory.extend(0x0201_4b50_u32.to_le_bytes());
                directory.extend(entry.made_by.to_le_bytes());
                directory.extend(10_u16.to_le_bytes());
                push_fields(&mut directory, &entry.central, entry.central_name.len());
                directory.extend([0; 6]);
                directory.extend(entry.attributes.to_le_bytes());
                directory.extend(offset.to_le_bytes());
                directory.extend_from_slice(&entry.central_name);
                directory.extend_from_slice(&entry.central.extra);
            }
        }
        let directory_offset = u32::try_from(out.len()).unwrap();
        out.extend_from_slice(&directory);
        out.extend_from_slice(&self.before_end);
        out.extend(0x0605_4b50_u32.to_le_bytes());
        out.extend([0; 4]);
        let count = self.count.unwrap_or(count);
        out.extend(count.to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend(self.directory_size.unwrap_or(u32::try_from(directory.len()).unwrap()).to_le_bytes());
        out.extend(directory_offset.to_le_bytes());
        out.extend(u16::try_from(self.comment.len()).unwrap().to_le_bytes());
        out.extend_from_slice(&self.comment);
        out.extend_from_slice(&self.suffix);
        out
    }
}

fn push_fields(out: &mut Vec<u8>, fields: &RawFields, name_length: usize) {
    for number in [fields.flags, fields.method, fields.time, fields.date] {
        out.extend(number.to_le_bytes());
    }
    for number in [fields.crc, fields.packed, fields.size] {
        out.extend(number.to_le_bytes());
    }
    out.extend(u16::try_from(name_length).unwrap().to_le_bytes());
    out.extend(u16::try_from(fields.extra.len()).unwrap().to_le_bytes());
}

#[test]
fn without_a_lie_it_writes_the_canonical_encoding() {
    assert_eq!(RawZip::plain().bytes(), *plain());
}

//! Custom sections: the ones that toolchains write, and the text in them that could reach a model.
//!
//! The engine ignores custom sections, except for the function names of `name`, which appear in backtraces. Other
//! data can therefore travel in them unnoticed.

use wasmparser::{
    BinaryReader, BinaryReaderError, ComponentName, ComponentNameSectionReader, Name, NameMap,
    NameSectionReader,
};

use super::facts::{ModuleFacts, Place};
use crate::audit::finding::FindingId;
use crate::audit::report::{Findings, quote};
use crate::audit::text::{check_name, check_section};

/// Sections with names of functions, locals and similar items.
const NAMES: [&str; 2] = ["component-name", "name"];
/// Sections of text and short values.
const TEXTS: [&str; 13] = [
    "authors",
    "description",
    "emscripten_metadata",
    "external_debug_info",
    "homepage",
    "licenses",
    "producers",
    "registry-metadata",
    "revision",
    "source",
    "sourceMappingURL",
    "target_features",
    "version",
];
/// Sections with a binary format: linking, dependencies by `cargo auditable`, component types.
const BINARY: [&str; 5] = [".dep-v0", "build_id", "component-type", "dylink.0", "linking"];
/// Prefixes of the names of further binary sections.
const BINARY_PREFIXES: [&str; 4] = [".debug_", "component-type:", "metadata.code.", "reloc."];

/// Reports sections that no toolchain writes, and text that would quarantine the skill if it were a description.
pub(super) fn check(path: &str, facts: &ModuleFacts<'_>, findings: &mut Findings<'_>) {
    for segment in &facts.segments {
        let Place::Custom(name) = segment.place else { continue };
        let subject = segment.place.subject(path);
        if NAMES.contains(&name) {
            let judge = &mut |text: &str| check_name(&subject, text, findings);
            let read = match name {
                "name" => read_names(segment.bytes, judge),
                _ => read_component_names(segment.bytes, judge),
            };
            if read.is_err() {
                let message = "is a malformed name section".to_owned();
                findings.add(FindingId::CustomSection, &subject, message, None);
            }
        } else if TEXTS.contains(&name) {
            check_section(&subject, segment.bytes, findings);
        } else if !BINARY.contains(&name) && !BINARY_PREFIXES.iter().any(|start| name.starts_with(start)) {
            let message = format!("has the unknown custom section `{}`", quote(name));
            findings.add(FindingId::CustomSection, &subject, message, None);
        }
    }
}

fn read_names(bytes: &[u8], judge: &mut dyn FnMut(&str)) -> Result<(), BinaryReaderError> {
    for names in NameSectionReader::new(BinaryReader::new(bytes, 0)) {
        match names? {
            Name::Module { name, .. } => judge(name),
            Name::Function(names)
            | Name::Type(names)
            | Name::Table(names)
            | Name::Memory(names)
            | Name::Global(names)
            | Name::Element(names)
            | Name::Data(names)
            | Name::Tag(names) => read_map(names, judge)?,
            Name::Local(groups) | Name::Label(groups) | Name::Field(groups) => {
                for group in groups {
                    read_map(group?.names, judge)?;
                }
            }
            Name::Unknown { .. } => {}
        }
    }
    Ok(())
}

fn read_component_names(bytes: &[u8], judge: &mut dyn FnMut(&str)) -> Result<(), BinaryReaderError> {
    for names in ComponentNameSectionReader::new(BinaryReader::new(bytes, 0)) {
        match names? {
            ComponentName::Component { name, .. } => judge(name),
            ComponentName::CoreFuncs(names)
            | ComponentName::CoreGlobals(names)
            | ComponentName::CoreMemories(names)
            | ComponentName::CoreTables(names)
            | ComponentName::CoreTags(names)
            | ComponentName::CoreModules(names)
            | ComponentName::CoreInstances(names)
            | ComponentName::CoreTypes(names)
            | ComponentName::Types(names)
            | ComponentName::Instances(names)
            | ComponentName::Components(names)
            | ComponentName::Funcs(names)
            | ComponentName::Values(names) => read_map(names, judge)?,
            ComponentName::Unknown { .. } => {}
        }
    }
    Ok(())
}

fn read_map(names: NameMap<'_>, judge: &mut dyn FnMut(&str)) -> Result<(), BinaryReaderError> {
    for naming in names {
        judge(naming?.name);
    }
    Ok(())
}

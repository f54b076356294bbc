//! Compiles the protos of `schemas/proto`, without `protoc`.
//!
//! Messages read the JSON of the HTTP API: an enum reads its word, a field `NAME_json` keeps the text of the field
//! `NAME` as it stands. So a shape is told in one place, and a test compares both descriptions of it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorSet};

type AnyError = Box<dyn std::error::Error>;

const PACKAGES: [&str; 5] = ["gateway", "hooks", "plugins", "routines", "skills"];
const READ: &str = "#[derive(serde::Deserialize)] #[serde(default)]";

/// A choice is never told in JSON.
const SKIP: &str = "#[serde(skip)]";

fn main() -> Result<(), AnyError> {
    // Asked for when it runs: a program that was built in another checkout would read the protos of that one.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("there is no CARGO_MANIFEST_DIR")?;
    let protos = Path::new(&manifest).join("../../schemas/proto");
    println!("cargo:rerun-if-changed={}", protos.join("palyra").display());
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("there is no OUT_DIR")?);
    let mut files = Vec::new();
    for package in PACKAGES {
        let folder = protos.join("palyra").join(package).join("v1");
        for entry in std::fs::read_dir(&folder)? {
            files.push(entry?.path());
        }
    }
    files.sort();
    let mut compiler = protox::Compiler::new([&protos])?;
    compiler.include_imports(true).include_source_info(true).open_files(&files)?;
    std::fs::write(out.join("palyra.binpb"), compiler.encode_file_descriptor_set())?;
    let compiled = compiler.file_descriptor_set();
    let mut build = tonic_prost_build::configure()
        .btree_map(".")
        .message_attribute(".", READ)
        .message_attribute(".palyra.plugins.v1.GrantList", "#[serde(transparent)]");
    let mut words = String::new();
    for file in &compiled.file {
        let package = file.package();
        for message in &file.message_type {
            for (field, attribute) in attributes(package, message) {
                if attribute == SKIP {
                    build = build.enum_attribute(&field, "#[derive(serde::Deserialize)]");
                }
                build = build.field_attribute(field, attribute);
            }
        }
        for word in &file.enum_type {
            write_words(&mut words, package, word)?;
        }
    }
    std::fs::write(out.join("words.rs"), words)?;
    let set = FileDescriptorSet { file: compiled.file };
    build.compile_fds(set)?;
    Ok(())
}

/// How fields are read that JSON tells otherwise.
fn attributes(package: &str, message: &DescriptorProto) -> Vec<(String, String)> {
    let place = |field: &str| format!(".{package}.{}.{field}", message.name());
    let fields = message.field.iter().filter_map(|field| {
        let how = if field.r#type() == Type::Enum { word(field) } else { text(field)? };
        Some((place(field.name()), how))
    });
    let proper = |index: usize| {
        let proto3_optional = |field: &&FieldDescriptorProto| field.proto3_optional();
        let of_it = |field: &&FieldDescriptorProto| field.oneof_index == i32::try_from(index).ok();
        !message.field.iter().filter(of_it).any(|field| proto3_optional(&field))
    };
    let choices = message.oneof_decl.iter().enumerate().filter(|(index, _)| proper(*index));
    let choices = choices.map(|(_, choice)| (place(choice.name()), SKIP.to_owned()));
    fields.chain(choices).collect()
}

fn word(field: &FieldDescriptorProto) -> String {
    let path = field.type_name().trim_start_matches(".palyra.").replace('.', "::");
    let how = if field.proto3_optional() { "maybe" } else { "one" };
    format!("#[serde(deserialize_with = \"crate::grpc::words::{how}::<crate::grpc::{path}, _>\")]")
}

fn text(field: &FieldDescriptorProto) -> Option<String> {
    let name = field.name().strip_suffix("_json").filter(|_| field.r#type() == Type::String)?;
    let how = match (field.label(), field.proto3_optional()) {
        (Label::Repeated, _) => "list",
        (_, true) => "maybe",
        _ => "one",
    };
    Some(format!("#[serde(rename = \"{name}\", deserialize_with = \"crate::grpc::text::{how}\")]"))
}

fn write_words(out: &mut String, package: &str, word: &EnumDescriptorProto) -> std::fmt::Result {
    let path = package.trim_start_matches("palyra.").replace('.', "::");
    let unspecified = word.value.first().map(|value| value.name()).unwrap_or_default();
    let prefix = unspecified.trim_end_matches("UNSPECIFIED");
    writeln!(
        out,
        "impl Word for crate::grpc::{path}::{} {{\n\
            const PREFIX: &'static str = \"{prefix}\";\n\
            fn of_name(name: &str) -> Option<Self> {{ Self::from_str_name(name) }}\n\
            fn name(self) -> &'static str {{ self.as_str_name() }}\n\
        }}",
        word.name()
    )
}

//! Compiles the protos of `schemas/proto`, without `protoc`.
//!
//! Messages are read from the JSON of the HTTP API, and requests are written as it: an enum as its name, a field
//! `NAME_json` as the unchanged text of the field `NAME`. So a type is defined once, and a test compares both
//! descriptions.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
};

type AnyError = Box<dyn std::error::Error>;

const PACKAGES: [&str; 6] = ["auth", "gateway", "hooks", "plugins", "routines", "skills"];
const READ: &str = "#[derive(serde::Deserialize)] #[serde(default)]";
const WRITE: &str = "#[derive(serde::Serialize)]";

/// Optional lists, which JSON writes as a list.
const LISTS: [&str; 3] =
    [".palyra.auth.v1.ScopeList", ".palyra.gateway.v1.ToolIds", ".palyra.plugins.v1.GrantList"];
/// Fields with another name in JSON, such as `componentId`.
const RENAMED: [&str; 3] = [
    ".palyra.gateway.v1.FormSubmit.component_id",
    ".palyra.gateway.v1.SubmitCallSurfaceRequest.component_id",
    ".palyra.gateway.v1.SubmittedForm.component_id",
];

/// Attribute for oneofs, which have no JSON form.
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
    let mut build = tonic_prost_build::configure().btree_map(".").message_attribute(".", READ);
    for list in LISTS {
        build = build.message_attribute(list, "#[serde(transparent)]");
    }
    for field in RENAMED {
        build = build.field_attribute(field, "#[serde(rename = \"componentId\")]");
    }
    for request in requests(&compiled.file) {
        build = build.message_attribute(request, WRITE);
    }
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

/// Returns the request messages, and every message inside one.
fn requests(files: &[FileDescriptorProto]) -> BTreeSet<String> {
    let whole = |file: &FileDescriptorProto, message: &DescriptorProto| {
        (format!(".{}.{}", file.package(), message.name()), message.clone())
    };
    let messages: Vec<(String, DescriptorProto)> = files
        .iter()
        .flat_map(|file| file.message_type.iter().map(move |message| whole(file, message)))
        .collect();
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> =
        messages.iter().map(|(name, _)| name.as_str()).filter(|name| name.ends_with("Request")).collect();
    while let Some(name) = open.pop() {
        if let Some((_, message)) = messages.iter().find(|(found, _)| found == name)
            && found.insert(name.to_owned())
        {
            open.extend(message.field.iter().map(FieldDescriptorProto::type_name));
        }
    }
    found
}

/// Returns attributes for fields whose JSON form differs from the generated one.
fn attributes(package: &str, message: &DescriptorProto) -> Vec<(String, String)> {
    let place = |field: &str| format!(".{package}.{}.{field}", message.name());
    let fields = message.field.iter().filter(|field| field.oneof_index.is_none() || field.proto3_optional());
    let fields = fields.filter_map(|field| Some((place(field.name()), attribute(message, field)?)));
    let proper = |index: usize| {
        let proto3_optional = |field: &&FieldDescriptorProto| field.proto3_optional();
        let of_it = |field: &&FieldDescriptorProto| field.oneof_index == i32::try_from(index).ok();
        !message.field.iter().filter(of_it).any(|field| proto3_optional(&field))
    };
    let choices = message.oneof_decl.iter().enumerate().filter(|(index, _)| proper(*index));
    let choices = choices.map(|(_, choice)| (place(choice.name()), SKIP.to_owned()));
    fields.chain(choices).collect()
}

fn attribute(message: &DescriptorProto, field: &FieldDescriptorProto) -> Option<String> {
    let is_map = || {
        let entry = field.type_name().rsplit('.').next();
        message.nested_type.iter().any(|nested| Some(nested.name()) == entry)
    };
    let how = match (field.label(), field.proto3_optional()) {
        (Label::Repeated, _) if is_map() => "map",
        (Label::Repeated, _) => "list",
        (_, true) => "maybe",
        _ => "one",
    };
    let skip = match how {
        "maybe" => ", skip_serializing_if = \"Option::is_none\"",
        "one" if field.r#type() == Type::Message => "skip_serializing_if = \"Option::is_none\"",
        "one" if field.r#type() == Type::Enum => {
            ", skip_serializing_if = \"crate::grpc::words::is_unspecified\""
        }
        _ => "",
    };
    let path = |module: &str, verb: &str, of: &str| format!("\"crate::grpc::{module}::{verb}_{how}{of}\"");
    let both = |module: &str, of: &str| {
        let (read, write) = (path(module, "read", of), path(module, "write", of));
        format!("deserialize_with = {read}, serialize_with = {write}{skip}")
    };
    let json = field.name().strip_suffix("_json");
    match field.r#type() {
        Type::Enum => {
            let of = field.type_name().trim_start_matches(".palyra.").replace('.', "::");
            Some(format!("#[serde({})]", both("words", &format!("::<crate::grpc::{of}, _>"))))
        }
        Type::String | Type::Message if json.is_some() => {
            Some(format!("#[serde(rename = \"{}\", {})]", json?, both("text", "")))
        }
        _ if skip.is_empty() => None,
        _ => Some(format!("#[serde({})]", skip.trim_start_matches(", "))),
    }
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

//! The plugin contract as the audit checks it: imports and exports by exact name, version and type.
//!
//! Three tables: the core ABI in this file, the interfaces of `palyra-sdk.wit` in `contract.txt`, and the WASI 0.2
//! interfaces that the runtime links in `wasi.txt`. Tests compare the two files with the WIT they were written from.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use palyra_plugins_sdk::abi::{self, core_module, host_capabilities, interfaces};

/// Functions and their types by interface name; names of Palyra interfaces include the version.
type Interfaces = BTreeMap<&'static str, BTreeMap<&'static str, &'static str>>;

static PALYRA: LazyLock<Interfaces> = LazyLock::new(|| read_table(include_str!("contract.txt")));
static WASI: LazyLock<Interfaces> = LazyLock::new(|| read_table(include_str!("wasi.txt")));

/// The WASI version that the runtime links; a guest may be built for an earlier patch release.
const WASI_VERSION: (u64, u64, u64) = (0, 2, 12);

/// The import module of toolchains that do not produce components.
const PREVIEW1: &str = "wasi_snapshot_preview1";

/// The result of looking up the name of a component import or export.
pub(crate) enum Known {
    /// An interface of the contract, with its functions and their types.
    Interface(&'static BTreeMap<&'static str, &'static str>),
    /// Not in the contract; the text states the reason.
    Unknown(&'static str),
}

/// Looks up an interface that a component imports.
pub(crate) fn imported_interface(name: &str) -> Known {
    if interfaces::IMPORTS.contains(&name) {
        return find(&PALYRA, name);
    }
    let (base, version) = name.split_once('@').unwrap_or((name, ""));
    if base.starts_with("palyra:plugin/") {
        return Known::Unknown("it is not an interface of `palyra:plugin` 1.0.0 that a guest can import");
    }
    if base.starts_with("wasi:sockets/") {
        return Known::Unknown("sockets are never linked; requests go through `palyra:plugin/http`");
    }
    match WASI.get(base) {
        Some(functions) if is_wasi_version(version) => Known::Interface(functions),
        Some(_) => Known::Unknown("the version is not WASI 0.2.0 to 0.2.12"),
        None => Known::Unknown("only `palyra:plugin/*` and WASI 0.2 without sockets are linked"),
    }
}

/// Looks up an interface that a component exports.
pub(crate) fn exported_interface(name: &str) -> Known {
    if interfaces::EXPORTS.contains(&name) {
        find(&PALYRA, name)
    } else {
        Known::Unknown("it is not `tools`, `describe` or `hooks` of `palyra:plugin` 1.0.0")
    }
}

/// Returns the type of a function that a core module may import, or the reason why it may not.
pub(crate) fn core_import(module: &str, name: &str) -> Result<&'static str, &'static str> {
    let pieces = "(i32 i32 i32) -> (i32)";
    match (module, name) {
        (core_module::IO, core_module::INPUT_LENGTH) => Ok("() -> (i32)"),
        (core_module::IO, core_module::INPUT_READ) => Ok(pieces),
        (core_module::IO, core_module::OUTPUT_WRITE) => Ok("(i32 i32) -> (i32)"),
        (core_module::HOST_CALL, core_module::CALL) => Ok("(i32 i32) -> (i32)"),
        (core_module::HOST_CALL, core_module::RESPONSE_READ) => Ok(pieces),
        (core_module::HOST_CAPABILITIES, name) if host_capabilities::COUNTS.contains(&name) => {
            Ok("() -> (i32)")
        }
        (core_module::HOST_CAPABILITIES, name) if host_capabilities::HANDLES.contains(&name) => {
            Ok("(i32) -> (i32)")
        }
        (PREVIEW1, _) => Err("encode the module as a component with the preview1 adapter"),
        (module, _) if core_module::IMPORTS.contains(&module) => Err("the module has no such function"),
        _ => Err("a core module imports from `palyra:plugin/io`, `host-capabilities` and `host-call` only"),
    }
}

/// Returns the capability that an interface or import module needs, if any.
pub(crate) fn needed_capability(name: &str) -> Option<NeededCapability> {
    let base = name.split_once('@').map_or(name, |(base, _)| base);
    match base {
        "wasi:filesystem/types" | "wasi:filesystem/preopens" => Some(NeededCapability::Filesystem),
        "wasi:http/types" | "wasi:http/outgoing-handler" => Some(NeededCapability::Http),
        _ => match name {
            interfaces::HTTP => Some(NeededCapability::Http),
            interfaces::SECRETS => Some(NeededCapability::Reveal),
            interfaces::STORAGE => Some(NeededCapability::Storage),
            interfaces::CHANNELS => Some(NeededCapability::Channel),
            _ => None,
        },
    }
}

/// A capability that an import requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NeededCapability {
    Filesystem,
    Http,
    Reveal,
    Storage,
    Channel,
}

fn find(table: &'static Interfaces, name: &str) -> Known {
    match table.get(name) {
        Some(functions) => Known::Interface(functions),
        None => Known::Unknown("it is not in the table of the contract"),
    }
}

fn is_wasi_version(version: &str) -> bool {
    let (major, minor, patch) = WASI_VERSION;
    semver::Version::parse(version).is_ok_and(|version| {
        (version.major, version.minor) == (major, minor)
            && version.patch <= patch
            && version.pre.is_empty()
            && version.build.is_empty()
    })
}

/// Parses lines of an interface, or of an interface, a function and its type. Interfaces of types only have no
/// functions.
fn read_table(text: &'static str) -> Interfaces {
    let mut table = Interfaces::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.splitn(3, ' ');
        let Some(interface) = parts.next() else { continue };
        let functions = table.entry(interface).or_default();
        if let (Some(function), Some(ty)) = (parts.next(), parts.next()) {
            functions.insert(function, ty);
        }
    }
    table
}

/// The required type of an entrypoint of a core module.
pub(crate) const CORE_ENTRYPOINT: &str = "() -> (i32)";
/// The export that an entrypoint without `export` calls.
pub(crate) const DEFAULT_EXPORT: &str = abi::core_module::DEFAULT_EXPORT;

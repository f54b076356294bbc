//! Names and limits of the package format. Numbers that other programs must know are defined here only.

/// Maximum size of an archive, in bytes.
pub const MAX_ARCHIVE_BYTES: u64 = 128 << 20;
/// Maximum size of one entry, in bytes.
pub const MAX_ENTRY_BYTES: u64 = palyra_common::limits::MAX_MODULE_BYTES;
/// Maximum number of entries in an archive.
pub const MAX_ENTRIES: usize = 512;
/// Maximum size of `skill.toml`, the SBOM, the provenance and the signature, in bytes each.
pub const MAX_SIDECAR_BYTES: u64 = 1 << 20;
/// Maximum length of the path of an entry, in bytes.
pub const MAX_PATH_BYTES: usize = 200;
/// Maximum number of segments in the path of an entry.
pub const MAX_PATH_SEGMENTS: usize = 8;

/// The path of the manifest, which every archive contains.
pub const MANIFEST_PATH: &str = "skill.toml";
/// The path of the bill of materials, written by the packager.
pub const SBOM_PATH: &str = "sbom.cyclonedx.json";
/// The path of the provenance statement.
pub const PROVENANCE_PATH: &str = "provenance.json";
/// The path of the signature, the only entry that the signature does not cover.
pub const SIGNATURE_PATH: &str = "signature.json";
/// The prefix of all WebAssembly modules.
pub const MODULES_PREFIX: &str = "modules/";
/// The prefix of all other files of a skill.
pub const ASSETS_PREFIX: &str = "assets/";

/// Maximum number of keys that a publisher has at one time.
pub const MAX_PUBLISHER_KEYS: usize = 16;
/// Maximum number of rotation statements in an artifact.
pub const MAX_LINEAGE: usize = 64;
/// Maximum increment of a release counter between two releases.
///
/// Without it, a counter that jumps to the end of its range would leave the publisher without a next release.
pub const MAX_COUNTER_STEP: u64 = 1_000_000;

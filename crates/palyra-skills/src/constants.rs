//! Names and ceilings of the format; a number that another program must know stands here once.

/// Maximum bytes of an archive.
pub const MAX_ARCHIVE_BYTES: u64 = 128 << 20;
/// Maximum bytes of one entry.
pub const MAX_ENTRY_BYTES: u64 = palyra_common::limits::MAX_MODULE_BYTES;
/// Most entries of an archive.
pub const MAX_ENTRIES: usize = 512;
/// Maximum bytes of `skill.toml`, the SBOM, the provenance and the signature, each.
pub const MAX_SIDECAR_BYTES: u64 = 1 << 20;
/// Maximum bytes of an entry's path.
pub const MAX_PATH_BYTES: usize = 200;
/// Most segments of an entry's path.
pub const MAX_PATH_SEGMENTS: usize = 8;

/// The manifest.
pub const MANIFEST_PATH: &str = "skill.toml";
/// The bill of materials.
pub const SBOM_PATH: &str = "sbom.cyclonedx.json";
/// The provenance statement.
pub const PROVENANCE_PATH: &str = "provenance.json";
/// The signature, the one entry it does not cover.
pub const SIGNATURE_PATH: &str = "signature.json";
/// The directory of modules.
pub const MODULES_PREFIX: &str = "modules/";
/// The directory of assets.
pub const ASSETS_PREFIX: &str = "assets/";

/// Most keys of a publisher at one time.
pub const MAX_PUBLISHER_KEYS: usize = 16;
/// Most rotation statements an artifact carries.
pub const MAX_LINEAGE: usize = 64;
/// Most by which a release counter may grow at once.
///
/// A counter that jumps to the end of its range would leave its publisher no next release.
pub const MAX_COUNTER_STEP: u64 = 1_000_000;

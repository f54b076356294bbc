//! Tests of the archive, its signature, its sidecars and trust.

mod archive_rows;
mod independent;
mod key_vectors;
mod properties;
mod raw_zip;
mod reproducible;
mod sidecar_rows;
mod signature_rows;
pub(crate) mod support;
mod trust_rows;
mod trust_storage;
mod update_rows;
mod verification;

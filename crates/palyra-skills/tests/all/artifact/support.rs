//! Small skills, keys and stores for the tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use palyra_skills::artifact::SkillArtifact;
use palyra_skills::artifact::write::encode_archive;
use palyra_skills::constants::{MANIFEST_PATH, SIGNATURE_PATH};
use palyra_skills::signing::dsse::Envelope;
use palyra_skills::signing::strict_json::encode_canonical;
use palyra_skills::signing::{
    KeySet, ReleasePredicate, ReleaseStatement, STATEMENT_PAYLOAD_TYPE, SignatureFile, SkillSigningKey,
};
use palyra_skills::{
    BuildRequest, Platform, Sha256Digest, SkillTrustStore, TrustSnapshot, Verification, VerifyRefusal,
    build_signed_skill_artifact, verify_skill_artifact,
};
use zeroize::Zeroizing;

/// The key of a number.
pub(crate) fn key(number: u8) -> SkillSigningKey {
    SkillSigningKey::from_seed(&Zeroizing::new([number; 32]))
}

/// A set of numbered keys.
pub(crate) fn key_set(numbers: &[u8], threshold: u32) -> KeySet {
    KeySet::new(numbers.iter().map(|number| key(*number).public()), threshold).unwrap()
}

/// A core module without content, with a `producers` section that names its toolchain.
pub(crate) fn module() -> Vec<u8> {
    let producers = b"\x09producers\x02\x08language\x01\x04Rust\x042024\x0cprocessed-by\x01\x05rustc\x041.95";
    let mut bytes = b"\0asm\x01\0\0\0".to_vec();
    bytes.push(0);
    bytes.push(u8::try_from(producers.len()).unwrap());
    bytes.extend_from_slice(producers);
    bytes
}

/// The same module with a `.dep-v0` section, as `cargo auditable` writes it.
pub(crate) fn module_with_dependencies() -> Vec<u8> {
    let packages = br#"{"packages":[
        {"name":"serde","version":"1.0.200","source":"crates.io"},
        {"name":"notes","version":"0.1.0","source":"local","root":true},
        {"name":"fork","version":"2.0.0+git","source":"git"},
        {"name":"cc","version":"1.0.0","source":"crates.io","kind":"build"}]}"#;
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(packages, 6);
    let mut bytes = module();
    bytes.push(0);
    let length = packed.len() + 8;
    bytes.extend([u8::try_from(length & 0x7f).unwrap() | 0x80, u8::try_from(length >> 7).unwrap()]);
    bytes.extend_from_slice(b"\x07.dep-v0");
    bytes.extend_from_slice(&packed);
    bytes
}

/// A skill before it is built.
#[derive(Clone)]
pub(crate) struct Recipe {
    pub(crate) publisher: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) counter: u64,
    pub(crate) epoch: u64,
    pub(crate) signers: Vec<u8>,
    pub(crate) keys: Option<KeySet>,
    pub(crate) lineage: Vec<palyra_skills::trust::SignedRotation>,
    pub(crate) note: &'static str,
    pub(crate) provenance: Option<Vec<u8>>,
    pub(crate) module: Vec<u8>,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            publisher: "acme".into(),
            name: "notes".into(),
            version: "1.0.0".into(),
            counter: 1,
            epoch: 0,
            signers: vec![1],
            keys: None,
            lineage: Vec::new(),
            note: "hello",
            provenance: None,
            module: module(),
        }
    }
}

impl Recipe {
    pub(crate) fn manifest(&self) -> String {
        let Self { publisher, name, version, counter, .. } = self;
        format!(
            r#"manifest_version = 1
skill_id = "{publisher}.{name}"
name = "Notes"
version = "{version}"
publisher = "{publisher}"
release_counter = {counter}
license = "MIT"

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "{publisher}.{name}.add"
name = "Add"
description = "Adds a note."
module = "modules/notes.wasm"
input_schema = {{ type = "object" }}
output_schema = {{ type = "object" }}
"#
        )
    }

    pub(crate) fn build(&self) -> Arc<[u8]> {
        let keys: Vec<SkillSigningKey> = self.signers.iter().map(|number| key(*number)).collect();
        let built = build_signed_skill_artifact(&BuildRequest {
            manifest_toml: &self.manifest(),
            modules: vec![("modules/notes.wasm", &self.module)],
            assets: vec![("assets/readme.txt", self.note.as_bytes())],
            signers: keys.iter().collect(),
            publisher_keys: self.keys.clone(),
            publisher_epoch: self.epoch,
            lineage: self.lineage.clone(),
            signed_provenance: self.provenance.as_deref(),
        });
        built.unwrap().bytes
    }
}

/// A plain signed skill.
pub(crate) fn plain() -> Arc<[u8]> {
    Recipe::default().build()
}

pub(crate) fn platform() -> Platform {
    Platform { palyra_version: "0.1.0".parse().unwrap(), protocol_major: 1, nodes: BTreeSet::new() }
}

/// A store that allowlists `acme` with key 1.
pub(crate) fn store() -> SkillTrustStore {
    let mut store = SkillTrustStore::default();
    store.allow("acme", key_set(&[1], 1)).unwrap();
    store
}

/// Verifies against a store, with permission to offer a pin.
pub(crate) fn verify_with(
    store: &SkillTrustStore,
    bytes: impl Into<Arc<[u8]>>,
) -> Result<Verification, Box<VerifyRefusal>> {
    let bytes = bytes.into();
    crate::seeds::keep_of_row("smtu", "skill_archive", &bytes);
    crate::seeds::keep_store(store);
    let snapshot = TrustSnapshot::new(store.clone()).with_tofu(true);
    verify_skill_artifact(bytes, &snapshot, &platform()).map_err(Box::new)
}

/// Verifies an artifact against [`store`].
pub(crate) fn verify(bytes: impl Into<Arc<[u8]>>) -> Result<Verification, Box<VerifyRefusal>> {
    verify_with(&store(), bytes)
}

/// Returns the entries of an artifact.
pub(crate) fn entries(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let artifact = SkillArtifact::read(bytes.into()).unwrap();
    artifact.entries().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect()
}

/// Encodes entries as an archive.
pub(crate) fn pack(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    encode_archive(entries.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))).unwrap()
}

/// Returns the artifact with one entry changed and the old signatures.
pub(crate) fn with_entry(bytes: &[u8], path: &str, content: &[u8]) -> Vec<u8> {
    let mut list = entries(bytes);
    list.retain(|(name, _)| name != path);
    list.push((path.to_owned(), content.to_vec()));
    pack(&list)
}

pub(crate) fn signature_file(bytes: &[u8]) -> SignatureFile {
    SignatureFile::parse(SkillArtifact::read(bytes.into()).unwrap().entry(SIGNATURE_PATH).unwrap()).unwrap()
}

pub(crate) fn statement(bytes: &[u8]) -> ReleaseStatement {
    ReleaseStatement::parse(&signature_file(bytes).statement_bytes().unwrap()).unwrap()
}

/// The same artifact with its signature file changed.
pub(crate) fn with_signature(bytes: &[u8], change: impl FnOnce(&mut SignatureFile)) -> Vec<u8> {
    let mut file = signature_file(bytes);
    change(&mut file);
    with_entry(bytes, SIGNATURE_PATH, &file.encode().unwrap())
}

/// The same artifact with other signed bytes, signed properly by the numbered keys.
pub(crate) fn with_statement_bytes(bytes: &[u8], statement: &[u8], signers: &[u8]) -> Vec<u8> {
    let keys: Vec<SkillSigningKey> = signers.iter().map(|number| key(*number)).collect();
    let signers: Vec<&SkillSigningKey> = keys.iter().collect();
    with_signature(bytes, |file| {
        file.envelope = Envelope::sign(STATEMENT_PAYLOAD_TYPE, statement, &signers);
        file.key_id = file.envelope.signatures[0].keyid;
    })
}

/// Changes entries and signs the result with the publisher's key, as a careless or hostile publisher can.
pub(crate) fn resigned(
    bytes: &[u8],
    changes: &[(&str, &[u8])],
    change: impl FnOnce(&mut ReleasePredicate),
) -> Vec<u8> {
    let mut list = entries(bytes);
    for (path, content) in changes {
        list.retain(|(name, _)| name != path);
        list.push(((*path).to_owned(), content.to_vec()));
    }
    let unsigned = SkillArtifact::read(pack(&list).into()).unwrap();
    let mut predicate = statement(bytes).predicate;
    predicate.manifest_sha256 = Sha256Digest::of(unsigned.entry(MANIFEST_PATH).unwrap());
    change(&mut predicate);
    let payload = unsigned.payload_digest();
    let statement = ReleaseStatement::new(payload, unsigned.entry_digests(), predicate);
    let signed = with_statement_bytes(unsigned.bytes(), &encode_canonical(&statement).unwrap(), &[1]);
    with_signature(&signed, |file| file.payload_sha256 = payload)
}

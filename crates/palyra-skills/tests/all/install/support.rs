//! A state in memory that install plans are applied to, in one transaction that can fail at each write.

use std::collections::{BTreeMap, BTreeSet};

use palyra_skills::audit::AuditPolicy;
use palyra_skills::compat::NodeCapability;
use palyra_skills::consent::{ConsentGiven, ConsentIndex};
use palyra_skills::install::{
    InstallContext, InstallDecision, InstallEvent, InstallEventKind, InstallOutcome, InstallPlan,
    InstallRefusal, InstallRequest, InstallStep, Purpose, plan_install,
};
use palyra_skills::signing::{KeySet, SkillSigningKey};
use palyra_skills::trust::{SkillTrustStore, TrustSnapshot};
use palyra_skills::{
    BuildRequest, BuiltArtifact, InstalledSkillsIndex, Platform, RuntimeStatus, Sha256Digest, SkillRecord,
    build_signed_skill_artifact, capability_digest,
};

/// A core module that passes every rule of the audit.
const HONEST_CORE: &str = r#"(module
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "{}")
    (func (export "palyra_plugin_main") (result i32)
        (drop (call $write (i32.const 0) (i32.const 2))) (i32.const 0)))"#;

/// A signing key by number.
pub(crate) fn key(number: u8) -> SkillSigningKey {
    SkillSigningKey::from_seed(&zeroize::Zeroizing::new([number; 32]))
}

/// Consent to a digest, with no secret by name.
pub(crate) fn agree(digest: Sha256Digest) -> ConsentGiven {
    ConsentGiven { digest, principal: "owner".to_owned(), secrets: BTreeSet::new() }
}

/// A release of `acme.notes` to be built.
pub(crate) struct Release {
    number: u64,
    skill: String,
    tool: String,
    description: String,
    tables: String,
    wat: String,
    signer: u8,
}

/// A built release, with access to its fields.
#[derive(Clone)]
pub(crate) struct Built(BuiltArtifact);

impl std::ops::Deref for Built {
    type Target = BuiltArtifact;

    fn deref(&self) -> &BuiltArtifact {
        &self.0
    }
}

impl Built {
    /// Consent to a first installation of it.
    pub(crate) fn consent(&self) -> ConsentGiven {
        agree(capability_digest(&self.manifest))
    }
}

impl Release {
    pub(crate) fn new(number: u64) -> Self {
        Self {
            number,
            skill: "notes".to_owned(),
            tool: "acme.notes.add".to_owned(),
            description: "Keeps short notes.".to_owned(),
            tables: String::new(),
            wat: HONEST_CORE.to_owned(),
            signer: 1,
        }
    }

    pub(crate) fn of_skill(self, skill: &str, tool: &str) -> Self {
        Self { skill: skill.to_owned(), tool: tool.to_owned(), ..self }
    }

    pub(crate) fn with_tables(self, tables: &str) -> Self {
        Self { tables: tables.to_owned(), ..self }
    }

    pub(crate) fn with_description(self, description: &str) -> Self {
        Self { description: description.to_owned(), ..self }
    }

    pub(crate) fn with_wat(self, wat: &str) -> Self {
        Self { wat: wat.to_owned(), ..self }
    }

    pub(crate) fn signed_by(self, signer: u8) -> Self {
        Self { signer, ..self }
    }

    pub(crate) fn build(&self) -> Built {
        let Self { number, skill, tool, description, tables, wat, signer } = self;
        let manifest = format!(
            r#"manifest_version = 1
skill_id = "acme.{skill}"
name = "Notes"
version = "1.{number}.0"
publisher = "acme"
release_counter = {number}

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "{tool}"
name = "Add"
description = "{description}"
module = "modules/notes.wasm"
input_schema = {{ type = "object" }}
output_schema = {{ type = "object" }}

{tables}
"#
        );
        let (module, signer) = (wat::parse_str(wat).unwrap(), key(*signer));
        let request = BuildRequest {
            manifest_toml: &manifest,
            modules: vec![("modules/notes.wasm", &module)],
            signers: vec![&signer],
            publisher_epoch: 1,
            ..BuildRequest::default()
        };
        Built(build_signed_skill_artifact(&request).unwrap())
    }
}

/// Everything a state holds.
#[derive(Clone)]
pub(crate) struct Home {
    pub(crate) generation: u64,
    pub(crate) trust: SkillTrustStore,
    pub(crate) platform: Platform,
    pub(crate) policy: AuditPolicy,
    pub(crate) index: InstalledSkillsIndex,
    pub(crate) consents: ConsentIndex,
    pub(crate) journal: Vec<InstallEvent>,
    pub(crate) objects: BTreeSet<Sha256Digest>,
    pub(crate) bytes: BTreeMap<Sha256Digest, std::sync::Arc<[u8]>>,
}

/// Why an installation did not happen.
#[derive(Debug)]
pub(crate) enum InstallFailure {
    Refused(Box<InstallRefusal>),
    Moved,
}

impl Default for Home {
    fn default() -> Self {
        Self {
            generation: 0,
            trust: SkillTrustStore::default(),
            platform: Platform {
                palyra_version: "0.1.0".parse().unwrap(),
                protocol_major: 1,
                nodes: BTreeSet::from([NodeCapability::Net]),
            },
            policy: AuditPolicy::default(),
            index: InstalledSkillsIndex::default(),
            consents: ConsentIndex::default(),
            journal: Vec::new(),
            objects: BTreeSet::new(),
            bytes: BTreeMap::new(),
        }
    }
}

impl Home {
    pub(crate) fn allowing(key: &SkillSigningKey) -> Self {
        let mut home = Self::default();
        home.trust.allow("acme", KeySet::single(key.public())).unwrap();
        home
    }

    pub(crate) fn install(
        &mut self,
        release: &Built,
        ask: impl FnOnce(&mut InstallRequest),
    ) -> Result<InstallOutcome, InstallFailure> {
        self.install_observed(release, ask, &mut |_| {})
    }

    pub(crate) fn install_observed(
        &mut self,
        release: &Built,
        ask: impl FnOnce(&mut InstallRequest),
        observe: &mut dyn FnMut(&InstallStep),
    ) -> Result<InstallOutcome, InstallFailure> {
        crate::seeds::keep_of_row("tu", "skill_archive", &release.bytes);
        let view = self.clone();
        self.objects_put(release);
        let mut request = InstallRequest::offered(release.bytes.clone());
        ask(&mut request);
        self.run(&view, &request, observe)
    }

    pub(crate) fn install_planned_from(
        &mut self,
        view: &Self,
        release: &Built,
        ask: impl FnOnce(&mut InstallRequest),
    ) -> Result<InstallOutcome, InstallFailure> {
        let mut request = InstallRequest::offered(release.bytes.clone());
        ask(&mut request);
        self.run(view, &request, &mut |_| {})
    }

    #[track_caller]
    pub(crate) fn refused(
        &mut self,
        release: &Built,
        ask: impl FnOnce(&mut InstallRequest),
    ) -> InstallRefusal {
        match self.install(release, ask) {
            Err(InstallFailure::Refused(refusal)) => *refusal,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn stored(
        &mut self,
        payload: Sha256Digest,
        purpose: Purpose,
        ask: impl FnOnce(&mut InstallRequest),
    ) -> Result<InstallOutcome, InstallFailure> {
        let mut request =
            InstallRequest::installed(self.bytes[&payload].clone(), "acme.notes", payload, purpose);
        ask(&mut request);
        self.run(&self.clone(), &request, &mut |_| {})
    }

    pub(crate) fn stored_as(
        &mut self,
        payload: Sha256Digest,
        bytes: &[u8],
        purpose: Purpose,
    ) -> Result<InstallOutcome, InstallFailure> {
        let request = InstallRequest::installed(bytes, "acme.notes", payload, purpose);
        self.run(&self.clone(), &request, &mut |_| {})
    }

    /// Stores the bytes of a release by payload.
    pub(crate) fn objects_put(&mut self, release: &Built) {
        self.bytes.insert(release.payload, release.bytes.clone());
    }

    pub(crate) fn record(&self) -> &SkillRecord {
        self.index.get("acme.notes").unwrap()
    }

    pub(crate) fn status(&self) -> RuntimeStatus {
        self.record().runtime_status()
    }

    pub(crate) fn events(&self) -> Vec<InstallEventKind> {
        self.journal.iter().map(|event| event.kind).collect()
    }

    fn run(
        &mut self,
        view: &Self,
        request: &InstallRequest,
        observe: &mut dyn FnMut(&InstallStep),
    ) -> Result<InstallOutcome, InstallFailure> {
        let snapshot = TrustSnapshot::new(view.trust.clone());
        let context = InstallContext {
            generation: view.generation,
            trust: &snapshot,
            platform: &view.platform,
            policy: &view.policy,
            index: &view.index,
            consents: &view.consents,
        };
        let plan = plan_install(request, &context, observe);
        self.apply(plan, observe)
    }

    /// Applies a plan as the owner of a state does.
    fn apply(
        &mut self,
        plan: InstallPlan,
        observe: &mut dyn FnMut(&InstallStep),
    ) -> Result<InstallOutcome, InstallFailure> {
        if self.generation != plan.generation {
            return Err(InstallFailure::Moved);
        }
        match plan.decision {
            InstallDecision::Unchanged(outcome) => Ok(*outcome),
            InstallDecision::Install(outcome) => {
                self.store(&outcome, &plan.bytes);
                observe(&InstallStep::stored(&outcome));
                Ok(*outcome)
            }
            InstallDecision::Refuse(refusal) => {
                self.journal.push(refusal.event());
                if let Some(change) = refusal.trust_change() {
                    self.trust.apply(change).unwrap();
                    self.generation += 1;
                }
                Err(InstallFailure::Refused(refusal))
            }
        }
    }

    fn store(&mut self, outcome: &InstallOutcome, bytes: &[u8]) {
        if outcome.stores_bytes {
            assert_eq!(Sha256Digest::of(bytes), outcome.archive);
            self.objects.insert(outcome.archive);
        }
        if let Some(change) = &outcome.trust_change {
            self.trust.apply(change).unwrap();
        }
        if let Some(consent) = &outcome.new_consent {
            self.consents.put(consent.clone());
        }
        self.index.put(outcome.record.clone());
        self.journal.extend(outcome.events.iter().cloned());
        self.generation += 1;
    }
}

//! Test releases of `acme.notes`, built and signed in the process.

use std::collections::BTreeSet;

use palyra_skills::consent::ConsentGiven;
use palyra_skills::install::InstallOutcome;
use palyra_skills::{
    BuildRequest, BuiltArtifact, Sha256Digest, build_signed_skill_artifact, capability_digest,
};
use palyra_state::{InstallOptions, SkillError, State};

use crate::guests::HONEST;
use crate::home::signing_key;

pub struct Release {
    pub number: u64,
    pub skill: &'static str,
    pub tool: &'static str,
    pub description: &'static str,
    pub input_schema: &'static str,
    pub output_schema: &'static str,
    pub risk: &'static str,
    pub tables: &'static str,
    pub wat: String,
    pub signer: u8,
}

impl Default for Release {
    fn default() -> Self {
        Self {
            number: 1,
            skill: "notes",
            tool: "acme.notes.add",
            description: "Keeps short notes.",
            input_schema: r#"{ type = "object" }"#,
            output_schema: r#"{ type = "object" }"#,
            risk: "",
            tables: "",
            wat: HONEST.to_owned(),
            signer: 1,
        }
    }
}

impl Release {
    pub fn number(number: u64) -> Self {
        Self { number, ..Self::default() }
    }

    pub fn build(&self) -> BuiltArtifact {
        let Self { number, skill, tool, description, input_schema, output_schema, risk, tables, wat, signer } =
            self;
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
input_schema = {input_schema}
output_schema = {output_schema}
{risk}

{tables}
"#
        );
        build(&manifest, &[("modules/notes.wasm", &wat::parse_str(wat).unwrap())], *signer)
    }
}

/// Builds a package of any manifest and modules, signed by the key of this number.
pub fn build(manifest: &str, modules: &[(&str, &[u8])], signer: u8) -> BuiltArtifact {
    let signer = signing_key(signer);
    let request = BuildRequest {
        manifest_toml: manifest,
        modules: modules.to_vec(),
        signers: vec![&signer],
        publisher_epoch: 1,
        ..BuildRequest::default()
    };
    build_signed_skill_artifact(&request).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the consent to a digest, without secrets.
pub fn agree(digest: Sha256Digest) -> ConsentGiven {
    ConsentGiven { digest, principal: "owner".to_owned(), secrets: BTreeSet::new() }
}

/// Returns options that permit the first installation of an unknown publisher, with full consent.
pub fn permitting(built: &BuiltArtifact) -> InstallOptions {
    InstallOptions {
        allow_tofu: true,
        consent: Some(agree(capability_digest(&built.manifest))),
        ..InstallOptions::default()
    }
}

pub fn install(state: &State, built: &BuiltArtifact) -> InstallOutcome {
    try_install(state, built, &permitting(built)).unwrap_or_else(|error| panic!("{error}"))
}

/// Updates an installed skill and consents to its permissions.
pub fn update(state: &State, built: &BuiltArtifact) {
    let outcome =
        try_install(state, built, &InstallOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    if let Some(request) = outcome.consent_request {
        state
            .skills()
            .consent(&outcome.record.skill_id, agree(request.digest()), "owner", &mut |_| {})
            .unwrap();
    }
}

pub fn try_install(
    state: &State,
    built: &BuiltArtifact,
    options: &InstallOptions,
) -> Result<InstallOutcome, SkillError> {
    state.skills().install(built.bytes.clone(), options, "owner", &mut |_| {})
}

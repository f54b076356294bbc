//! Rotations whose keys are in several vaults.

use crate::client::AnyClient;
use crate::error::CliError;
use crate::output::Remark;
use palyra_api::keys::SignReleaseRequest;
use palyra_skills::signing::PublisherKey;
use palyra_skills::signing::dsse::EnvelopeSignature;
use palyra_skills::trust::PartialRotation;

/// Returns the public half of a key of the vault; fails for a key that cannot sign.
pub(super) async fn public_half(client: &AnyClient, name: &str) -> Result<PublisherKey, CliError> {
    let key = client.key(name).await?.public_key.parse();
    key.map_err(|error| CliError::usage(format!("key `{name}` cannot sign: {error}")))
}

/// Signs with keys of the vault, after checking all of them.
pub(super) async fn add_signatures(
    client: &AnyClient,
    rotation: PartialRotation,
    names: &[String],
) -> Result<PartialRotation, CliError> {
    let mut keys = Vec::with_capacity(names.len());
    for name in names {
        let key = public_half(client, name).await?;
        if !rotation.lists(&key) {
            let message = format!("the rotation does not list key `{name}`");
            return Err(CliError::usage_with_hint(
                message,
                "list it when the rotation is created: `palyra keys rotate --from-key KEY --to-key KEY`",
            ));
        }
        keys.push((name, key));
    }
    let statement = String::from_utf8_lossy(rotation.payload()).into_owned();
    let request = SignReleaseRequest { statement };
    let mut signatures = Vec::with_capacity(keys.len());
    for (name, key) in keys {
        let signed = client.sign_release(name, &request).await?;
        signatures.push(EnvelopeSignature { keyid: key.key_id(), sig: signed.signature });
    }
    rotation.with_signatures(signatures).map_err(|error| CliError::usage(error.to_string()))
}

/// Encodes a rotation as the bytes of its file.
pub(super) fn encode(rotation: &PartialRotation) -> Result<Vec<u8>, CliError> {
    rotation.encode().map_err(|error| CliError::usage(error.to_string()))
}

/// Returns the remarks about the next step: the signatures that are missing, or the command that applies the rotation.
pub(super) fn missing(old: u32, new: &[String], path: &str) -> Vec<Remark> {
    if old == 0 && new.is_empty() {
        return vec![Remark::Next(format!(
            "everyone who trusts you applies it with `palyra trust apply {path}`"
        ))];
    }
    let old = (old > 0).then(|| format!("{old} more of the old keys"));
    let new = (!new.is_empty()).then(|| format!("the new keys {}", new.join(", ")));
    let who: Vec<String> = old.into_iter().chain(new).collect();
    vec![
        Remark::Warning(format!("not complete: {} must sign", who.join(" and "))),
        Remark::Next(format!("on the machine with such a key: `palyra keys sign {path} --key NAME`")),
    ]
}

//! Signing keys from the vault or from key files; never from an argument or a variable.

use crate::cli::Globals;
use crate::client::AnyClient;
use crate::error::CliError;
use crate::files::read_at_most;
use crate::terminal::Terminal;
use clap::Args;
use palyra_api::keys::SignReleaseRequest;
use palyra_skills::signing::dsse::EnvelopeSignature;
use palyra_skills::signing::{PublisherKey, STATEMENT_PAYLOAD_TYPE, SkillSigningKey};
use palyra_vault::{KeyFileType, Passphrase, key_file};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Maximum size of a key file; a real one has about 400 bytes.
const MAX_KEY_FILE_BYTES: u64 = 4_096;

/// Sources of signing keys; exactly one must be used.
const SOURCES: [&str; 3] = ["signing_key_vault_ref", "signing_key_stdin", "signing_key_file"];

/// Where the signing keys come from
#[derive(Args)]
#[command(next_help_heading = "Signing key")]
#[group(skip)]
#[command(group = clap::ArgGroup::new("signing_key").required(true).args(SOURCES))]
pub(super) struct SigningKeyArgs {
    /// Name of a key in the vault (repeatable)
    #[arg(long, value_name = "NAME")]
    signing_key_vault_ref: Vec<String>,

    /// Read an encrypted key file from standard input
    #[arg(long)]
    signing_key_stdin: bool,

    /// Encrypted key file that only you can read (repeatable)
    #[arg(long, value_name = "FILE")]
    signing_key_file: Vec<PathBuf>,

    /// File with the passphrase of the key files [default: prompt]
    #[arg(long, value_name = "FILE", conflicts_with = "signing_key_vault_ref")]
    key_passphrase_file: Option<PathBuf>,
}

/// Signing keys in the vault of the process that owns it.
pub(super) struct VaultKeys<'a> {
    client: &'a AnyClient,
    names: &'a [String],
    public: Vec<PublisherKey>,
}

impl SigningKeyArgs {
    /// Returns the names of keys in the vault; empty if key files sign.
    pub(super) fn vault_names(&self) -> &[String] {
        &self.signing_key_vault_ref
    }

    /// Opens the key files.
    pub(super) fn open_files(&self, globals: &Globals) -> Result<Vec<SkillSigningKey>, CliError> {
        if self.signing_key_stdin {
            let read = read_at_most(std::io::stdin().lock(), MAX_KEY_FILE_BYTES, MAX_KEY_FILE_BYTES);
            let (text, _) = read.map_err(CliError::io("cannot read standard input"))?;
            let text = Zeroizing::new(text);
            let seed = key_file::decode(KeyFileType::SigningKey, &text, &self.passphrase(globals)?);
            return Ok(vec![SkillSigningKey::from_seed(&seed.map_err(refused)?)]);
        }
        let open = |path: &PathBuf| {
            let seed = key_file::read(path, KeyFileType::SigningKey, &self.passphrase(globals)?);
            Ok(SkillSigningKey::from_seed(&seed.map_err(refused)?))
        };
        self.signing_key_file.iter().map(open).collect()
    }

    fn passphrase(&self, globals: &Globals) -> Result<Passphrase, CliError> {
        if let Some(path) = &self.key_passphrase_file {
            return Passphrase::from_file(path).map_err(|error| CliError::File(error.into()));
        }
        match Terminal::of_person(globals) {
            Some(mut terminal) => terminal.passphrase("passphrase of the signing key"),
            None => Err(CliError::usage_with_hint(
                "the key file needs a passphrase, and there is no terminal to ask for it",
                "pass it with `--key-passphrase-file FILE`",
            )),
        }
    }
}

impl<'a> VaultKeys<'a> {
    /// Looks up the keys; their secret halves stay in the vault.
    pub(super) async fn find(client: &'a AnyClient, names: &'a [String]) -> Result<Self, CliError> {
        let mut public = Vec::with_capacity(names.len());
        for name in names {
            let key = client.key(name).await?.public_key.parse();
            public.push(key.map_err(|error| CliError::usage(format!("key `{name}` cannot sign: {error}")))?);
        }
        Ok(Self { client, names, public })
    }

    /// Returns the public keys, in the order of the names.
    pub(super) fn public(&self) -> &[PublisherKey] {
        &self.public
    }

    /// Signs the statement of a release with each key.
    pub(super) async fn sign(&self, statement: &[u8]) -> Result<Vec<EnvelopeSignature>, CliError> {
        let statement = String::from_utf8_lossy(statement).into_owned();
        let request = SignReleaseRequest { statement };
        let mut signatures = Vec::with_capacity(self.names.len());
        for (name, key) in self.names.iter().zip(&self.public) {
            let signed = self.client.sign_release(name, &request).await?;
            // The signature is verified when it is added to the package.
            signatures.push(EnvelopeSignature { keyid: key.key_id(), sig: signed.signature });
        }
        Ok(signatures)
    }
}

/// Signs the statement of a release with keys in memory.
pub(super) fn sign_with(keys: &[SkillSigningKey], statement: &[u8]) -> Vec<EnvelopeSignature> {
    keys.iter().map(|key| EnvelopeSignature::sign(STATEMENT_PAYLOAD_TYPE, statement, key)).collect()
}

/// Returns the public halves of opened keys.
pub(super) fn public_halves(keys: &[SkillSigningKey]) -> Vec<PublisherKey> {
    keys.iter().map(SkillSigningKey::public).collect()
}

fn refused(error: palyra_vault::KeyFileError) -> CliError {
    CliError::File(error.into())
}

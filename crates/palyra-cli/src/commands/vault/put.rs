//! `palyra vault put`.

use super::reference;
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::output::{Remark, Reply, facts};
use crate::standard_input::StandardInput;
use crate::terminal::Terminal;
use clap::Args;
use palyra_api::SecretBytes;
use palyra_api::vault::{PutSecretAnswer, PutSecretRequest};
use palyra_common::SecretValue;
use serde::Serialize;

const MAX_SECRET_BYTES: u64 = 64 << 10;

const EXAMPLE: &str = "\
Example:
  palyra vault put global/github_token
  palyra vault put skill:acme.notes/pin --allow-weak < pin.txt";

const MORE: &str = "\
On a terminal the command asks for the value; otherwise it reads standard input, without the final line
break. A secret is never a command-line argument, which every program on this machine could read. A value that can
be guessed (less than 40 bits, such as a PIN) is rejected, because a skill could find it out by trying;
`--allow-weak` stores it anyway.";

/// Store a secret, or replace it
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct PutArgs {
    /// Scope and name, for example `global/github_token`
    #[arg(value_name = "SCOPE/KEY")]
    reference: String,

    /// Store a value that can be guessed, such as a PIN
    #[arg(long)]
    allow_weak: bool,

    /// A value on the command line, taken only so that the refusal does not repeat it.
    #[arg(hide = true, num_args = 0.., allow_hyphen_values = true)]
    value: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct Put {
    #[serde(flatten)]
    put: PutSecretAnswer,
    #[serde(skip)]
    short: bool,
}

pub(super) fn execute(args: &PutArgs, globals: &Globals) -> Result<Put, CliError> {
    if !args.value.is_empty() {
        return Err(CliError::Usage {
            message: "the value of a secret cannot be a command-line argument".into(),
            hints: vec![
                "omit it to be asked for it, or pipe it to standard input".into(),
                "if it was the real value, change it: it is in the shell's history now".into(),
            ],
        });
    }
    let secret = reference::read(&args.reference)?;
    let value = read_value(&secret.to_string(), globals)?;
    let request = PutSecretRequest { value: SecretBytes::new(value.expose()), allow_weak: args.allow_weak };
    let put = async |client: AnyClient| client.put_secret(&secret, &request).await;
    let put = client::ask(globals, "vault put", put)?;
    Ok(Put { put, short: value.expose().len() < palyra_egress::limits::MIN_SECRET_BYTES })
}

/// Reads the value. No error message contains a part of it.
fn read_value(name: &str, globals: &Globals) -> Result<SecretValue, CliError> {
    if let Some(mut terminal) = Terminal::of_person(globals) {
        return terminal.secret(&format!("value of {name}"));
    }
    let (mut value, whole) = StandardInput::new(globals.no_input).read("vault put", MAX_SECRET_BYTES)?;
    if !whole {
        return Err(CliError::usage(format!("the value of `{name}` has more than {MAX_SECRET_BYTES} bytes")));
    }
    // Editors and `echo` end a file with a line break, which is not part of the secret.
    if value.last() == Some(&b'\n') {
        value.pop();
        if value.last() == Some(&b'\r') {
            value.pop();
        }
    }
    Ok(SecretValue::new(value))
}

impl Reply for Put {
    const SCHEMA: &'static str = "palyra.vault.put/v1";

    fn data(&self) -> String {
        let change = if self.put.replaced { "replaced" } else { "created" };
        facts(&[("secret", self.put.secret.clone()), ("change", change.to_owned())])
    }

    fn talk(&self) -> Vec<Remark> {
        let short = self.short.then(|| {
            Remark::Warning(format!("`{}` is too short to be redacted from output", self.put.secret))
        });
        short.into_iter().collect()
    }
}

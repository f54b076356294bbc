//! `--secret NAME=@FILE` and `--secret NAME=-`: secret values never appear on a command line.

use crate::error::CliError;
use crate::files::{FileError, read_file};
use crate::output::Warnings;
use crate::standard_input::StandardInput;
use palyra_common::capabilities::{SecretRef, SecretScope};
use palyra_common::{CapabilityGrantSet, MIN_SECRET_BITS, SecretValue, is_weak_secret};
use std::collections::BTreeMap;
use std::path::Path;

const MAX_SECRET_BYTES: u64 = 64 << 10;

/// The secrets of a run by name.
pub(crate) type Secrets = BTreeMap<SecretRef, SecretValue>;

/// Reads all secrets; no error contains a part of a value.
pub(super) fn read_secrets(
    texts: &[String],
    stdin: &mut StandardInput,
    warnings: &Warnings,
) -> Result<Secrets, CliError> {
    let mut secrets = Secrets::new();
    for text in texts {
        let (name, source) = split(text)?;
        let value = read_value(&name, source, stdin)?;
        if value.expose().len() < palyra_egress::limits::MIN_SECRET_BYTES {
            warnings.add(format!("the secret `{name}` is too short to be redacted from output"));
        } else if is_weak_secret(value.expose()) {
            warnings.add(format!("the secret `{name}` is easy to guess: less than {MIN_SECRET_BITS} bits"));
        }
        if secrets.insert(name.clone(), value).is_some() {
            return Err(CliError::usage(format!("the secret `{name}` is given more than once")));
        }
    }
    Ok(secrets)
}

/// Warns about secrets without a grant, and grants without a secret.
pub(super) fn warn_about_strays(secrets: &Secrets, grants: &CapabilityGrantSet, warnings: &Warnings) {
    for name in secrets.keys() {
        if !grants.secrets().iter().any(|grant| grant.secret == *name) {
            warnings.add(format!(
                "the secret `{name}` is not granted, so the guest cannot use it; add `--grant 'secret:{name} hosts=HOST inject=bearer'`"
            ));
        }
    }
    for grant in grants.secrets() {
        if !secrets.contains_key(&grant.secret) {
            let name = &grant.secret;
            warnings
                .add(format!("the secret `{name}` is granted but has no value; add `--secret {name}=@FILE`"));
        }
    }
}

enum Source<'a> {
    File(&'a Path),
    Stdin,
}

fn split(text: &str) -> Result<(SecretRef, Source<'_>), CliError> {
    // The part before `=` may be shown once it is a valid name; the part after it may be a secret and never is.
    let (name, source) = text.split_once('=').ok_or_else(|| bad_form(None))?;
    let name = read_name(name)?;
    match (source, source.strip_prefix('@')) {
        ("-", _) => Ok((name, Source::Stdin)),
        (_, Some(path)) if !path.is_empty() => Ok((name, Source::File(Path::new(path)))),
        _ => Err(bad_form(Some(&name))),
    }
}

/// Parses a secret name; `token` is short for `global/token`.
fn read_name(name: &str) -> Result<SecretRef, CliError> {
    let full = if name.contains('/') { name.to_owned() } else { format!("{}/{name}", SecretScope::Global) };
    full.parse().map_err(|_| bad_form(None))
}

fn bad_form(name: Option<&SecretRef>) -> CliError {
    let message = match name {
        Some(name) => format!("the value of the secret `{name}` must come from a file or standard input"),
        None => "invalid `--secret`: expected NAME=@FILE or NAME=-".to_owned(),
    };
    let why = "a value on the command line can be read by every program on this machine and stays in the shell's history";
    CliError::Usage {
        message,
        hints: vec!["write `--secret NAME=@FILE` or `--secret NAME=-`".into(), why.into()],
    }
}

fn read_value(
    name: &SecretRef,
    source: Source<'_>,
    stdin: &mut StandardInput,
) -> Result<SecretValue, CliError> {
    let too_long = || CliError::usage(format!("the secret `{name}` has more than {MAX_SECRET_BYTES} bytes"));
    let mut value = match source {
        Source::Stdin => {
            let (value, whole) = stdin.read(&format!("--secret {name}=-"), MAX_SECRET_BYTES)?;
            if whole { value } else { return Err(too_long()) }
        }
        Source::File(path) => read_file(path, MAX_SECRET_BYTES).map_err(|error| match error {
            FileError::TooLong { .. } => too_long(),
            error => error.into(),
        })?,
    };
    // Editors and `echo` end a file with a line break, which is not part of the secret.
    if value.last() == Some(&b'\n') {
        value.pop();
        if value.last() == Some(&b'\r') {
            value.pop();
        }
    }
    if value.is_empty() {
        return Err(CliError::usage(format!("the secret `{name}` is empty")));
    }
    Ok(SecretValue::new(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use palyra_common::OperatorGrants;

    fn read(texts: &[String]) -> Result<Secrets, CliError> {
        read_secrets(texts, &mut StandardInput::new(true), &Warnings::default())
    }

    #[test]
    fn one_line_break_is_not_part_of_a_secret() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (content, expected) in
            [("hunter2", "hunter2"), ("hunter2\n", "hunter2"), ("hunter2\r\n", "hunter2"), ("a\n\n", "a\n")]
        {
            std::fs::write(file.path(), content).unwrap();
            let secrets = read(&[format!("token=@{}", file.path().display())]).unwrap();
            let value = &secrets[&"global/token".parse().unwrap()];
            assert_eq!(value.expose(), expected.as_bytes());
        }
        std::fs::write(file.path(), "\n").unwrap();
        assert!(read(&[format!("token=@{}", file.path().display())]).is_err());
    }

    #[test]
    fn a_value_on_the_command_line_is_refused_and_not_repeated() {
        for text in [
            "hunter2",
            "token=hunter2",
            "hunter2/=x",
            "token=",
            "token=@",
            "=hunter2",
            "glo bal=hunter2",
            "x/y/z=hunter2",
        ] {
            let error = read(&[text.to_owned()]).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{text}");
            let shown = format!("{error} {error:?} {:?} {}", error.hints(), error.details());
            assert!(!shown.contains("hunter2"), "{shown}");
        }
    }

    #[test]
    fn strays_are_mentioned() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "hunter2").unwrap();
        let secrets = read(&[format!("token=@{}", file.path().display())]).unwrap();
        let strays = |grants: &[&str]| {
            let warnings = Warnings::default();
            warn_about_strays(&secrets, &OperatorGrants::parse(grants).unwrap().capabilities, &warnings);
            warnings.list().len()
        };
        assert_eq!(strays(&["secret:global/token reveal"]), 0);
        assert_eq!(strays(&[]), 1);
        assert_eq!(strays(&["secret:global/other reveal"]), 2);
    }
}

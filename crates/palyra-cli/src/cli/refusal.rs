//! A command line that cannot be parsed, or that requests help.

use super::{ColorWhen, OutputForm, help};
use crate::error::CliError;
use crate::output::Printer;
use clap::ValueEnum;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use palyra_common::env_vars::{PALYRA_COLOR, PALYRA_OUTPUT};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// A help page or an error of the command line, with the requested output format.
pub(crate) struct Refusal {
    message: Said,
    form: OutputForm,
    color: ColorWhen,
}

enum Said {
    Page(StyledStr),
    Clap(clap::Error),
}

impl Refusal {
    /// Wraps a help page that clap does not render.
    pub(super) fn page(page: StyledStr, arguments: &[OsString]) -> Self {
        Self::of(Said::Page(page), arguments)
    }

    pub(super) fn new(error: clap::Error, arguments: &[OsString]) -> Self {
        Self::of(Said::Clap(error), arguments)
    }

    fn of(message: Said, arguments: &[OsString]) -> Self {
        let json = arguments.iter().any(|argument| argument == "--json");
        let form = asked(arguments, "--output", PALYRA_OUTPUT).filter(|_| !json).unwrap_or(if json {
            OutputForm::Json
        } else {
            OutputForm::Human
        });
        Self { message, form, color: asked(arguments, "--color", PALYRA_COLOR).unwrap_or_default() }
    }

    /// Prints help and version to standard output with exit code 0, and mistakes to standard error with exit code 2.
    pub(crate) fn show(self) -> ExitCode {
        self.color.apply();
        let (page, code) = match self.message {
            Said::Page(page) => (page, 0),
            Said::Clap(error) => {
                let help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
                if error.use_stderr() && self.form != OutputForm::Human && !help {
                    return Printer::plain(self.form).fail(&into_error(&error).into(), &[]);
                }
                (error.render(), if error.use_stderr() { 2 } else { 0 })
            }
        };
        // A reader that closed the pipe gets no error message.
        let _ = match code {
            0 => write!(anstream::stdout(), "{}", help::shown(&page)),
            _ => write!(anstream::stderr(), "{}", help::shown(&page)),
        };
        ExitCode::from(code)
    }
}

fn into_error(error: &clap::Error) -> CliError {
    let text = error.to_string();
    // The first paragraph is the message; tips and usage follow it.
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    let message = lines.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned();
    let suggestions =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    let hints = suggestions.into_iter().filter_map(|kind| error.get(kind)).map(suggestion).collect();
    CliError::Usage { message, hints }
}

fn suggestion(value: &ContextValue) -> String {
    match value {
        ContextValue::Strings(words) => format!("did you mean `{}`?", words.join("`, `")),
        other => format!("did you mean `{other}`?"),
    }
}

/// Returns the value of a flag, or of its variable, on a command line that clap could not parse.
fn asked<T: ValueEnum>(arguments: &[OsString], flag: &str, variable: &str) -> Option<T> {
    let mut words =
        arguments.iter().filter_map(|argument| argument.to_str()).take_while(|word| *word != "--");
    let mut value = None;
    while let Some(word) = words.next() {
        match word.strip_prefix(flag) {
            Some("") => value = words.next().map(str::to_owned),
            Some(rest) if rest.starts_with('=') => value = Some(rest[1..].to_owned()),
            _ => {}
        }
    }
    let value = value.or_else(|| std::env::var(variable).ok())?;
    T::from_str(&value, false).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_found_on_a_broken_line() {
        let found = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = clap::Error::new(ErrorKind::UnknownArgument);
            let refusal = Refusal::new(error, &arguments);
            (refusal.form, refusal.color)
        };
        assert_eq!(found("palyra --nonsense --json"), (OutputForm::Json, ColorWhen::Auto));
        assert_eq!(found("palyra --output ndjson --color=never x"), (OutputForm::Ndjson, ColorWhen::Never));
        assert_eq!(found("palyra --output=xml"), (OutputForm::Human, ColorWhen::Auto));
        assert_eq!(found("palyra --outputs json"), (OutputForm::Human, ColorWhen::Auto));
        assert_eq!(found("palyra -- --output json"), (OutputForm::Human, ColorWhen::Auto));
    }
}

//! `palyra surfaces submit`.

use crate::cli::Globals;
use crate::client;
use crate::commands::run::read_tool_input;
use crate::error::CliError;
use crate::forms::{Filled, ShownForm, draw};
use crate::output::{Printer, Remark, Reply, pretty_json};
use crate::standard_input::StandardInput;
use crate::terminal::Terminal;
use clap::Args;
use palyra_api::tools::InvokeAnswer;
use palyra_common::JsonText;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra surfaces submit run_0123456789abcdef0123456789abcdef
  palyra surfaces submit run_0123456789abcdef0123456789abcdef --values '{\"name\": \"Ada\"}'";

/// Submit the form of a document, which calls the tool that it names
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct SubmitArgs {
    /// Document: the id of the run that returned it
    surface: String,

    /// Values of the fields: JSON text, `@FILE` or `-` [default: prompt]
    #[arg(long, value_name = "JSON")]
    values: Option<String>,
}

#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Submitted(InvokeAnswer);

pub(super) fn execute(
    args: &SubmitArgs,
    globals: &Globals,
    printer: &Printer,
) -> Result<Submitted, CliError> {
    let mut stdin = StandardInput::new(globals.no_input);
    let given = args.values.as_deref().map(|values| read_tool_input(Some(values), &mut stdin)).transpose()?;
    let submit = async |client: client::AnyClient| {
        let shown = client.call_surface(&args.surface).await?;
        let form = ShownForm::of(&shown.document)?;
        let form = form.ok_or_else(|| CliError::usage(format!("`{}` has no form", args.surface)))?;
        let submit = match (&given, Terminal::of_person(globals)) {
            (Some(values), _) => {
                form.submit(shown.rev, serde_json::from_str(values.as_str()).unwrap_or_default())
            }
            (None, Some(person)) => {
                printer.show(&draw(&shown.document));
                match form.fill_in(person, printer, shown.rev).await? {
                    Filled::Submit(submit) => submit,
                    Filled::No | Filled::Stop => return Err(CliError::Cancelled),
                }
            }
            (None, None) => {
                return Err(CliError::usage_with_hint(
                    "the values of a form are required when there is no terminal",
                    "write them: `--values JSON`, `--values @FILE` or `--values -`",
                ));
            }
        };
        Ok::<InvokeAnswer, CliError>(client.submit_form(&args.surface, &submit).await?)
    };
    client::ask(globals, "surfaces submit", submit).map(Submitted)
}

impl Reply for Submitted {
    const SCHEMA: &'static str = "palyra.surfaces.submit/v1";

    fn data(&self) -> String {
        let result = self.0.result.get();
        if self.0.surface_id.is_some() {
            return draw(&serde_json::from_str(result).unwrap_or_default());
        }
        let json = JsonText::from_text(result.to_owned());
        json.map_or_else(|_| result.to_owned(), |json| pretty_json(&json)) + "\n"
    }

    fn talk(&self) -> Vec<Remark> {
        let InvokeAnswer { tool, run_id, .. } = &self.0;
        vec![Remark::Note(format!("{tool} finished · {run_id}"))]
    }
}

//! `palyra chat`: a conversation with the agent on a terminal, including its questions.

mod answer;
mod events;
mod show;

use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::interrupt::INTERRUPTED;
use crate::output::{Printer, Remark};
use crate::terminal::Terminal;
use clap::Args;
use palyra_api::Problem;
use palyra_api::sessions::{AgentRun, AgentRunStatus, NewSession, SessionChange};
use palyra_common::ErrorCode;
use std::cell::OnceCell;
use std::process::ExitCode;

use events::Conversation;

const EXAMPLE: &str = "\
Example:
  palyra chat \"how many words are in 'to be or not to be'\"
  palyra chat
  palyra chat --session ses_0123456789abcdef0123456789abcdef";

const MORE: &str = "\
Without a message, chat reads messages from the terminal until `/quit`. Other commands there: `/tools` lists the tools,
`/model` shows the model of the session and `/model NAME` changes it. `/stop` stops the run, while it is in progress and
as the answer to a question; so does Ctrl-C while it is in progress.
Without a terminal, chat prints what the agent proposes and exits with 15; answer it later with `--session`.
With `--json`, each event of the session is one line.";

/// Talk to the agent
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct ChatArgs {
    /// Message [default: read messages from the terminal]
    #[arg(value_name = "MESSAGE")]
    message: Option<String>,

    /// Session to continue [default: a new one]
    #[arg(long, value_name = "ID", conflicts_with_all = ["tools"])]
    session: Option<String>,

    /// Model to use [default: the model of the session]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Tool the session can use (repeatable) [default: all enabled tools]
    #[arg(long = "tool", value_name = "TOOL")]
    tools: Vec<String>,
}

pub(crate) fn run(args: &ChatArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    let open = OnceCell::new();
    match client::stay(globals, async |client| chat(&client, args, globals, &printer, &open).await) {
        Ok(()) => ExitCode::SUCCESS,
        Err(CliError::Interrupted) => {
            if let Some(session_id) = open.get() {
                interrupted(globals, &printer, session_id);
            }
            ExitCode::from(INTERRUPTED)
        }
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

/// Stops the run of the session, unless it waits for an answer, which can be given later.
fn interrupted(globals: &Globals, printer: &Printer, session_id: &str) {
    let stopping = client::stay(globals, async |client| {
        let Some(run_id) = client.session(session_id).await?.active_run else { return Ok(()) };
        if client.agent_run(&run_id).await?.pause.is_none() {
            client.stop_agent_run(&run_id).await?;
        }
        Ok::<_, CliError>(())
    });
    if let Err(error) = stopping {
        printer.remark(&[Remark::Warning(format!("cannot stop the run: {error}"))]);
    }
    printer.remark(&[to_continue(session_id)]);
}

fn to_continue(session_id: &str) -> Remark {
    Remark::Next(format!("continue with `palyra chat --session {session_id}`"))
}

async fn chat(
    client: &AnyClient,
    args: &ChatArgs,
    globals: &Globals,
    printer: &Printer,
    open: &OnceCell<String>,
) -> Result<(), CliError> {
    let person = Terminal::of_person(globals).filter(|_| printer.is_for_person());
    if args.message.is_none() && args.session.is_none() && person.is_none() {
        return Err(CliError::usage_with_hint(
            "a message is required when there is no terminal",
            "write it: `palyra chat \"MESSAGE\"`",
        ));
    }
    if let Some(model) = &args.model {
        client.model(model).await?;
    }
    let session = match &args.session {
        Some(id) => {
            let model = args.model.clone();
            if model.is_some() {
                client.change_session(id, &SessionChange { model, ..SessionChange::default() }).await?
            } else {
                client.session(id).await?
            }
        }
        None => {
            let (model, tools) = (args.model.clone(), args.tools.clone());
            client.new_session(&NewSession { model, tools, ..NewSession::default() }).await?
        }
    };
    let _ = open.set(session.session_id.clone());
    let mut conversation = Conversation::open(client, &session, person, printer).await?;
    // A run of an earlier command may wait for an answer, which comes first.
    if let Some(run_id) = &session.active_run {
        let run = client.agent_run(run_id).await?;
        let ended = conversation.go_on(run).await?;
        if args.message.is_none() && person.is_none() {
            return outcome(&ended);
        }
    }
    if let Some(message) = &args.message {
        let run = client.say(&session.session_id, message).await?;
        return outcome(&conversation.go_on(run).await?);
    }
    let Some(person) = person else { return Ok(()) };
    talk(client, &session.session_id, person, printer, &mut conversation).await
}

/// Reads messages until the user ends the conversation.
async fn talk(
    client: &AnyClient,
    session_id: &str,
    person: Terminal,
    printer: &Printer,
    conversation: &mut Conversation<'_>,
) -> Result<(), CliError> {
    while let Some(line) = person.line_between("> ".to_owned()).await? {
        let line = line.trim();
        match line.split_once(' ').unwrap_or((line, "")) {
            ("", _) => {}
            ("/quit" | "/exit", _) => break,
            _ => match obey(client, session_id, line, printer, conversation).await {
                // An error of the daemon does not end the conversation.
                Err(CliError::Problem(problem)) => {
                    printer.remark(&[Remark::Warning(problem.detail)]);
                    printer.remark(&problem.hints.into_iter().map(Remark::Next).collect::<Vec<_>>());
                }
                obeyed => obeyed?,
            },
        }
    }
    printer.remark(&[to_continue(session_id)]);
    Ok(())
}

/// Executes a chat command, or sends a message.
async fn obey(
    client: &AnyClient,
    session_id: &str,
    line: &str,
    printer: &Printer,
    conversation: &mut Conversation<'_>,
) -> Result<(), CliError> {
    let note = |text: String| printer.remark(&[Remark::Note(text)]);
    match line.split_once(' ').unwrap_or((line, "")) {
        ("/tools", _) => show::tools(client, printer).await?,
        ("/stop", _) => note("no run is in progress".into()),
        ("/model", "") => note(show::model(client, session_id).await?),
        ("/model", name) => {
            let name = client.model(name.trim()).await?.name;
            let change = SessionChange { model: Some(name.clone()), ..SessionChange::default() };
            client.change_session(session_id, &change).await?;
            note(format!("this session uses the model `{name}`"));
        }
        (command, _) if command.starts_with('/') => {
            let known = "use /tools, /model, /model NAME, /stop or /quit";
            printer.remark(&[Remark::Warning(format!("unknown command `{command}`: {known}"))]);
        }
        _ => {
            let run = client.say(session_id, line).await?;
            let ended = conversation.go_on(run).await?;
            if let Some(reason) = &ended.reason {
                note(format!("the run ended as {}: {reason}", ended.status.wire_name()));
            }
        }
    }
    Ok(())
}

/// Converts the status of a run to the result of the command.
fn outcome(run: &AgentRun) -> Result<(), CliError> {
    let code = match run.status {
        AgentRunStatus::Finished => return Ok(()),
        AgentRunStatus::Cancelled => ErrorCode::Cancelled,
        AgentRunStatus::OutOfBudget => ErrorCode::QuotaExceeded,
        AgentRunStatus::Interrupted => ErrorCode::Interrupted,
        _ => ErrorCode::ToolFailed,
    };
    let reason = run.reason.clone().unwrap_or_else(|| run.status.wire_name().to_owned());
    let details =
        serde_json::json!({ "session_id": run.session_id, "agent_run_id": run.run_id, "status": run.status });
    Err(CliError::Problem(Box::new(Problem::new(code, reason).details(details))))
}

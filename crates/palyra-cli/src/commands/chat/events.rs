//! Shows the events of a session, and answers its pauses.

use super::answer::{self, STOP};
use super::show::{self, Shown};
use crate::client::AnyClient;
use crate::error::CliError;
use crate::forms;
use crate::output::{Printer, Remark};
use crate::terminal::Terminal;
use palyra_api::client::sse::SseStream;
use palyra_api::sessions::{
    AgentRun, MessageRole, Pause, PauseStatus, Session, SessionEvent, SessionEventBody, ToolCallStatus,
};
use palyra_api::{ClientError, Problem, TransportError};
use palyra_common::ErrorCode;
use serde_json::json;
use std::collections::HashMap;

/// Maximum number of consecutive reconnects of a broken stream.
const MOST_RECONNECTS: u32 = 5;

/// A session whose events are shown.
pub(super) struct Conversation<'c> {
    pub(super) client: &'c AnyClient,
    pub(super) printer: &'c Printer,
    pub(super) person: Option<Terminal>,
    pub(super) session_id: String,
    stream: SseStream,
    last: u64,
    /// Id of the message that is being streamed, and the number of bytes shown.
    streamed: Option<(String, usize)>,
    /// Proposed calls that have not begun, by id: their tools and arguments.
    proposed: HashMap<String, String>,
}

impl<'c> Conversation<'c> {
    pub(super) async fn open(
        client: &'c AnyClient,
        session: &Session,
        person: Option<Terminal>,
        printer: &'c Printer,
    ) -> Result<Self, CliError> {
        let stream = client.follow_session(&session.session_id, Some(session.last_event)).await?;
        let (session_id, last) = (session.session_id.clone(), session.last_event);
        Ok(Self {
            client,
            printer,
            person,
            session_id,
            stream,
            last,
            streamed: None,
            proposed: HashMap::new(),
        })
    }

    /// Follows a run until it ends and asks its questions.
    pub(super) async fn go_on(&mut self, run: AgentRun) -> Result<AgentRun, CliError> {
        if run.status.is_final() {
            return Ok(run);
        }
        self.proposed.clear();
        if let Some(pause) = &run.pause {
            self.show_waiting(pause).await?;
            self.ask(pause).await?;
        }
        loop {
            let event = self.next_or_stop(&run.run_id).await?;
            if event.run_id != run.run_id {
                continue;
            }
            self.show(&event).await?;
            match &event.body {
                SessionEventBody::RunPaused { pause } => self.ask(pause).await?,
                SessionEventBody::RunFinished { .. } => {
                    return Ok(self.client.agent_run(&run.run_id).await?);
                }
                _ => {}
            }
        }
    }

    /// Waits for the next event. On a terminal the user can type `/stop` in the meantime.
    async fn next_or_stop(&mut self, run_id: &str) -> Result<SessionEvent, CliError> {
        let (client, printer, mut person) = (self.client, self.printer, self.person);
        let next = self.next();
        tokio::pin!(next);
        loop {
            let Some(listening) = person else { return next.await };
            tokio::select! {
                biased;
                event = &mut next => return event,
                typed = listening.typed() => typed?,
            }
            match listening.line_between(String::new()).await? {
                Some(line) if line.trim() == STOP => match client.stop_agent_run(run_id).await {
                    // The run ended in the meantime; its last events will arrive.
                    Err(ClientError::Problem(problem)) if problem.code == ErrorCode::NotUnderWay => {}
                    stopped => drop(stopped?),
                },
                Some(line) if line.trim().is_empty() => {}
                Some(_) => {
                    printer.remark(&[Remark::Note(format!("a run is in progress; `{STOP}` stops it"))])
                }
                None => person = None,
            }
        }
    }

    /// Waits for the next event, reconnecting after the last received one if the stream breaks.
    async fn next(&mut self) -> Result<SessionEvent, CliError> {
        let mut reconnects = 0;
        loop {
            match self.stream.next().await {
                Ok(Some(event)) => {
                    let read = serde_json::from_str::<SessionEvent>(&event.data);
                    let read = read.map_err(|error| ClientError::Protocol(error.to_string()))?;
                    self.last = read.number.unwrap_or(self.last);
                    return Ok(read);
                }
                Ok(None) | Err(_) if reconnects < MOST_RECONNECTS => {
                    reconnects += 1;
                    self.stream = self.client.follow_session(&self.session_id, Some(self.last)).await?;
                }
                Ok(None) => {
                    let broken = TransportError::Broken("the stream of the session ended".into());
                    return Err(ClientError::Transport(broken).into());
                }
                Err(error) => return Err(ClientError::Transport(error).into()),
            }
        }
    }

    async fn show(&mut self, event: &SessionEvent) -> Result<(), CliError> {
        if !self.printer.is_for_person() {
            self.printer.stream(&Shown::event(event))?;
            return Ok(());
        }
        match &event.body {
            SessionEventBody::MessageDelta { message_id, text, reasoning: false, .. } => {
                let shown =
                    self.streamed.take().filter(|(id, _)| id == message_id).map_or(0, |(_, shown)| shown);
                self.streamed = Some((message_id.clone(), shown + text.len()));
                self.text(text)?;
            }
            SessionEventBody::MessageCompleted { message_id, role: MessageRole::Assistant, text } => {
                let text = forms::escaped(text);
                match self.streamed.take() {
                    Some((id, shown)) if id == *message_id && shown == text.len() => self.text("\n")?,
                    // Parts of the message were lost, so the complete message is shown after them.
                    Some((id, _)) if id == *message_id => self.text(&format!("\n{text}\n"))?,
                    _ => self.text(&format!("{text}\n"))?,
                }
            }
            SessionEventBody::ToolProposed { call_id, tool_id, arguments, invalid: None } => {
                // A form or a question shows a waiting call; other calls are shown when they begin.
                self.proposed.insert(call_id.clone(), format!("calls `{tool_id}` with {arguments}"));
            }
            SessionEventBody::ToolStarted { call_id, .. } => {
                if let Some(call) = self.proposed.remove(call_id) {
                    self.note(call);
                }
            }
            SessionEventBody::ToolProposed { tool_id, invalid: Some(reason), .. } => {
                self.note(format!("cannot call `{tool_id}`: {reason}"));
            }
            SessionEventBody::ToolLog { text, .. } => self.note(text.clone()),
            SessionEventBody::ToolFinished { tool_id, status, output, error, tool_run_id, .. } => {
                if let Some(error) = error {
                    self.printer.remark(&[Remark::Warning(format!("`{tool_id}`: {error}"))]);
                }
                if let Some(output) = output.as_deref().filter(|_| *status == ToolCallStatus::Completed) {
                    self.text(&show::output(output))?;
                }
                let run = tool_run_id.as_ref().map(|run| format!(" · {run}")).unwrap_or_default();
                self.note(format!("`{tool_id}` {}{run}", show::ended(*status)));
            }
            SessionEventBody::SurfaceCreated { document, .. } => self.text(&forms::draw(document))?,
            SessionEventBody::SurfacePatched { surface, .. } => {
                let shown = self.client.surface(&self.session_id, surface).await?;
                self.text(&forms::draw(&shown.document))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Shows the subject of a pause again that an earlier command has left.
    async fn show_waiting(&mut self, pause: &Pause) -> Result<(), CliError> {
        if !self.printer.is_for_person() {
            let body = SessionEventBody::RunPaused { pause: Box::new(pause.clone()) };
            let at_ms = pause.requested_ms;
            let event = SessionEvent { number: None, at_ms, run_id: pause.run_id.clone(), body };
            self.printer.stream(&Shown::event(&event))?;
        } else if let Some(surface) = &pause.surface {
            let shown = self.client.surface(&self.session_id, surface).await?;
            self.text(&forms::draw(&shown.document))?;
        }
        Ok(())
    }

    /// Asks the user on the terminal. Without a terminal the command ends and the run stays paused.
    async fn ask(&mut self, pause: &Pause) -> Result<(), CliError> {
        let Some(person) = self.person else {
            if let (true, Some(tool), Some(arguments)) =
                (self.printer.is_for_person(), &pause.tool_id, &pause.arguments)
            {
                self.note(format!("`{tool}` with {arguments}"));
            }
            return Err(unanswered(pause));
        };
        let answer = answer::ask(self, person, pause).await?;
        let Some(answer) = answer else {
            self.client.stop_agent_run(&pause.run_id).await?;
            return Ok(());
        };
        match self.client.answer_pause(&pause.pause_id, &answer).await {
            // Another client decided first; the events contain that decision.
            Err(ClientError::Problem(problem)) if problem.code == ErrorCode::AlreadyDecided => Ok(()),
            answered => {
                answered?;
                Ok(())
            }
        }
    }

    pub(super) fn text(&self, text: &str) -> Result<(), CliError> {
        self.printer.stream(&Shown::text(text)).map(drop)
    }

    pub(super) fn note(&self, text: String) {
        self.printer.remark(&[Remark::Note(text)]);
    }
}

/// Returns the error for a program about a pause that only a person can answer.
fn unanswered(pause: &Pause) -> CliError {
    debug_assert_eq!(pause.status, PauseStatus::Waiting);
    let details = json!({ "pause_id": pause.pause_id, "session_id": pause.session_id,
        "agent_run_id": pause.run_id, "kind": pause.kind, "tool_id": pause.tool_id, "arguments": pause.arguments });
    let problem =
        Problem::new(ErrorCode::ApprovalRequired, format!("waiting for an answer: {}", pause.question))
            .hint(format!("answer at a terminal with `palyra chat --session {}`", pause.session_id))
            .details(details);
    CliError::Problem(Box::new(problem))
}

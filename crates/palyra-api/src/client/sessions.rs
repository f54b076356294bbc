//! Calls about sessions, their runs, pauses and surfaces.

use http::Method;
use http::header::{ACCEPT, HeaderValue};

use super::query::Pairs;
use super::sse::SseStream;
use super::{Client, ClientError, Transport, empty_body, request, segment};
use crate::sessions::{
    AgentRun, AgentRunList, MessageRequest, NewSession, Pause, PauseAnswer, PauseList, PauseStatus, Session,
    SessionChange, SessionEventList, SessionList, SessionQuery, Surface, SurfaceList,
};

impl<T: Transport> Client<T> {
    /// Lists sessions, last active first.
    pub async fn sessions(&self, query: &SessionQuery) -> Result<SessionList, ClientError> {
        let pairs = Pairs::default()
            .with("search", query.search.as_deref())
            .with("archived", query.archived.then_some(true))
            .with("before", query.before.as_deref())
            .with("limit", query.limit);
        self.get(&pairs.after("/v1/sessions")).await
    }

    /// Creates a session.
    pub async fn new_session(&self, request: &NewSession) -> Result<Session, ClientError> {
        self.send(Method::POST, "/v1/sessions", request).await
    }

    /// Returns one session.
    pub async fn session(&self, session_id: &str) -> Result<Session, ClientError> {
        self.get(&path(session_id, "")).await
    }

    /// Changes a session.
    pub async fn change_session(
        &self,
        session_id: &str,
        change: &SessionChange,
    ) -> Result<Session, ClientError> {
        self.send(Method::PUT, &path(session_id, ""), change).await
    }

    /// Removes a session with its content.
    pub async fn remove_session(&self, session_id: &str) -> Result<Session, ClientError> {
        self.delete(&path(session_id, "")).await
    }

    /// Sends a message, which starts an agent run.
    pub async fn say(&self, session_id: &str, text: &str) -> Result<AgentRun, ClientError> {
        let request = MessageRequest { text: text.to_owned() };
        self.send(Method::POST, &path(session_id, "/messages"), &request).await
    }

    /// Returns the events of a session after one of them.
    pub async fn session_history(
        &self,
        session_id: &str,
        after: Option<u64>,
    ) -> Result<SessionEventList, ClientError> {
        self.get(&Pairs::default().with("after", after).after(&path(session_id, "/history"))).await
    }

    /// Follows the events of a session, after one of them or from now on.
    pub async fn follow_session(
        &self,
        session_id: &str,
        after: Option<u64>,
    ) -> Result<SseStream, ClientError> {
        let mut request = request(Method::GET, &path(session_id, "/events"), empty_body())?;
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(after) = after {
            request.headers_mut().insert("last-event-id", HeaderValue::from(after));
        }
        Ok(SseStream::new(self.open(request).await?.into_body()))
    }

    /// Returns the agent runs of a session, newest first.
    pub async fn agent_runs(
        &self,
        session_id: &str,
        before: Option<&str>,
    ) -> Result<AgentRunList, ClientError> {
        self.get(&Pairs::default().with("before", before).after(&path(session_id, "/runs"))).await
    }

    /// Returns one agent run.
    pub async fn agent_run(&self, run_id: &str) -> Result<AgentRun, ClientError> {
        self.get(&format!("/v1/agent-runs/{}", segment(run_id))).await
    }

    /// Stops an agent run.
    pub async fn stop_agent_run(&self, run_id: &str) -> Result<AgentRun, ClientError> {
        self.post(&format!("/v1/agent-runs/{}/stop", segment(run_id))).await
    }

    /// Returns pauses of agent runs, newest first.
    pub async fn pauses(&self, status: Option<PauseStatus>) -> Result<PauseList, ClientError> {
        let pairs = Pairs::default().with("status", status.map(PauseStatus::wire_name));
        self.get(&pairs.after("/v1/pauses")).await
    }

    /// Returns one pause.
    pub async fn pause(&self, pause_id: &str) -> Result<Pause, ClientError> {
        self.get(&format!("/v1/pauses/{}", segment(pause_id))).await
    }

    /// Answers a pause.
    pub async fn answer_pause(&self, pause_id: &str, answer: &PauseAnswer) -> Result<Pause, ClientError> {
        self.send(Method::POST, &format!("/v1/pauses/{}/answer", segment(pause_id)), answer).await
    }

    /// Returns the surfaces of a session.
    pub async fn surfaces(&self, session_id: &str) -> Result<SurfaceList, ClientError> {
        self.get(&path(session_id, "/surfaces")).await
    }

    /// Returns one surface.
    pub async fn surface(&self, session_id: &str, surface: &str) -> Result<Surface, ClientError> {
        self.get(&path(session_id, &format!("/surfaces/{}", segment(surface)))).await
    }
}

fn path(session_id: &str, rest: &str) -> String {
    format!("/v1/sessions/{}{rest}", segment(session_id))
}

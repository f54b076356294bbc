//! A bidirectional call: lines arrive as they are written, and approvals are decided in the same stream.
//!
//! The call runs in a separate task, so a slow reader does not delay it; it ends when the client cancels or
//! disconnects. If too many messages are unread, further lines and refused decisions are dropped; other messages wait.

use palyra_common::ErrorCode;
use std::sync::Arc;

use futures::{Stream, StreamExt as _};
use palyra_api::grpc::gateway::v1::run_request::Message as Asked;
use palyra_api::grpc::gateway::v1::run_response::Message as Reply;
use palyra_api::grpc::gateway::v1::{
    Approval, ApprovalStatus, RunDecision, RunDecisionRefused, RunRequest, RunResponse, RunSaid, RunStarted,
};
use palyra_api::tools::{InvokeAnswer, InvokeRequest};
use palyra_api::{Client, ClientError, Problem};
use palyra_state::runs::{COMPILING, RunListener};
use tokio::sync::{mpsc, watch};
use tonic::{Status, Streaming};

use super::answer::{failed, refused, to_message};
use super::asked::out_of_order;
use super::gateway::{decide, read_call};
use super::inward::Inward;

/// Maximum number of unread messages.
const WAITING: usize = 64;
/// Number of these that are reserved for messages that must not be dropped.
const RESERVED: usize = 8;
/// Default timeout of an approval in seconds.
const WAIT_SECONDS: u32 = 600;

/// Starts a call and streams its output.
pub(super) async fn converse(
    client: Client<Inward>,
    mut messages: Streaming<RunRequest>,
) -> Result<impl Stream<Item = Result<RunResponse, Status>> + Send + use<>, Status> {
    let patience = client.transport().patience();
    let late = |_| refused(&Problem::new(ErrorCode::RequestTimeout, "the call did not start in time"));
    let first = tokio::time::timeout(patience, messages.message()).await.map_err(late)??;
    let Some(RunRequest { message: Some(Asked::Start(call)) }) = first else {
        return Err(out_of_order("starts the call"));
    };
    let (tool, mut call) = read_call(call)?;
    call.wait_seconds = call.wait_seconds.or(Some(WAIT_SECONDS));
    let (messages_out, replies) = mpsc::channel(WAITING);
    let (listener, lines) = RunListener::new();
    let conversation = Conversation {
        waits_for: listener.waits_for(),
        listener,
        client,
        replies: messages_out,
        waiting: None,
        started: false,
    };
    tokio::spawn(conversation.hold(tool, call, messages, lines));
    let replies =
        futures::stream::unfold(replies, |mut replies| async { Some((replies.recv().await?, replies)) });
    Ok(replies.boxed())
}

struct Conversation {
    client: Client<Inward>,
    listener: Arc<RunListener>,
    waits_for: watch::Receiver<Option<String>>,
    replies: mpsc::Sender<Result<RunResponse, Status>>,
    /// Id of the announced approval that is not yet decided.
    waiting: Option<String>,
    started: bool,
}

impl Conversation {
    async fn hold(
        mut self,
        tool: String,
        call: InvokeRequest,
        mut messages: Streaming<RunRequest>,
        mut lines: mpsc::Receiver<String>,
    ) {
        let calling = self.client.transport().with_listener(&self.listener);
        let calling = async move { calling.invoke(&tool, &call).await };
        tokio::pin!(calling);
        let gone = self.replies.clone();
        let mut listening = true;
        let ended = loop {
            tokio::select! {
                biased;
                // Dropping the call cancels the run, which continues to its receipt.
                () = gone.closed() => return,
                Ok(()) = self.waits_for.changed() => self.progress().await,
                Some(line) = lines.recv() => self.say(line),
                ended = &mut calling => break ended,
                asked = messages.message(), if listening => match asked {
                    Ok(Some(RunRequest { message: Some(Asked::Decide(decision)) })) => self.decide(decision).await,
                    Ok(Some(RunRequest { message: Some(Asked::Cancel(_)) })) => {
                        break Err(problem(ErrorCode::Cancelled, "the client cancelled the call"));
                    }
                    Ok(Some(_)) => break Err(problem(ErrorCode::Usage, "a call can start only once")),
                    // A client that closed its side of the stream still reads.
                    Ok(None) => listening = false,
                    Err(_) => return,
                },
            }
        };
        self.progress().await;
        while let Ok(line) = lines.try_recv() {
            self.say(line);
        }
        self.end(ended).await;
    }

    /// Reports a pending approval, or the start of the run.
    async fn progress(&mut self) {
        let waits = self.waits_for.borrow_and_update().clone();
        if let Some(approval_id) = waits.filter(|id| self.waiting.as_ref() != Some(id)) {
            self.waiting = Some(approval_id.clone());
            let approval = self.approval(approval_id, ApprovalStatus::Pending).await;
            self.tell(Reply::ApprovalRequested(approval)).await;
        }
        if let (false, Some(run_id)) = (self.started, self.listener.run_id()) {
            let run_id = run_id.to_owned();
            self.started = true;
            self.decided(ApprovalStatus::Approved).await;
            self.tell(Reply::Started(RunStarted { run_id })).await;
        }
    }

    /// Reports a decision that was made here or elsewhere; ignores a pending approval.
    async fn decided(&mut self, as_seen: ApprovalStatus) {
        let Some(approval_id) = self.waiting.take() else { return };
        let approval = self.approval(approval_id, as_seen).await;
        if approval.status() != ApprovalStatus::Pending {
            self.tell(Reply::ApprovalDecided(approval)).await;
        }
    }

    async fn decide(&mut self, decision: RunDecision) {
        let approval_id = decision.approval_id.clone();
        let decided = if self.waiting.as_ref() == Some(&approval_id) {
            decide(&self.client, decision).await
        } else {
            Err(problem(ErrorCode::NotFound, "this call does not wait for this approval"))
        };
        if let Err(error) = decided {
            let Problem { code, detail, hints, .. } = error.into_problem();
            let refused = RunDecisionRefused { approval_id, code: code.to_string(), detail, hints };
            offer(&self.replies, Reply::DecisionRefused(refused));
        }
    }

    /// Returns the approval as this token may see it.
    async fn approval(&self, approval_id: String, as_seen: ApprovalStatus) -> Approval {
        let shown = to_message(self.client.approval(&approval_id).await);
        shown.unwrap_or_else(|_| Approval { approval_id, status: as_seen.into(), ..Approval::default() })
    }

    fn say(&self, text: String) {
        // The stream begins with the run, so this line is left out.
        if text != COMPILING {
            offer(&self.replies, Reply::Said(RunSaid { text }));
        }
    }

    async fn tell(&self, message: Reply) {
        // The call has ended if the client disconnected.
        let _ = self.replies.send(Ok(RunResponse { message: Some(message) })).await;
    }

    async fn end(&mut self, ended: Result<InvokeAnswer, ClientError>) {
        if let Err(ClientError::Problem(problem)) = &ended
            && problem.code == ErrorCode::ApprovalRequired
        {
            self.decided(ApprovalStatus::Denied).await;
        }
        let last = match ended {
            Ok(answer) => {
                to_message(Ok(answer)).map(|answer| RunResponse { message: Some(Reply::Answer(answer)) })
            }
            Err(error) => Err(failed(error)),
        };
        let _ = self.replies.send(last).await;
    }
}

/// Sends a message unless too many are unread. The number of these messages depends on the client: if they took every
/// place, the run would wait and hold its permit.
fn offer(replies: &mpsc::Sender<Result<RunResponse, Status>>, message: Reply) {
    if replies.capacity() > RESERVED {
        let _ = replies.try_send(Ok(RunResponse { message: Some(message) }));
    }
}

fn problem(code: ErrorCode, detail: &str) -> ClientError {
    ClientError::Problem(Box::new(Problem::new(code, detail)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unread_refusals_and_lines_leave_room_for_what_the_call_waits_to_send() {
        let (sender, _replies) = mpsc::channel(WAITING);
        for _ in 0..WAITING {
            offer(&sender, Reply::DecisionRefused(RunDecisionRefused::default()));
            offer(&sender, Reply::Said(RunSaid::default()));
        }
        assert_eq!(sender.capacity(), RESERVED);
    }
}

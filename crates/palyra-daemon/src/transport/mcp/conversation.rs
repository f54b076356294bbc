//! The messages of one client in line framing, with limits for their length, their number, and unread output.
//!
//! At most [`MAX_UNDER_WAY`] requests are in progress. Another one is rejected with the limit in its error, and nothing
//! is read until the client has taken that error. Lines and answers are charged to the memory budget of the client's
//! token.

use palyra_common::ErrorCode;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use bytes::BytesMut;
use futures::future::BoxFuture;
use palyra_api::Problem;
use palyra_api::mcp::MAX_MESSAGE_BYTES;
use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ErrorData, GetExtensions, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::{JsonRpcMessageCodec, JsonRpcMessageCodecError};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_util::codec::Decoder;

use super::answer::no_answer;
use crate::budget::{BudgetExceeded, MemoryBudget, Reservation};

/// Maximum number of requests of one conversation in progress.
pub(super) const MAX_UNDER_WAY: usize = 32;
/// Maximum ratio of the memory of a parsed message to its length: `[0,0]` has two bytes for each value.
pub(crate) const PARSED_WEIGHT: usize = 16;
/// Bytes per read.
const READ_BYTES: usize = 16 << 10;

/// Reads and writes the messages of one client.
pub(super) struct Conversation<R, W> {
    input: R,
    line: BytesMut,
    codec: JsonRpcMessageCodec<RxJsonRpcMessage<RoleServer>>,
    /// Reservation for the incoming line.
    line_memory: Reservation,
    output: Arc<tokio::sync::Mutex<Option<W>>>,
    under_way: UnderWay,
    /// An error that is sent before anything else is read. It is stored because `receive` is dropped and called again
    /// whenever an answer is ready.
    rejection: Option<BoxFuture<'static, io::Result<()>>>,
    /// True after the rejection: nothing more is read.
    ended: bool,
    budget: MemoryBudget,
    principal: String,
}

/// The requests whose answers were not yet taken, with their reservations.
type UnderWay = Arc<Mutex<HashMap<RequestId, Reservation>>>;

impl<R, W> Conversation<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(
        input: R,
        output: W,
        budget: &MemoryBudget,
        principal: &str,
    ) -> Result<Self, BudgetExceeded> {
        Ok(Self {
            input,
            line: BytesMut::new(),
            codec: JsonRpcMessageCodec::new_with_max_length(MAX_MESSAGE_BYTES),
            line_memory: budget.open(principal)?,
            output: Arc::new(tokio::sync::Mutex::new(Some(output))),
            under_way: UnderWay::default(),
            rejection: None,
            ended: false,
            budget: budget.clone(),
            principal: principal.to_owned(),
        })
    }

    /// Reads the next part of a line; returns `None` at the end of the conversation.
    async fn read_more(&mut self) -> Option<()> {
        let capacity = self.line.len() + READ_BYTES;
        if self.line.capacity() < capacity {
            let capacity = capacity.max(self.line.len() * 2);
            if let Err(exceeded) = self.line_memory.grow_to(capacity) {
                self.ended = true;
                self.reject(no_answer(&exceeded.into()), None);
                return Some(());
            }
            self.line.reserve(capacity - self.line.len());
        }
        let mut part = (&mut self.input).take(READ_BYTES as u64);
        match part.read_buf(&mut self.line).await {
            Ok(1..) => Some(()),
            Ok(0) | Err(_) => None,
        }
    }

    /// Releases the buffer of a long line; the rest after it is short.
    fn shrink(&mut self) {
        self.line = BytesMut::from(&*self.line);
        self.line_memory.set(self.line.capacity());
    }

    /// Admits a message; returns `None` if it was rejected.
    fn admit(
        &mut self,
        mut message: RxJsonRpcMessage<RoleServer>,
        length: usize,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        match &mut message {
            JsonRpcMessage::Request(request) => match self.begin(&request.id, length) {
                Ok(reservation) => {
                    request.request.extensions_mut().insert(reservation);
                }
                Err(problem) => {
                    let id = request.id.clone();
                    self.reject(no_answer(&problem), Some(id));
                    return None;
                }
            },
            // The answer of a cancelled request is never sent.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.under_way.lock().remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }

    fn begin(&self, id: &RequestId, length: usize) -> Result<Reservation, Problem> {
        let mut under_way = self.under_way.lock();
        if under_way.contains_key(id) {
            return Err(Problem::new(
                ErrorCode::Usage,
                format!(
                    "a request with the id `{id}` is already in \
                progress"
                ),
            ));
        }
        if under_way.len() >= MAX_UNDER_WAY {
            return Err(too_many_under_way());
        }
        let reservation = self.budget.open(&self.principal)?;
        reservation.grow_to(length.saturating_mul(PARSED_WEIGHT))?;
        under_way.insert(id.clone(), reservation.clone());
        Ok(reservation)
    }

    fn reject(&mut self, error: ErrorData, id: Option<RequestId>) {
        let line = encode(&JsonRpcMessage::error(error, id));
        let output = Arc::clone(&self.output);
        self.rejection = Some(Box::pin(async move { write(&output, &line?).await }));
    }

    fn refuse_line(&mut self, error: &JsonRpcMessageCodecError) {
        let reason = match error {
            JsonRpcMessageCodecError::MaxLineLengthExceeded => {
                let message = format!("a message is longer than {MAX_MESSAGE_BYTES} bytes");
                Problem::new(ErrorCode::BodyTooLarge, message).details(json!({ "limit": MAX_MESSAGE_BYTES }))
            }
            // JSON of another shape gets an error. Other text gets none, because a client that echoes what it does not
            // understand would cause an endless exchange.
            JsonRpcMessageCodecError::Serde(error) if error.is_data() => {
                Problem::new(ErrorCode::Usage, "Invalid request")
            }
            error => return tracing::debug!(%error, "ignored a line that is not JSON"),
        };
        self.reject(no_answer(&reason), None);
    }
}

impl<R, W> Transport<RoleServer> for Conversation<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let line = encode(&message);
        if let (Some(id), Ok(line)) = (&id, &line)
            && let Some(reservation) = self.under_way.lock().get(id)
        {
            reservation.set(line.len());
        }
        let (output, under_way) = (Arc::clone(&self.output), Arc::clone(&self.under_way));
        async move {
            let sent = write(&output, &line?).await;
            if let Some(id) = id {
                under_way.lock().remove(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(rejection) = &mut self.rejection {
                let sent = rejection.await;
                self.rejection = None;
                sent.ok()?;
            }
            if self.ended {
                return None;
            }
            let before = self.line.len();
            match self.codec.decode(&mut self.line) {
                Ok(Some(message)) => {
                    let length = before - self.line.len();
                    self.shrink();
                    if let Some(message) = self.admit(message, length) {
                        return Some(message);
                    }
                }
                Ok(None) if self.line.len() < before => self.shrink(),
                Ok(None) => self.read_more().await?,
                Err(error) => self.refuse_line(&error),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.take();
        Ok(())
    }
}

/// Returns the problem of a client with too many requests in progress.
pub(super) fn too_many_under_way() -> Problem {
    let message = format!("too many requests in progress: the limit is {MAX_UNDER_WAY}");
    Problem::new(ErrorCode::Busy, message).details(json!({ "limit": MAX_UNDER_WAY }))
}

fn encode(message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

async fn write<W: AsyncWrite + Unpin>(output: &tokio::sync::Mutex<Option<W>>, line: &[u8]) -> io::Result<()> {
    match &mut *output.lock().await {
        Some(output) => {
            output.write_all(line).await?;
            output.flush().await
        }
        None => Err(io::ErrorKind::NotConnected.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::PRINCIPAL_BYTES;
    use serde_json::Value;
    use tokio::io::{BufReader, DuplexStream};

    type Tested = Conversation<DuplexStream, DuplexStream>;

    fn conversation(budget: &MemoryBudget) -> (Tested, DuplexStream, BufReader<DuplexStream>) {
        let (input, theirs_in) = tokio::io::duplex(1 << 20);
        let (output, theirs_out) = tokio::io::duplex(1 << 20);
        let conversation = Conversation::new(input, output, budget, "a").unwrap();
        (conversation, theirs_in, BufReader::new(theirs_out))
    }

    fn ping(id: usize) -> Vec<u8> {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n").into_bytes()
    }

    async fn answer(output: &mut BufReader<DuplexStream>) -> Value {
        let mut line = String::new();
        tokio::io::AsyncBufReadExt::read_line(output, &mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn id_of(message: RxJsonRpcMessage<RoleServer>) -> RequestId {
        message.into_request().unwrap().1
    }

    #[tokio::test]
    async fn requests_under_way_are_bounded_and_one_too_many_names_the_limit() {
        let budget = MemoryBudget::default();
        let (mut ours, mut input, mut output) = conversation(&budget);
        for id in 0..=MAX_UNDER_WAY {
            input.write_all(&ping(id)).await.unwrap();
        }
        let cancel =
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n";
        input.write_all(cancel).await.unwrap();
        for id in 0..MAX_UNDER_WAY {
            assert_eq!(id_of(ours.receive().await.unwrap()), RequestId::Number(id as i64));
        }
        assert!(ours.receive().await.unwrap().into_notification().is_some());
        let refused = answer(&mut output).await;
        assert_eq!(refused["id"], MAX_UNDER_WAY);
        assert_eq!(refused["error"]["data"]["details"]["limit"], MAX_UNDER_WAY);
        input.write_all(&ping(99)).await.unwrap();
        assert_eq!(id_of(ours.receive().await.unwrap()), RequestId::Number(99), "a cancelled one made place");
        ours.send(JsonRpcMessage::error(ErrorData::internal_error("x", None), Some(RequestId::Number(2))))
            .await
            .unwrap();
        input.write_all(&ping(100)).await.unwrap();
        assert_eq!(
            id_of(ours.receive().await.unwrap()),
            RequestId::Number(100),
            "so did one that was answered"
        );
        input.write_all(&[ping(100), ping(3)].concat()).await.unwrap();
        drop(input);
        assert!(ours.receive().await.is_none(), "both ids are in use");
    }

    #[tokio::test]
    async fn nothing_is_read_while_a_refusal_waits_for_the_client() {
        let budget = MemoryBudget::default();
        let (input, mut theirs) = tokio::io::duplex(1 << 20);
        let (output, unread) = tokio::io::duplex(16);
        let mut ours = Conversation::new(input, output, &budget, "a").unwrap();
        for id in 0..MAX_UNDER_WAY + 9 {
            theirs.write_all(&ping(id)).await.unwrap();
        }
        drop(theirs);
        for _ in 0..MAX_UNDER_WAY {
            ours.receive().await.unwrap();
        }
        assert!(futures::FutureExt::now_or_never(ours.receive()).is_none());
        assert!(futures::FutureExt::now_or_never(ours.receive()).is_none(), "also when it is asked again");
        assert_eq!(ours.under_way.lock().len(), MAX_UNDER_WAY);
        drop(unread);
        assert!(ours.receive().await.is_none());
    }

    #[tokio::test]
    async fn long_line_is_refused_with_its_limit_and_the_next_one_is_read() {
        let budget = MemoryBudget::default();
        let (mut ours, mut input, mut output) = conversation(&budget);
        let sending = tokio::spawn(async move {
            let part = vec![b' '; 1 << 20];
            for _ in 0..=MAX_MESSAGE_BYTES >> 20 {
                input.write_all(&part).await.unwrap();
            }
            input.write_all(&[b"\n".to_vec(), ping(7)].concat()).await.unwrap();
            input
        });
        assert_eq!(id_of(ours.receive().await.unwrap()), RequestId::Number(7));
        assert_eq!(answer(&mut output).await["error"]["data"]["code"], "body_too_large");
        sending.await.unwrap();
        assert!(ours.line.capacity() <= READ_BYTES, "the buffer of the long line is gone");
    }

    #[tokio::test]
    async fn lines_and_answers_count_in_the_budget_of_the_token() {
        let budget = MemoryBudget::default();
        let (mut ours, mut input, mut output) = conversation(&budget);
        input.write_all(&ping(1)).await.unwrap();
        ours.receive().await.unwrap();
        let held = budget.open("a").unwrap();
        held.set(PRINCIPAL_BYTES - (1 << 20));
        let long = ErrorData::internal_error("x".repeat(1 << 20), None);
        let sending = ours.send(JsonRpcMessage::error(long, Some(RequestId::Number(1))));
        assert!(budget.open("a").is_err(), "the answer waits");
        input.write_all(&ping(2)).await.unwrap();
        let sending = tokio::spawn(sending);
        let mut line = Vec::new();
        tokio::io::AsyncBufReadExt::read_until(&mut output, b'\n', &mut line).await.unwrap();
        sending.await.unwrap().unwrap();
        assert!(budget.open("a").is_ok());
        assert_eq!(id_of(ours.receive().await.unwrap()), RequestId::Number(2));
        held.set(PRINCIPAL_BYTES);
        input.write_all(&ping(3)).await.unwrap();
        assert!(ours.receive().await.is_none(), "a client without memory left is let go of");
        assert_eq!(answer(&mut output).await["error"]["data"]["code"], "too_many_uploads");
    }
}

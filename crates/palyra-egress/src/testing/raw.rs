//! Bytes instead of HTTP, for what no honest server sends.

use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What to write on each connection once the head of a request has come.
#[derive(Debug, Clone)]
pub struct RawReply {
    /// The bytes, as they are.
    pub bytes: Vec<u8>,
    /// What happens then.
    pub end: RawEnd,
}

/// How a raw reply goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawEnd {
    /// The connection closes.
    Close,
    /// The connection stays open in silence.
    Hold,
    /// The bytes are written again, for ever.
    Repeat,
}

impl RawReply {
    /// Waits for a head, answers, and goes on as it should until the other side leaves.
    pub(super) async fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        let mut head = Vec::new();
        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
            if stream.read_buf(&mut head).await? == 0 {
                return Ok(());
            }
        }
        loop {
            stream.write_all(&self.bytes).await?;
            match self.end {
                RawEnd::Close => return stream.shutdown().await,
                RawEnd::Repeat => {}
                RawEnd::Hold => break,
            }
        }
        let mut rest = [0; 1_024];
        while stream.read(&mut rest).await? > 0 {}
        Ok(())
    }
}

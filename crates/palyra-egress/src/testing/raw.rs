//! Raw bytes in place of HTTP, for responses that no compliant server sends.

use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The bytes to write on each connection after the head of a request was received.
#[derive(Debug, Clone)]
pub struct RawReply {
    /// The bytes, written unchanged.
    pub bytes: Vec<u8>,
    /// The behavior after the bytes.
    pub end: RawEnd,
}

/// The behavior of a raw reply after its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawEnd {
    /// The connection is closed.
    Close,
    /// The connection remains open without further bytes.
    Hold,
    /// The bytes are written again, without end.
    Repeat,
}

impl RawReply {
    /// Reads a request head, writes the bytes and continues as configured until the client disconnects.
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

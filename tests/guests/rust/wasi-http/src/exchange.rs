//! One request and its whole response.

use wasip2::http::outgoing_handler;
use wasip2::http::types::{Fields, Method, OutgoingBody, OutgoingRequest, Scheme};
use wasip2::io::streams::StreamError;

/// Sends a request and reads the response to its end.
pub(crate) fn exchange(url: &str, body: Option<&str>) -> Result<(u16, Vec<u8>), String> {
    let (scheme, rest) = url.split_once("://").ok_or("no scheme")?;
    let (authority, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
    let request = OutgoingRequest::new(Fields::new());
    let scheme = if scheme == "https" { Scheme::Https } else { Scheme::Http };
    request.set_scheme(Some(&scheme)).map_err(|()| "scheme")?;
    request.set_authority(Some(authority)).map_err(|()| "authority")?;
    request.set_path_with_query(Some(path)).map_err(|()| "path")?;
    request.set_method(&if body.is_some() { Method::Post } else { Method::Get }).map_err(|()| "method")?;
    let outgoing = request.body().map_err(|()| "body")?;
    let pending = outgoing_handler::handle(request, None).map_err(|error| format!("{error:?}"))?;
    if let Some(text) = body {
        let stream = outgoing.write().map_err(|()| "body stream")?;
        for piece in text.as_bytes().chunks(4_096) {
            stream.blocking_write_and_flush(piece).map_err(|error| format!("{error:?}"))?;
        }
    }
    OutgoingBody::finish(outgoing, None).map_err(|error| format!("{error:?}"))?;
    pending.subscribe().block();
    let response = match pending.get() {
        Some(Ok(response)) => response.map_err(|error| format!("{error:?}"))?,
        _ => return Err("no response after it was ready".into()),
    };
    let incoming = response.consume().map_err(|()| "consume")?;
    let stream = incoming.stream().map_err(|()| "stream")?;
    let mut all = Vec::new();
    loop {
        match stream.blocking_read(65_536) {
            Ok(piece) => all.extend(piece),
            Err(StreamError::Closed) => return Ok((response.status(), all)),
            Err(error) => return Err(format!("{error:?}")),
        }
    }
}

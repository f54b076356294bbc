//! Delivery to a URL: signed, through the egress guard, without following redirects.

use std::sync::Arc;
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use palyra_common::capabilities::SecretRef;
use palyra_egress::{ByteBudget, EgressContext, OutgoingRequest};
use palyra_state::channels::{ChannelKind, ChannelRecord, PublishedMessage};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::app::App;

/// Maximum bytes of a request and its response.
const MAX_EXCHANGE: u64 = 8 << 20;

/// Posts a message; every response except 2xx is a failure.
pub(super) async fn post(
    app: &Arc<App>,
    channel: &ChannelRecord,
    message: &PublishedMessage,
) -> Result<(), String> {
    let ChannelKind::Webhook { url, secret, allow_addresses, .. } = &channel.kind else {
        return Err("the channel is not a webhook".into());
    };
    let rule = channel.kind.rule().ok_or("invalid URL of the channel")?;
    let guard = app.egress()?.ok_or("this daemon has no network access")?;
    let at_ms = app.now_ms();
    let key = signing_key(app, secret.clone()).await?;
    let request = OutgoingRequest {
        method: "POST".into(),
        url: url.clone(),
        headers: headers(message, at_ms, &sign(&key, at_ms, message)?),
        body: message.body.clone().into(),
        timeout: Some(Duration::from_millis(channel.kind.timeout_ms())),
    };
    let request = guard.authorize(&[rule], request).map_err(|error| error.to_string())?;
    let budget = ByteBudget::new(MAX_EXCHANGE);
    let context = EgressContext {
        owner: "palyra:channels",
        allow_addresses,
        injections: &[],
        guarded: &[],
        budget: &budget,
    };
    let response = guard.send(request, &context).await.map_err(|error| error.to_string())?;
    match response.status {
        200..=299 => Ok(()),
        status @ 300..=399 => Err(format!("the server answered {status}; redirects are not followed")),
        status => Err(format!("the server answered {status}")),
    }
}

/// Returns the signature `t=TIME,v1=HMAC` over time, message id and body, separated by dots.
fn sign(key: &[u8], at_ms: u64, message: &PublishedMessage) -> Result<String, String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|error| error.to_string())?;
    mac.update(format!("{at_ms}.{}.", message.id).as_bytes());
    mac.update(&message.body);
    Ok(format!("t={at_ms},v1={}", hex::encode(mac.finalize().into_bytes())))
}

fn headers(message: &PublishedMessage, at_ms: u64, signature: &str) -> Vec<(String, String)> {
    let pairs = [
        ("content-type", message.content_type.clone()),
        ("user-agent", concat!("palyra/", env!("CARGO_PKG_VERSION")).to_owned()),
        ("palyra-channel", message.channel.clone()),
        ("palyra-message", message.id.to_string()),
        ("palyra-skill", message.skill_id.clone()),
        ("palyra-run", message.run_id.clone()),
        ("palyra-timestamp", at_ms.to_string()),
        ("palyra-signature", signature.to_owned()),
    ];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

async fn signing_key(app: &Arc<App>, reference: String) -> Result<Zeroizing<Vec<u8>>, String> {
    let state = Arc::clone(app.state());
    let read = tokio::task::spawn_blocking(move || {
        let secret: SecretRef = reference.parse().map_err(|error| format!("{error}"))?;
        let found = state.vault().secrets().get(&secret).map_err(|error| error.to_string())?;
        let value = found.ok_or_else(|| format!("the secret `{reference}` is not in the vault"))?;
        Ok::<_, String>(Zeroizing::new(value.expose().to_vec()))
    });
    read.await.map_err(|error| error.to_string())?
}

/// Returns a body as text with its encoding: UTF-8, or base64 for other bytes.
pub(crate) fn body_text(body: &[u8]) -> (String, &'static str) {
    use base64::Engine as _;
    match std::str::from_utf8(body) {
        Ok(text) => (text.to_owned(), "utf-8"),
        Err(_) => (base64::engine::general_purpose::STANDARD.encode(body), "base64"),
    }
}

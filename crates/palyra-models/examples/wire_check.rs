//! Checks of a real server over all three protocols: streaming, usage, errors.
//!
//! `cargo xtask models` starts a server and runs this. Usage: `wire_check BASE_URL [RECORD_DIR]`.

#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use futures::StreamExt;
use palyra_egress::{EgressConfig, EgressGuard};
use palyra_models::{
    Endpoint, HttpProvider, HttpProviderConfig, Message, ModelAnswer, ModelError, ModelEvent, ModelProvider,
    ModelRequest, Protocol, RetryPolicy, StopReason, Timeouts,
};
use std::time::{Duration, Instant};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let base_url = std::env::args().nth(1).ok_or("usage: wire_check BASE_URL")?;
    for protocol in Protocol::ALL {
        let provider = provider(&base_url, protocol)?;
        check_answer(&provider, protocol).await?;
        check_limit(&provider, protocol).await?;
        check_dropped(&provider, protocol).await?;
        check_errors(&provider, &base_url, protocol).await?;
    }
    Ok(())
}

fn provider(base_url: &str, protocol: Protocol) -> Result<HttpProvider, Box<dyn std::error::Error>> {
    let config = HttpProviderConfig {
        protocol,
        endpoint: Endpoint::new(base_url, true)?,
        key: None,
        retries: RetryPolicy { max_attempts: 1, ..RetryPolicy::default() },
        timeouts: Timeouts::default(),
    };
    Ok(HttpProvider::new(EgressGuard::new(EgressConfig::default())?, config))
}

fn request(text: &str, max_output_tokens: u32) -> ModelRequest {
    ModelRequest {
        model: "any".into(),
        system: "You are a helpful assistant.".into(),
        messages: vec![Message::user(text)],
        max_output_tokens: Some(max_output_tokens),
        temperature: Some(0.0),
        ..ModelRequest::default()
    }
}

/// Checks that an answer streams in pieces and reports its tokens.
async fn check_answer(provider: &HttpProvider, protocol: Protocol) -> Outcome {
    let started = Instant::now();
    let mut first = None;
    let (mut answer, mut pieces) = (ModelAnswer::default(), 0_u32);
    let mut events = provider.stream(request("Name three colours.", 64));
    while let Some(event) = events.next().await {
        let event = event?;
        if matches!(event, ModelEvent::Text(_)) {
            first.get_or_insert_with(|| started.elapsed());
            pieces += 1;
        }
        answer.apply(event);
    }
    let total = started.elapsed();
    let usage = answer.usage.ok_or("no usage was reported")?;
    if pieces < 2 || answer.text.trim().is_empty() || answer.stop.is_none() {
        return Err(format!("{protocol}: the answer did not stream: {answer:?}").into());
    }
    if usage.input_tokens == 0 || usage.output_tokens == 0 {
        return Err(format!("{protocol}: usage is empty: {usage:?}").into());
    }
    let first = first.unwrap_or(total);
    println!(
        "{protocol}: first piece after {} ms, {pieces} pieces in {} ms, {} tokens in, {} out, {:.1} tokens/s",
        first.as_millis(),
        total.as_millis(),
        usage.input_tokens,
        usage.output_tokens,
        f64::from(u32::try_from(usage.output_tokens)?) / total.as_secs_f64(),
    );
    Ok(())
}

/// Checks that the token limit is applied. llama.cpp reports it on two protocols and calls it completed on the third.
async fn check_limit(provider: &HttpProvider, protocol: Protocol) -> Outcome {
    let mut answer = ModelAnswer::default();
    let mut events = provider.stream(request("Count from 1 to 100.", 5));
    while let Some(event) = events.next().await {
        answer.apply(event?);
    }
    let used = answer.usage.map_or(0, |usage| usage.output_tokens);
    if used > 5 || !matches!(answer.stop, Some(StopReason::MaxOutputTokens | StopReason::EndTurn)) {
        return Err(format!("{protocol}: the limit of 5 tokens was not kept to: {answer:?}").into());
    }
    println!("{protocol}: limited to {used} tokens, ended with {:?}", answer.stop);
    Ok(())
}

/// Checks that the server answers at once after a stream was dropped.
async fn check_dropped(provider: &HttpProvider, protocol: Protocol) -> Outcome {
    let mut events = provider.stream(request("Tell a long story.", 1_000));
    events.next().await.ok_or("no event")??;
    drop(events);
    let started = Instant::now();
    let mut events = provider.stream(request("Say hi.", 1));
    while let Some(event) = events.next().await {
        event?;
    }
    let waited = started.elapsed();
    if waited > Duration::from_secs(60) {
        return Err(format!("{protocol}: a dropped answer went on for {waited:?}").into());
    }
    println!("{protocol}: answered {} ms after a dropped stream", waited.as_millis());
    Ok(())
}

/// Checks that a too long conversation and a wrong path are typed errors.
async fn check_errors(provider: &HttpProvider, base_url: &str, protocol: Protocol) -> Outcome {
    let long = provider.stream(request(&"word ".repeat(20_000), 4)).next().await;
    match long {
        Some(Err(ModelError::ContextTooLong { message })) => println!("{protocol}: too long: {message}"),
        other => return Err(format!("{protocol}: expected a context error, got {other:?}").into()),
    }
    let elsewhere = self::provider(&format!("{base_url}/nowhere"), protocol)?;
    match elsewhere.stream(request("hi", 4)).next().await {
        Some(Err(ModelError::Refused { status: 404, message })) => println!("{protocol}: 404: {message}"),
        other => return Err(format!("{protocol}: expected a 404, got {other:?}").into()),
    }
    Ok(())
}

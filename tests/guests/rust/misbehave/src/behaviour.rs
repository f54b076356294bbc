//! The behaviours.

use crate::parameters::Parameters;
use palyra_plugins_sdk::raw::{
    channels, host_capabilities, http as raw_http, log as raw_log, secrets, storage,
};
use palyra_plugins_sdk::{ToolError, http};
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) fn misbehave(tool_id: &str, input_json: &str) -> Result<String, ToolError> {
    let parameters: Parameters = serde_json::from_str(input_json)?;
    match tool_id {
        "misbehave.loop" => loop_forever(),
        "misbehave.recurse" => Ok(recurse(0).to_string()),
        "misbehave.panic" => panic!("this tool panics"),
        "misbehave.allocate" => Ok(allocate_until_it_fails()),
        "misbehave.huge_output" => Ok(format!("\"{}\"", "x".repeat(parameters.bytes))),
        "misbehave.not_json" => Ok("{not json".to_owned()),
        "misbehave.empty_output" => Ok(String::new()),
        "misbehave.deep_output" => {
            Ok(format!("{}{}", "[".repeat(parameters.count), "]".repeat(parameters.count)))
        }
        "misbehave.swallow_denial" => Ok(swallow_denial(&parameters.url)),
        "misbehave.flood_log" => Ok(flood_log(&parameters)),
        "misbehave.forge_log" => Ok(forge_log()),
        "misbehave.state" => Ok(count_calls()),
        "misbehave.wrong_kind" => wrong_kind(&parameters.url),
        "misbehave.guess_handle" => Ok(guess_handles(&parameters)),
        "misbehave.many_host_calls" => Ok(many_host_calls(parameters.count)),
        _ => Err(ToolError::new(ToolError::UNKNOWN_TOOL, format!("no tool `{tool_id}`"))),
    }
}

fn loop_forever() -> ! {
    let mut turns = 0u64;
    loop {
        turns = black_box(turns.wrapping_add(1));
    }
}

#[expect(unconditional_recursion, reason = "that is the behaviour")]
fn recurse(depth: u64) -> u64 {
    black_box(recurse(black_box(depth + 1))) + 1
}

/// Takes memory a mebibyte at a time; a host that lets it fail gets the sum back.
fn allocate_until_it_fails() -> String {
    let mut blocks: Vec<Vec<u8>> = Vec::new();
    loop {
        let mut block: Vec<u8> = Vec::new();
        if block.try_reserve_exact(1 << 20).is_err() {
            return format!("{{\"mebibytes\":{}}}", blocks.len());
        }
        block.push(1);
        blocks.push(black_box(block));
    }
}

/// Says that all is well after a request that is not granted.
fn swallow_denial(url: &str) -> String {
    let seen = match http::get(url).send() {
        Ok(_) => "answered",
        Err(_) => "swallowed",
    };
    format!("{{\"denial\":\"{seen}\"}}")
}

fn flood_log(parameters: &Parameters) -> String {
    let line = "flood ".repeat(parameters.bytes.min(4_096) / 6);
    for _ in 0..parameters.count {
        raw_log::write(raw_log::Level::Info, &line);
    }
    "{\"flooded\":true}".to_owned()
}

/// Lines that try to look like other lines.
fn forge_log() -> String {
    raw_log::write(raw_log::Level::Info, "one\n2030-01-01T00:00:00Z ERROR run=other forged\r\n");
    raw_log::write(raw_log::Level::Info, "\u{1b}[2J\u{1b}[31mred\u{1b}[0m \u{202e}reversed \0 nul");
    "{\"forged\":true}".to_owned()
}

/// Counts calls in a static; on a host with fresh instances it stays at one.
fn count_calls() -> String {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    format!("{{\"calls\":{}}}", CALLS.fetch_add(1, Ordering::Relaxed) + 1)
}

/// Uses the first handle of another kind for an HTTP request.
fn wrong_kind(url: &str) -> Result<String, ToolError> {
    let handles = [
        host_capabilities::storage_handle(0),
        host_capabilities::channel_handle(0),
        host_capabilities::secret_handle(0),
    ];
    let Some(handle) = handles.into_iter().find(|handle| *handle > 0) else {
        return Err(ToolError::new("nothing_granted", "grant storage, a channel or a secret"));
    };
    Ok(outcome(raw_http::send(handle, &get(url)).is_ok()))
}

/// Tries handles that nobody gave it, in every interface.
fn guess_handles(parameters: &Parameters) -> String {
    let guesses = match parameters.handle {
        Some(handle) => handle..=handle,
        None => -2..=32,
    };
    let worked = guesses.into_iter().any(|handle| {
        raw_http::send(handle, &get(&parameters.url)).is_ok()
            || secrets::reveal(handle).is_ok()
            || storage::get(handle, "key").is_ok()
            || storage::put(handle, "key", b"value").is_ok()
            || channels::publish(handle, "text/plain", b"guessed").is_ok()
    });
    outcome(worked)
}

/// Asks storage again and again; without a grant each attempt is a denial.
fn many_host_calls(count: usize) -> String {
    let handle = host_capabilities::storage_handle(0);
    let done = (0..count).take_while(|_| storage::get(handle, "key").is_ok()).count();
    format!("{{\"calls\":{done}}}")
}

fn outcome(worked: bool) -> String {
    format!("{{\"worked\":{worked}}}")
}

fn get(url: &str) -> raw_http::Request {
    raw_http::Request {
        method: "GET".to_owned(),
        url: url.to_owned(),
        headers: Vec::new(),
        body: None,
        secrets: Vec::new(),
        timeout_ms: None,
    }
}

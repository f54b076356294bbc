//! Bodies, heads, messages and lines beyond their limits of length or depth.

use super::Tally;
use super::rounds::Rounds;
use super::target::Target;
use crate::grpc::{connect, status_before_message};
use crate::raw::parse;
use palyra_api::packages::{MAX_PACKAGE_BYTES, PACKAGE_TYPE};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Number of variants of oversized requests.
const VARIANTS: u64 = 8;

pub(super) async fn run(target: Arc<Target>, rounds: Arc<Rounds>) -> Tally {
    let mut tally = Tally::default();
    while rounds.next() {
        let refused = refused(&target, tally.tried).await;
        tally.tried += 1;
        if !refused {
            tally.lost.push(format!("variant {} was not refused", (tally.tried - 1) % VARIANTS));
        }
    }
    tally
}

/// Sends an oversized request; returns whether it was rejected for its length or shape.
async fn refused(target: &Target, number: u64) -> bool {
    let (owner, caller) = (target.owner.as_str(), target.caller.as_str());
    let spaces = |count: usize| " ".repeat(count);
    let post = |path: &str, token: &str, body: String| target.head(path, token, body.len()) + &body;
    let echo = "/v1/tools/acme.bench.echo/invoke";
    match number % VARIANTS {
        0 => statuses(target, post("/v1/tokens", owner, spaces(70_000)), &[413]).await,
        1 => statuses(target, post(echo, caller, deep()), &[400]).await,
        2 => {
            let long = format!("{{\"input\":{{\"text\":\"{}\"}}}}", "x".repeat(2 << 20));
            statuses(target, post(echo, caller, long), &[413, 422]).await
        }
        3 => {
            let claimed = target.head("/v1/packages/audit", owner, MAX_PACKAGE_BYTES + 1);
            statuses(target, claimed.replace("application/json", PACKAGE_TYPE), &[413]).await
        }
        4 => {
            let head = target.head("/v1/health", owner, 0).replace("\r\n\r\n", "\r\n");
            let long = format!("{head}{}\r\n", "X-Long: y\r\n".repeat(8_000));
            statuses(target, long, &[0, 400, 431]).await
        }
        5 => statuses(target, post("/mcp", caller, spaces((8 << 20) + 1)), &[413]).await,
        6 => grpc_status(target, "/palyra.gateway.v1.GatewayService/Invoke", caller, 65 << 20).await,
        _ => grpc_status(target, "/palyra.skills.v1.SkillsService/QuarantineSkill", owner, 5 << 20).await,
    }
}

fn deep() -> String {
    format!("{{\"input\":{}1{}}}", "[".repeat(10_000), "]".repeat(10_000))
}

async fn statuses(target: &Target, request: String, expected: &[u16]) -> bool {
    let Ok(mut stream) = TcpStream::connect(target.address).await else { return false };
    let request = request.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    // The daemon may close before everything is sent.
    let _ = stream.write_all(request.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    expected.contains(&parse(&answer).status)
}

async fn grpc_status(target: &Target, path: &str, token: &str, announced: usize) -> bool {
    let Ok(sender) = connect(target.grpc).await else { return false };
    let status = status_before_message(sender, target.grpc, path, Some(token), (announced, 0)).await;
    status.is_ok_and(|status| status == "8")
}

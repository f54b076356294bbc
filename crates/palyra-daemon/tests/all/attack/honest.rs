//! Well-behaved requests over every transport, sequentially on each.

use super::target::Target;
use crate::grpc::Wire;
use crate::mcp::{Editor, lifecycles};
use palyra_api::grpc::gateway::v1::GetHealthRequest;
use palyra_api::grpc::gateway::v1::gateway_service_client::GatewayServiceClient;
use palyra_api::tools::InvokeRequest;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinSet;

const ECHO: &str = "acme.bench.echo";

/// Honest requests until they are stopped.
pub(super) struct Honest {
    loops: JoinSet<()>,
    notes: Arc<Notes>,
    stop: watch::Sender<bool>,
}

/// Result of the honest requests.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) latencies: Vec<Duration>,
    pub(super) failures: Vec<String>,
}

struct Notes {
    outcome: Mutex<Outcome>,
    made: watch::Sender<usize>,
}

impl Honest {
    pub(super) fn start(target: &Arc<Target>) -> Self {
        let notes = Arc::new(Notes { outcome: Mutex::default(), made: watch::Sender::new(0) });
        let stop = watch::Sender::new(false);
        let mut loops = JoinSet::new();
        let shared = || (Arc::clone(target), Arc::clone(&notes), stop.subscribe());
        let (target, noted, stopped) = shared();
        loops.spawn(async move {
            while !*stopped.borrow() {
                // A new connection for each request.
                let client = target.over_tcp(&target.agent);
                noted.note("TCP", client.invoke(ECHO, &InvokeRequest::default())).await;
            }
        });
        let (target, noted, stopped) = shared();
        loops.spawn(async move {
            while !*stopped.borrow() {
                let client = target.over_socket(&target.owner);
                noted.note("socket", client.invoke(ECHO, &InvokeRequest::default())).await;
            }
        });
        let (target, noted, stopped) = shared();
        loops.spawn(async move {
            while !*stopped.borrow() {
                let mut client = GatewayServiceClient::new(Wire::at(target.grpc, Some(&target.agent)));
                noted.note("gRPC", client.get_health(GetHealthRequest {})).await;
            }
        });
        let (target, noted, stopped) = shared();
        loops.spawn(async move {
            let [(_, lifecycle), _] = lifecycles();
            let client = Editor::default().over(&target.over_tcp(&target.agent), lifecycle).await;
            while !*stopped.borrow() {
                noted.note("MCP", client.list_all_tools()).await;
            }
        });
        Self { loops, notes, stop }
    }

    /// Returns the number of requests so far.
    pub(super) fn made(&self) -> usize {
        *self.notes.made.borrow()
    }

    /// Waits until this many requests were made.
    pub(super) async fn until(&self, count: usize) {
        self.notes.made.subscribe().wait_for(|made| *made >= count).await.unwrap();
    }

    pub(super) async fn stop(mut self) -> Outcome {
        self.stop.send_replace(true);
        while let Some(ended) = self.loops.join_next().await {
            ended.unwrap();
        }
        std::mem::take(&mut self.notes.outcome.lock().unwrap())
    }
}

impl Notes {
    async fn note<T, E: Debug>(&self, way: &str, request: impl Future<Output = Result<T, E>>) {
        let began = Instant::now();
        let answer = request.await;
        {
            let mut outcome = self.outcome.lock().unwrap();
            outcome.latencies.push(began.elapsed());
            outcome.failures.extend(answer.err().map(|error| format!("{way}: {error:?}")));
        }
        self.made.send_modify(|made| *made += 1);
    }
}

impl Outcome {
    /// Returns the 99th percentile of the latency.
    pub(super) fn p99(&self) -> Duration {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * 99).div_ceil(100).saturating_sub(1);
        sorted.get(at).copied().unwrap_or_default()
    }
}

//! Prometheus metrics of the daemon.

mod depth;

use palyra_common::ErrorCode;
use palyra_runner::{StageTimes, ToolResult};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use depth::Depth;
pub(crate) use depth::Depths;

/// One kind of request; the path is that of the route, never the requested path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct RequestLabels {
    pub(crate) method: String,
    pub(crate) route: String,
    pub(crate) status: u16,
}

/// Labels of a call's outcome: `ok` or the error code.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: String,
}

/// Labels of the duration of requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

/// Labels of the duration of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StageLabels {
    stage: &'static str,
}

/// All metrics of the daemon.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    request_seconds: Family<RouteLabels, Histogram>,
    calls: Family<OutcomeLabels, Counter>,
    /// The counter of successful calls, which is used for nearly all of them.
    calls_ok: Counter,
    call_seconds: Histogram,
    stage_seconds: Family<StageLabels, Histogram>,
    /// The histograms of `stage_seconds`, looked up once.
    stages: [Histogram; 5],
    call_memory: Histogram,
    fuel: Counter,
    refused: Family<OutcomeLabels, Counter>,
    calls_under_way: Gauge,
    streams: Gauge,
    journal_events: Gauge,
    depth: Depth,
}

/// Values computed on demand.
pub(crate) struct Now {
    pub(crate) calls_under_way: usize,
    pub(crate) streams: usize,
    pub(crate) journal_events: u64,
    pub(crate) depths: Depths,
}

/// Returns a histogram from 10 microseconds to 20 seconds.
fn stage_seconds() -> Histogram {
    Histogram::new(exponential_buckets(0.000_01, 2.0, 21))
}

/// Returns a histogram from one WebAssembly page to 4 GiB.
fn bytes() -> Histogram {
    Histogram::new(exponential_buckets(65_536.0, 2.0, 17))
}

/// Returns a histogram from a quarter of a millisecond to two minutes.
fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(0.000_25, 2.0, 19))
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let calls = Family::<OutcomeLabels, Counter>::default();
        let stages = Family::<StageLabels, Histogram>::new_with_constructor(stage_seconds);
        let calls_ok = calls.get_or_create(&OutcomeLabels { outcome: "ok".to_owned() }).clone();
        let mut metrics = Self {
            registry: Registry::with_prefix("palyra"),
            requests: Family::default(),
            request_seconds: Family::new_with_constructor(seconds),
            calls,
            calls_ok,
            call_seconds: seconds(),
            stages: StageTimes::default()
                .named()
                .map(|(stage, _)| stages.get_or_create(&StageLabels { stage }).clone()),
            stage_seconds: stages,
            call_memory: bytes(),
            fuel: Counter::default(),
            refused: Family::default(),
            calls_under_way: Gauge::default(),
            streams: Gauge::default(),
            journal_events: Gauge::default(),
            depth: Depth::default(),
        };
        let registry = &mut metrics.registry;
        registry.register("http_requests", "HTTP requests by route and status", metrics.requests.clone());
        registry.register_with_unit(
            "http_request",
            "Duration of HTTP requests",
            Unit::Seconds,
            metrics.request_seconds.clone(),
        );
        registry.register("calls", "Tool calls by outcome", metrics.calls.clone());
        registry.register_with_unit(
            "call",
            "Duration of guest runs",
            Unit::Seconds,
            metrics.call_seconds.clone(),
        );
        registry.register_with_unit(
            "call_stage",
            "Duration of each stage of a call",
            Unit::Seconds,
            metrics.stage_seconds.clone(),
        );
        registry.register_with_unit(
            "call_memory",
            "Peak memory of concurrent calls",
            Unit::Bytes,
            metrics.call_memory.clone(),
        );
        registry.register("fuel", "Fuel used by all calls", metrics.fuel.clone());
        registry.register("access_refused", "Rejected requests by error code", metrics.refused.clone());
        registry.register("calls_under_way", "Calls in progress", metrics.calls_under_way.clone());
        registry.register("event_streams", "Open event streams", metrics.streams.clone());
        registry.register("journal_events", "Number of journal events", metrics.journal_events.clone());
        metrics.depth.register(registry);
        metrics
    }

    pub(crate) fn request(&self, labels: RequestLabels, seconds: f64) {
        self.request_seconds.get_or_create(&RouteLabels { route: labels.route.clone() }).observe(seconds);
        self.requests.get_or_create(&labels).inc();
    }

    pub(crate) fn call(&self, outcome: &str) {
        self.calls.get_or_create(&OutcomeLabels { outcome: outcome.to_owned() }).inc();
    }

    /// Records a call with a result and its resource use.
    pub(crate) fn call_gave(&self, result: &ToolResult) {
        self.calls_ok.inc();
        let usage = &result.usage;
        self.call_seconds.observe(usage.elapsed.as_secs_f64());
        self.call_memory.observe(usage.peak_memory_bytes as f64);
        self.fuel.inc_by(usage.fuel);
        for (stage, time) in self.stages.iter().zip(result.stages.named().map(|(_, time)| time)) {
            stage.observe(time.as_secs_f64());
        }
    }

    pub(crate) fn refused(&self, code: ErrorCode) {
        self.refused.get_or_create(&OutcomeLabels { outcome: code.to_string() }).inc();
    }

    /// Encodes all metrics as text.
    pub(crate) fn text(&self, now: &Now) -> Result<String, std::fmt::Error> {
        self.calls_under_way.set(signed(now.calls_under_way as u64));
        self.streams.set(signed(now.streams as u64));
        self.journal_events.set(signed(now.journal_events));
        self.depth.set(&now.depths);
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

//! Spans that a collector receives, decoded with the message types of OpenTelemetry.

use crate::process::options;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use palyra_daemon::Endpoint;
use palyra_daemon::access::OwnerToken;
use palyra_egress::testing::{TestReply, TestServer};
use palyra_state::StateRoot;
use palyra_state::lock::SHORT_COMMAND_WAIT;
use prost::Message;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";
/// Part of the input of a call that no span may contain.
const CANARY: &str = "palyra-canary-7f3a";

/// A daemon with the skill `acme.bench` that exports spans.
struct Traced {
    child: Child,
    root: StateRoot,
    home: tempfile::TempDir,
}

impl Traced {
    fn start(collector: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = StateRoot::new(home.path().join("root"));
        let state = root.init(&options(SHORT_COMMAND_WAIT)).unwrap();
        crate::guests::install(&state, "bench", "");
        state.close().unwrap();
        let log = std::fs::File::create(home.path().join("log")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_palyrad"))
            .args(["--listen", "127.0.0.1:0", "--log-json", "--otlp-endpoint", collector, "--state-root"])
            .arg(root.path())
            .env_clear()
            .env("OTEL_BSP_SCHEDULE_DELAY", "20")
            .stdin(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let traced = Self { child, root, home };
        let until = Instant::now() + Duration::from_secs(60);
        while !traced.log().contains("\"listening\"") {
            assert!(Instant::now() < until, "{}", traced.log());
            std::thread::yield_now();
        }
        traced
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.home.path().join("log")).unwrap()
    }

    fn token(&self) -> String {
        OwnerToken::read(&self.root).unwrap().unwrap().expose().to_string()
    }

    /// Calls a tool within a trace of the caller; returns the head of the response.
    fn call(&self, token: &str) -> String {
        let endpoint = Endpoint::read(&self.root).unwrap().unwrap();
        let address = endpoint.url.rsplit('/').next().unwrap().to_owned();
        let mut stream = TcpStream::connect(&address).unwrap();
        let body = format!("{{\"input\":{{\"text\":\"{CANARY}\"}}}}");
        write!(
            stream,
            "POST /v1/tools/acme.bench.echo/invoke?x={CANARY} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\nTraceparent: 00-{TRACE}-{PARENT}-01\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn stop(mut self) -> String {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success(), "{}", self.log());
        self.log()
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn attribute<'a>(span: &'a Span, name: &str) -> Option<&'a Value> {
    span.attributes.iter().find(|pair| pair.key == name)?.value.as_ref()?.value.as_ref()
}

fn text(span: &Span, name: &str) -> String {
    match attribute(span, name) {
        Some(Value::StringValue(text)) => text.clone(),
        other => panic!("{name}: {other:?} of {span:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn spans_of_a_call_reach_a_collector_under_the_trace_of_the_caller() {
    let collector = TestServer::http(|_| TestReply::ok("")).await.unwrap();
    let traced = Traced::start(&format!("http://{}", collector.address()));
    let token = traced.token();
    let answer = traced.call(&token);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let request_id = answer.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap().to_owned();
    let run_id = answer.split("\"run_id\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(traced.call("wrong").starts_with("HTTP/1.1 401"));
    traced.stop();
    let requests = collector.requests();
    let mut spans = Vec::new();
    for request in &requests {
        assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/v1/traces"));
        assert_eq!(request.headers["content-type"], "application/x-protobuf");
        let bytes = String::from_utf8_lossy(&request.body);
        assert!(!bytes.contains(CANARY) && !bytes.contains(&token), "nothing of the call is in a span");
        let batch = ExportTraceServiceRequest::decode(&request.body[..]).unwrap();
        for resource in batch.resource_spans {
            let named = resource.resource.unwrap().attributes;
            let mut names: Vec<&str> = named.iter().map(|pair| pair.key.as_str()).collect();
            names.sort_unstable();
            assert_eq!(names, ["service.name", "service.version"]);
            spans.extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
        }
    }
    let of_call: Vec<&Span> = spans.iter().filter(|span| hex::encode(&span.trace_id) == TRACE).collect();
    let find =
        |name: &str| *of_call.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("{name}"));
    let (request, call) = (find("request"), find("call"));
    assert_eq!(hex::encode(&request.parent_span_id), PARENT);
    assert_eq!(text(request, "request_id"), request_id);
    assert_eq!(text(request, "http.route"), "/v1/tools/{tool}/invoke");
    assert_eq!(attribute(request, "http.response.status_code"), Some(&Value::IntValue(200)));
    assert_eq!(call.parent_span_id, request.span_id);
    assert_eq!((text(call, "run_id"), text(call, "tool")), (run_id, "acme.bench.echo".into()));
    for stage in ["resolve", "begin", "execute", "receipt"] {
        let stage = find(stage);
        assert_eq!(stage.parent_span_id, call.span_id);
        assert!(stage.end_time_unix_nano >= stage.start_time_unix_nano);
    }
    // An unauthenticated request has no trace.
    assert_eq!(of_call.iter().filter(|span| span.name == "request").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_collector_is_logged_once_and_delays_no_call() {
    let gone = TestServer::http(|_| TestReply::ok("")).await.unwrap().address();
    let traced = Traced::start(&format!("http://{gone}"));
    let token = traced.token();
    for _ in 0..20 {
        assert!(traced.call(&token).starts_with("HTTP/1.1 200"));
    }
    let log = traced.stop();
    assert_eq!(log.matches("span export failed").count(), 1, "{log}");
    assert!(log.contains("\"stopped\""), "{log}");
}

//! Background compilation of releases that become runnable, and its effect on calls.

use crate::daemon::Daemon;
use crate::guests::package;
use bytes::Bytes;
use palyra_api::client::full_body;
use palyra_api::client::remote::Remote;
use palyra_api::skills::{CompiledCode, ConsentBody, InstallQuery, SkillCodeState, SkillStatus};
use palyra_api::tools::InvokeRequest;
use palyra_api::{Client, ClientError, Problem};
use palyra_plugins_runtime::{CompileFailure, CompiledBytes, Compiler, InProcessCompiler, ModuleKind};
use palyra_skills::Sha256Digest;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, Semaphore};

const ID: &str = "acme.bench";
const TOOL: &str = "acme.bench.echo";
/// Number of modules of the skill, each with different code.
const MODULES: usize = 6;

/// A compiler that waits for the test.
struct Held {
    places: Semaphore,
    begun: Notify,
    compiled: AtomicUsize,
}

#[tonic::async_trait]
impl Compiler for Held {
    async fn compile(&self, module: Bytes, kind: ModuleKind) -> Result<CompiledBytes, CompileFailure> {
        self.begun.notify_one();
        self.places.acquire().await.unwrap().forget();
        self.compiled.fetch_add(1, Ordering::SeqCst);
        InProcessCompiler.compile(module, kind).await
    }
}

/// A compiler that reaches its limit with every module.
#[derive(Default)]
struct OverTime(AtomicUsize);

#[tonic::async_trait]
impl Compiler for OverTime {
    async fn compile(&self, _: Bytes, _: ModuleKind) -> Result<CompiledBytes, CompileFailure> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Err(CompileFailure::OverTime { limit_ms: 120_000 })
    }
}

fn held() -> Arc<Held> {
    Arc::new(Held { places: Semaphore::new(0), begun: Notify::new(), compiled: AtomicUsize::new(0) })
}

/// Creates a daemon with the skill, without consent to it.
async fn with_skill(compiler: Arc<dyn Compiler>) -> (Daemon, Client<Remote>, Sha256Digest) {
    let daemon = Daemon::compiling_with(compiler).await;
    daemon.app.become_gateway(crate::hooks::quick());
    let client = daemon.over_tcp();
    let (bytes, digest) = package("bench", "", 1);
    let tofu = InstallQuery { allow_tofu: true, ..InstallQuery::default() };
    let stored = client.install(full_body(bytes), &tofu).await.unwrap();
    assert_eq!((stored.status, stored.code), (SkillStatus::AwaitingConsent, None));
    assert_eq!(listed(&client).await, None, "it cannot run");
    (daemon, client, digest)
}

async fn agree(client: &Client<Remote>, digest: &Sha256Digest) -> Option<SkillCodeState> {
    let body = ConsentBody { digest: digest.to_string(), secrets: Vec::new() };
    let agreed = client.consent_to_skill(ID, &body).await.unwrap();
    assert_eq!(agreed.status, SkillStatus::Active);
    agreed.code.map(|code| code.state)
}

async fn listed(client: &Client<Remote>) -> Option<CompiledCode> {
    client.skills().await.unwrap().skills.remove(0).code
}

/// Waits until nothing compiles; returns the state of the code.
async fn settled(client: &Client<Remote>) -> CompiledCode {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        match listed(client).await {
            Some(code) if code.state != SkillCodeState::Compiling => return code,
            _ => assert!(Instant::now() < deadline, "it compiles for ever"),
        }
        tokio::task::yield_now().await;
    }
}

fn problem<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Problem {
    result.unwrap_err().into_problem()
}

#[tokio::test(flavor = "multi_thread")]
async fn release_is_compiled_once_a_person_agreed() {
    let compiler = held();
    let (_daemon, client, digest) = with_skill(Arc::clone(&compiler) as Arc<dyn Compiler>).await;
    assert_eq!(agree(&client, &digest).await, Some(SkillCodeState::Compiling));
    compiler.begun.notified().await;
    let compiling = Some(CompiledCode { state: SkillCodeState::Compiling, problem: None });
    assert_eq!(listed(&client).await, compiling);
    assert_eq!(client.skill(ID).await.unwrap().entry.code, compiling);
    assert_eq!(client.tool(TOOL).await.unwrap().code, compiling);
    let at_once = InvokeRequest { limits: vec!["timeout=1ms".into()], ..InvokeRequest::default() };
    let busy = problem(client.invoke(TOOL, &at_once).await);
    assert_eq!((busy.code.as_str(), &busy.details["reason"]), ("busy", &"compiling".into()), "{busy:?}");
    compiler.places.add_permits(100);
    client.prepare_skill(ID).await.unwrap();
    assert_eq!(settled(&client).await.state, SkillCodeState::Ready);
    let answer = client.invoke(TOOL, &InvokeRequest::default()).await.unwrap();
    assert_eq!(answer.compile_us, None, "it was ready");
    assert_eq!(compiler.compiled.load(Ordering::SeqCst), MODULES, "each module once");
}

#[tokio::test(flavor = "multi_thread")]
async fn call_waits_for_a_compilation_under_way_and_counts_it() {
    let compiler = held();
    let (daemon, client, digest) = with_skill(Arc::clone(&compiler) as Arc<dyn Compiler>).await;
    agree(&client, &digest).await;
    compiler.begun.notified().await;
    let calling = tokio::spawn({
        let client = daemon.over_tcp();
        async move { client.invoke(TOOL, &InvokeRequest::default()).await }
    });
    compiler.places.add_permits(100);
    let answer = calling.await.unwrap().unwrap();
    settled(&client).await;
    // A call after the end of the compilation did not wait.
    assert!(answer.compile_us.is_none_or(|waited| waited > 0));
    assert_eq!(compiler.compiled.load(Ordering::SeqCst), MODULES, "each module once");
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_compilation_is_shown_with_its_limit_and_tried_again_when_asked() {
    let compiler = Arc::new(OverTime::default());
    let (_daemon, client, digest) = with_skill(Arc::clone(&compiler) as Arc<dyn Compiler>).await;
    agree(&client, &digest).await;
    let failed = settled(&client).await;
    assert_eq!(failed.state, SkillCodeState::Failed);
    assert!(failed.problem.as_ref().unwrap().contains("compile limit of 120000ms"), "{failed:?}");
    let tried = compiler.0.load(Ordering::SeqCst);
    assert_eq!(problem(client.invoke(TOOL, &InvokeRequest::default()).await).code.as_str(), "quota_exceeded");
    assert_eq!(compiler.0.load(Ordering::SeqCst), tried, "a call does not try again");
    assert_eq!(problem(client.prepare_skill(ID).await).code.as_str(), "quota_exceeded");
    assert!(compiler.0.load(Ordering::SeqCst) > tried, "an operator does");
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_does_not_wait_for_a_compilation() {
    let compiler = held();
    let (daemon, client, digest) = with_skill(Arc::clone(&compiler) as Arc<dyn Compiler>).await;
    agree(&client, &digest).await;
    compiler.begun.notified().await;
    daemon.app.begin_stop();
    daemon.app.drained().await;
    assert_eq!(compiler.compiled.load(Ordering::SeqCst), 0, "it is still held");
    compiler.places.add_permits(100);
}

//! Interrupting a run with Ctrl-C.

use crate::compiling::{assert_no_compiler, bomb, until_compiling};
use crate::environment::{Ran, TestEnvironment, serve};
use crate::guests::{RELAY, calls};
use palyra_egress::testing::{TestBody, TestReply};
use rustix::process::{Pid, Signal, kill_process};
use std::process::Child;

fn interrupt(child: Child, signal: Signal, environment: &TestEnvironment) -> Ran {
    kill_process(Pid::from_child(&child), signal).unwrap();
    environment.ran(child.wait_with_output().unwrap())
}

/// Interrupts a run that waits for a server without a response.
async fn interrupted_run(signal: Signal, more: &[&str]) -> (TestEnvironment, Ran) {
    let (server, url) = serve(|_| TestReply::status(200).body(TestBody::Stalled("begun".into()))).await;
    let environment = TestEnvironment::new();
    environment.write("relay.wat", RELAY);
    let input =
        calls(&format!("{{'op':'http.send','handle':#,'request':{{'method':'GET','url':'{url}/'}}}}"));
    let grant = format!("http:GET {url}/");
    let flags = ["run", "--module", "relay.wat", "--input", &input, "--grant", &grant];
    let child = environment.command(&[&flags, more].concat()).spawn().unwrap();
    server.until_opened(1).await;
    let ran = interrupt(child, signal, &environment);
    server.until_closed().await;
    (environment, ran)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn interrupted_run_is_cancelled_and_reported() {
    let (_, ran) = interrupted_run(Signal::INT, &["--json"]).await;
    let error = ran.error();
    assert_eq!((ran.code, &error["code"]), (130, &"interrupted".into()));
    assert!(error["details"]["report"]["usage"]["fuel"].as_u64().unwrap() > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn its_tape_is_kept_and_replays_to_the_same_point() {
    let (environment, ran) = interrupted_run(Signal::TERM, &["--record", "a.tape"]).await;
    assert_eq!(ran.code, 130);
    assert!(ran.stderr.contains("error: interrupted\n"), "{}", ran.stderr);
    let replay = environment.run("relay.wat", &["--replay", "a.tape", "--json"]).json();
    assert_eq!(replay["replay"]["verdict"], "same_prefix");
}

#[test]
fn a_compilation_is_ended_and_its_child_with_it() {
    let environment = TestEnvironment::new();
    environment.write("bomb.wasm", bomb());
    let flags = ["run", "--module", "bomb.wasm", "--no-cache", "--compile-timeout-ms", "119993", "--json"];
    let mut child = environment.command(&flags).spawn().unwrap();
    until_compiling(&mut child, "119993");
    let ran = interrupt(child, Signal::INT, &environment);
    assert_eq!((ran.code, ran.error()["code"].as_str()), (130, Some("interrupted")));
    assert_no_compiler("119993");
}

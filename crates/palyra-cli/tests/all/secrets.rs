//! Secrets: their sources, and that no output contains them.

use crate::environment::{Ran, TestEnvironment, serve};
use crate::guests::{RELAY, calls};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use insta::assert_snapshot;
use palyra_egress::testing::{TestReply, TestRequest};

const CANARY: &str = "canary-7f3a9c51e2-value";

fn environment() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("relay.wat", RELAY);
    environment.write("token.txt", format!("{CANARY}\n"));
    environment
}

/// Returns the request as the response.
fn echoing(request: &TestRequest) -> TestReply {
    let sent = format!("{} {:?} {:?}", request.target, request.headers, request.body);
    TestReply::ok(sent)
        .header("x-seen", request.headers.get("authorization").map_or("none", |v| v.to_str().unwrap()))
}

fn assert_no_canary(environment: &TestEnvironment, runs: &[&Ran]) {
    let forms = [CANARY.to_owned(), STANDARD.encode(CANARY), hex::encode(CANARY)];
    let mut texts: Vec<(String, Vec<u8>)> = Vec::new();
    for ran in runs {
        texts.push(("stdout".into(), ran.stdout.clone().into_bytes()));
        texts.push(("stderr".into(), ran.stderr.clone().into_bytes()));
    }
    let files = environment.all_files().into_iter().filter(|(path, _)| !path.ends_with("token.txt"));
    texts.extend(files.map(|(path, bytes)| (path.display().to_string(), bytes)));
    for (name, bytes) in texts {
        for form in &forms {
            assert!(!bytes.windows(form.len()).any(|window| window == form.as_bytes()), "`{form}` in {name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn injected_secret_reaches_only_its_host() {
    let (server, url) = serve(echoing).await;
    let environment = environment();
    let send = format!(
        "{{'op':'http.send','handle':#,'request':{{'method':'GET','url':'{url}/','secrets':[{{'secret':$,'form':'bearer'}}]}}}}"
    );
    let grants = [format!("http:GET {url}/"), "secret:global/token hosts=127.0.0.1 inject=bearer".into()];
    let input = calls(&send);
    let flags = [
        "--input",
        &input,
        "--grant",
        &grants[0],
        "--grant",
        &grants[1],
        "--secret",
        "token=@token.txt",
        "-v",
        "--trace",
    ];
    let human = environment.run("relay.wat", &[&flags[..], &["--record", "a.tape"]].concat());
    let json = environment.run("relay.wat", &[&flags[..], &["--record", "b.tape", "--json"]].concat());
    assert_eq!((human.code, json.code), (0, 0), "{}", human.shown());
    let seen = server.requests();
    assert_eq!(seen[0].headers["authorization"], format!("Bearer {CANARY}"));
    assert!(json.stdout.contains("authorization"), "the server did echo: {}", json.stdout);
    assert_no_canary(&environment, &[&human, &json]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_secret_stays_away_from_other_hosts_and_forms() {
    let (server, url) = serve(echoing).await;
    let environment = environment();
    let input = calls(&format!(
        "{{'op':'http.send','handle':#,'request':{{'method':'GET','url':'{url}/','secrets':[{{'secret':$,'form':'bearer'}}]}}}}"
    ));
    let http = format!("http:GET {url}/");
    let denied = |secret: &str| {
        let flags = [
            "--input",
            &input,
            "--grant",
            &http,
            "--grant",
            secret,
            "--secret",
            "token=@token.txt",
            "--json",
        ];
        let ran = environment.run("relay.wat", &flags);
        assert_no_canary(&environment, &[&ran]);
        assert_eq!(ran.code, 16);
        ran.error()["details"]["grant"].as_str().unwrap().to_owned()
    };
    let wanted = "secret:global/token hosts=127.0.0.1 inject=bearer";
    assert_eq!(denied("secret:global/token hosts=127.0.0.1 inject=basic"), wanted);
    assert_eq!(denied("secret:global/token hosts=other.example inject=bearer"), wanted);
    assert_eq!(server.requests().len(), 0);
    let flags =
        ["--input", &input, "--grant", &http, "--grant", wanted, "--secret", "token=@token.txt", "--json"];
    assert_eq!(environment.run("relay.wat", &flags).json()["result"]["ok"]["status"], 200);
}

#[test]
fn a_revealed_secret_is_still_blotted_out_of_what_leaves() {
    let environment = environment();
    let reveal = calls("{'op':'secrets.reveal','handle':$}");
    let flags = ["--input", &reveal, "--secret", "global/token=@token.txt", "--grant"];
    let denied = environment.run(
        "relay.wat",
        &[&flags[..], &["secret:global/token hosts=a.example inject=bearer", "--json"]].concat(),
    );
    assert_eq!(denied.code, 16);
    let wanted = denied.error()["details"]["grant"].as_str().unwrap().to_owned();
    assert_eq!(wanted, "secret:global/token hosts=a.example inject=bearer reveal");
    let revealed =
        environment.run("relay.wat", &[&flags[..], &[&wanted, "--json", "--record", "a.tape"]].concat());
    assert!(revealed.json()["result"]["ok"]["value_text"].is_string(), "{}", revealed.stdout);
    assert_no_canary(&environment, &[&denied, &revealed]);
}

#[test]
fn a_secret_from_standard_input() {
    let environment = environment();
    let reveal = calls("{'op':'secrets.reveal','handle':$}");
    let mut command =
        ["run", "--module", "relay.wat", "--input", &reveal, "--grant", "secret:global/token reveal"]
            .to_vec();
    command.extend(["--secret", "token=-", "--json"]);
    let ran = environment.palyra_with_input(&command, CANARY.as_bytes());
    assert!(ran.json()["result"]["ok"].is_object(), "{}", ran.stdout);
    assert_no_canary(&environment, &[&ran]);
}

#[test]
fn a_value_on_the_command_line_is_refused_and_not_repeated() {
    let environment = environment();
    let value = format!("token={CANARY}");
    let ran = environment.run("relay.wat", &["--secret", &value]);
    assert_snapshot!(ran.shown(), @"
    exit 2
    --- stderr
    error: the value of the secret `global/token` must come from a file or standard input
    hint: write `--secret NAME=@FILE` or `--secret NAME=-`
    hint: a value on the command line can be read by every program on this machine and stays in the shell's history
    ");
    let json = environment.run("relay.wat", &["--secret", &value, "--json"]);
    let bare = environment.run("relay.wat", &["--secret", CANARY]);
    assert_eq!((json.code, bare.code), (2, 2));
    assert_no_canary(&environment, &[&ran, &json, &bare]);
}

#[test]
fn secrets_that_make_no_sense() {
    let environment = environment();
    environment.write("empty.txt", "\n");
    environment.write("long.txt", [b'x'; (64 << 10) + 1]);
    assert_snapshot!(environment.run("relay.wat", &["--secret", "a=@none.txt"]).shown(), @"
    exit 2
    --- stderr
    error: file `none.txt` does not exist
    ");
    assert_snapshot!(environment.run("relay.wat", &["--secret", "a=@empty.txt"]).shown(), @"
    exit 2
    --- stderr
    error: the secret `global/a` is empty
    ");
    assert_snapshot!(environment.run("relay.wat", &["--secret", "a=@long.txt"]).shown(), @"
    exit 2
    --- stderr
    error: the secret `global/a` has more than 65536 bytes
    ");
    assert_snapshot!(environment.run("relay.wat", &["--secret", "a=@token.txt", "--secret", "global/a=@token.txt"]).shown(), @"
    exit 2
    --- stderr
    error: the secret `global/a` is given more than once
    ");
}

#[test]
fn a_secret_without_a_grant_and_a_grant_without_a_secret_are_mentioned() {
    let environment = environment();
    let nothing = calls("{'op':'run.tool-id'}");
    environment.write("pin.txt", "123");
    let flags = [
        "--input",
        &nothing,
        "--secret",
        "token=@token.txt",
        "--secret",
        "pin=@pin.txt",
        "--grant",
        "secret:global/other reveal",
    ];
    assert_snapshot!(environment.run("relay.wat", &flags).shown(), @r#"
    exit 0
    --- stdout
    {
      "ok": "palyra_plugin_main"
    }
    --- stderr
    warning: the secret `global/pin` is too short to be redacted from output
    warning: the secret `global/pin` is not granted, so the guest cannot use it; add `--grant 'secret:global/pin hosts=HOST inject=bearer'`
    warning: the secret `global/token` is not granted, so the guest cannot use it; add `--grant 'secret:global/token hosts=HOST inject=bearer'`
    warning: the secret `global/other` is granted but has no value; add `--secret global/other=@FILE`
    palyra_plugin_main finished in [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    "#);
    let json = environment.run("relay.wat", &[&flags[..], &["--json"]].concat()).json();
    assert_eq!(json["warnings"].as_array().unwrap().len(), 4);
}

//! Tries every command, and checks that secret values and key bytes only occur in sealed files.

use crate::environment::{Ran, TestEnvironment, serve};
use crate::skill_bench::{SkillBench, counter};
use crate::skills::echo_http;
use base64::Engine as _;
use palyra_egress::testing::TestReply;
use palyra_vault::{KdfCost, KeyFileType, Passphrase, key_file};
use std::path::Path;

const SECRET: &str = "canary-7f3a9e51c2-secret-value";
const PASSPHRASE: &str = "canary-passphrase-b81d44";
const SEED: [u8; 32] = *b"canary-seed-of-a-signing-key-32b";
const ECHO: &str = "palyra.echo_http";
const COUNTER: &str = "palyra.counter_wat";

/// A bench that collects all output.
struct Ear {
    bench: SkillBench,
    heard: String,
    tried: Vec<Vec<String>>,
}

impl Ear {
    /// Runs a command in every output format and collects its output.
    fn run(&mut self, arguments: &[&str]) {
        for form in ["human", "json", "ndjson"] {
            self.run_as(arguments, form);
        }
    }

    fn run_as(&mut self, arguments: &[&str], form: &str) -> Ran {
        let flags = [arguments, &["--output", form, "--verbose"]].concat();
        let ran = self.bench.environment.palyra_with_input(&flags, SECRET.as_bytes());
        self.heard.push_str(&ran.stdout);
        self.heard.push_str(&ran.stderr);
        self.tried.push(arguments.iter().map(|word| (*word).to_owned()).collect());
        ran
    }

    /// Runs a command that must succeed, and returns its JSON output.
    fn answer(&mut self, arguments: &[&str]) -> serde_json::Value {
        let ran = self.run_as(arguments, "json");
        ran.judged()
    }
}

/// Collects every command that does something, from the help texts.
fn all_commands(environment: &TestEnvironment, path: &[String], found: &mut Vec<Vec<String>>) {
    let words: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
    let help = environment.palyra(&words).stdout;
    // The first page lists the commands in groups.
    let listed = if path.is_empty() {
        help.split("\nOptions:\n").next().unwrap_or_default().to_owned()
    } else {
        let listed = help.split("\nCommands:\n").nth(1).unwrap_or_default();
        listed.split("\n\n").next().unwrap_or_default().to_owned()
    };
    let names = listed.lines().filter_map(|line| {
        let name = line.strip_prefix("  ")?;
        (!name.starts_with(' ')).then(|| name.split_whitespace().next().unwrap().to_owned())
    });
    let names: Vec<String> = names.filter(|name| name != "help").collect();
    if names.is_empty() {
        found.push(path.to_vec());
    }
    for name in names {
        all_commands(environment, &[path, &[name]].concat(), found);
    }
}

/// Returns a canary as plain bytes, in hexadecimal and in base64, without bytes that depend on its neighbours.
fn forms(bytes: &[u8]) -> Vec<Vec<u8>> {
    let base64 = base64::engine::general_purpose::STANDARD.encode(&bytes[..bytes.len() / 3 * 3]);
    let hexadecimal = hex::encode(bytes);
    vec![
        bytes.to_vec(),
        hexadecimal.to_uppercase().into_bytes(),
        hexadecimal.into_bytes(),
        base64.into_bytes(),
    ]
}

fn has(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

fn key_commands(ear: &mut Ear) {
    let passphrase = Passphrase::new(PASSPHRASE.as_bytes()).unwrap();
    let path = ear.bench.environment.path("seed.key");
    let seed = zeroize::Zeroizing::new(SEED);
    key_file::write(&path, KeyFileType::SigningKey, &seed, &passphrase, KdfCost::default()).unwrap();
    let sealed = ["--key-passphrase-file", "passphrase"];
    ear.run(&["keys", "new", "next"]);
    ear.run(&["keys", "list"]);
    ear.answer(&[&["keys", "import", "canary", "--key-file", "seed.key"], &sealed[..]].concat());
    ear.run(&[&["keys", "import", "from-noise"], &sealed[..]].concat());
    ear.run(&["keys", "export", "canary", "--public"]);
    ear.run(&[&["keys", "export", "canary", "--key-file", "sealed.key"], &sealed[..]].concat());
    ear.run(&[&["keys", "import", "copy", "--key-file", "sealed.key"], &sealed[..]].concat());
    let rotate = ["keys", "rotate", "acme", "--from", "release", "--to", "next", "--epoch", "1"];
    ear.run(&[&rotate[..], &["--out", "rotation.json"]].concat());
    ear.run(&["keys", "sign", "rotation.json", "--key", "next"]);
    ear.run(&["keys", "revoke", "next", "--reason", "test", "--yes"]);
}

fn vault_commands(ear: &mut Ear) {
    ear.run(&["vault", "put", "global/token"]);
    ear.run(&["vault", "put", "global/token", SECRET]);
    ear.run(&["vault", "put", SECRET]);
    ear.run(&["vault", "put", "global/other"]);
    ear.run(&["vault", "list"]);
    ear.run(&["vault", "remove", "global/other", "--yes"]);
}

fn skill_commands(ear: &mut Ear, port: u16) {
    ear.bench.source("echo", &echo_http(port), "echo-http");
    ear.bench.source("one", &counter("0.1.0", 1), "counter-wat");
    ear.bench.source("two", &counter("0.2.0", 2), "counter-wat");
    for name in ["echo", "one"] {
        let out = format!("{name}.palyra-skill");
        ear.answer(&[
            "skills",
            "package",
            "build",
            name,
            "--out",
            &out,
            "--signing-key-file",
            "seed.key",
            "--key-passphrase-file",
            "passphrase",
        ]);
    }
    let build = ["skills", "package", "build", "two", "--out", "two.palyra-skill"];
    ear.run(&[&build[..], &["--signing-key-stdin", "--key-passphrase-file", "passphrase"]].concat());
    ear.answer(&[&build[..], &["--signing-key-vault-ref", "canary"]].concat());
    ear.run(&["skills", "package", "sign", "two.palyra-skill", "--signing-key-vault-ref", "canary"]);
    ear.run(&["skills", "package", "inspect", "echo.palyra-skill"]);
    ear.run(&["skills", "package", "verify", "echo.palyra-skill", "--allow-tofu"]);
    ear.run(&["skills", "package", "diff", "one.palyra-skill", "two.palyra-skill"]);
    ear.run(&["skills", "new", "fresh", "--lang", "wat", "--publisher", "acme"]);
    ear.bench.environment.write(
        "fresh/tests/secret.json",
        format!(r#"{{"secrets":{{"global/token":"{SECRET}"}},"cases":[{{"input":{{"name":"Ada"}}}}]}}"#),
    );
    ear.run(&["skills", "build", "fresh"]);
    ear.run(&["skills", "test", "fresh"]);
    ear.run(&["skills", "dev", "fresh", "--once"]);
    std::fs::remove_file(ear.bench.environment.path("fresh/tests/secret.json")).unwrap();
    for (file, id) in [("echo.palyra-skill", ECHO), ("one.palyra-skill", COUNTER)] {
        let asked = ear.answer(&["skills", "install", file, "--allow-tofu"]);
        let digest = asked["consent_digest"].as_str().unwrap().to_owned();
        let consent = ["skills", "consent", id, "--consent", &digest];
        let secret: &[&str] = if id == ECHO { &["--allow-secret", "global/token"] } else { &[] };
        ear.answer(&[&consent[..], secret].concat());
    }
    ear.run(&["skills", "list"]);
    ear.run(&["skills", "show", ECHO]);
    ear.run(&["skills", "verify", ECHO]);
    ear.run(&["skills", "audit"]);
    ear.run(&["skills", "audit", "echo.palyra-skill"]);
    ear.bench.environment.write("advisories.json", r#"{"date":"2026-01-31","advisories":[]}"#);
    ear.bench.environment.write("policy.toml", "version = 2\n");
    ear.run(&["audit-policy", "show"]);
    ear.run(&["audit-policy", "set", "policy.toml"]);
    ear.run(&["audit-policy", "advisories", "advisories.json"]);
    ear.run(&["audit-policy", "reset"]);
    ear.run(&["runner-policy", "show"]);
    ear.run(&["runner-policy", "set", "allow_inline_modules=true"]);
    ear.run(&["runner-policy", "set", &format!("allowed_secrets={SECRET}")]);
    ear.run(&["runner-policy", "reset"]);
    ear.run(&["skills", "update", "two.palyra-skill"]);
    ear.run(&["skills", "rollback", COUNTER, "--yes"]);
    ear.run(&["skills", "quarantine", COUNTER, "--reason", "test"]);
    ear.run(&["skills", "enable", COUNTER]);
    ear.run(&["skills", "disable", COUNTER, "--reason", "test"]);
    ear.run(&["skills", "remove", COUNTER, "--yes"]);
}

/// Runs commands against a server that echoes the secret in every form.
fn run_commands(ear: &mut Ear, port: u16) {
    let input = serde_json::json!({
        "url": format!("http://localhost:{port}/items/1"), "secret": "global/token", "headers": ["x-sent"],
    });
    let input = input.to_string();
    let fetch = ["run", "palyra.echo_http.fetch", "--input", &input];
    let open = ["--grant", "address:127.0.0.1", "--grant", "address:::1"];
    ear.run(&fetch);
    let fetched = ear.answer(&[&fetch[..], &open, &["--record", "fetch.tape"]].concat());
    assert_eq!(fetched["result"]["status"], 200, "{fetched}");
    ear.run(&[&fetch[..], &open].concat());
    ear.run(&["run", "palyra.echo_http.echo", "--input", r#"{"value": 1}"#]);
}

fn trust_and_journal_commands(ear: &mut Ear) {
    let public = ear.answer(&["keys", "list"]);
    let public = public["keys"][0]["public_key"].as_str().unwrap_or_default().to_owned();
    for arguments in [
        &["trust", "list"][..],
        &["trust", "show", "palyra"],
        &["trust", "allow", "acme", &public],
        &["trust", "apply", "rotation.json"],
        &["trust", "apply", "-"],
        &["trust", "block", "acme", "--reason", "test"],
        &["trust", "unblock", "acme"],
        &["trust", "repin", "palyra", &public, "--yes"],
        &["trust", "repair"],
        &["journal", "tail"],
        &["journal", "query", "--proofs"],
        &["journal", "checkpoint"],
        &["journal", "verify"],
        &["completions", "bash"],
        &["man", "vault", "put"],
        &["version"],
    ] {
        ear.run(arguments);
    }
}

fn record_commands(ear: &mut Ear) {
    let runs = ear.answer(&["runs", "list"]);
    let run = runs["runs"][0]["run_id"].as_str().unwrap_or_default().to_owned();
    for verb in ["show", "events", "tape", "receipt", "replay", "cancel"] {
        ear.run(&["runs", verb, &run]);
    }
    let skill = "palyra.echo_http";
    for arguments in [
        &["approvals", "list"][..],
        &["chat", "fetch an item", "--json"],
        &["sessions", "list"],
        &["sessions", "show", "ses_none"],
        &["sessions", "export", "ses_none"],
        &["sessions", "remove", "ses_none", "--yes"],
        &["surfaces", "list"],
        &["surfaces", "show", "run_none"],
        &["surfaces", "submit", "run_none", "--values", "{}"],
        &["models", "list"],
        &[
            "models",
            "add",
            "m",
            "--base-url",
            "https://models.invalid/v1",
            "--model",
            "s",
            "--key",
            "global/token",
        ],
        &["models", "show", "m"],
        &["models", "default", "m"],
        &["models", "test", "m"],
        &["models", "remove", "m", "--yes"],
        &["console", "open"],
        &["console", "sessions", "list"],
        &["console", "sessions", "revoke", "none"],
        &["version"],
        &["approvals", "show", "apr_none"],
        &["approvals", "approve", "apr_none"],
        &["approvals", "deny", "apr_none"],
        &["doctor", "--bundle", "bundle.json"],
        &["backup", "none/such/folder/backup.tar"],
        &["restore", "fetch.tape", "--yes"],
        &["objectives", "add", "goal", "--goal", "listen", "--runs", "3"],
        &["routines", "add", "tick", "palyra.echo_http.echo", "--input", r#"{"value": 1}"#, "--every", "1h"],
        &["routines", "list"],
        &["routines", "show", "tick"],
        &["routines", "disable", "tick"],
        &["routines", "enable", "tick"],
        &["routines", "fire", "tick"],
        &["routines", "fire", "re-audit"],
        &["routines", "remove", "tick"],
        &["objectives", "list"],
        &["objectives", "show", "goal"],
        &["objectives", "pause", "goal"],
        &["objectives", "resume", "goal"],
        &["objectives", "done", "goal"],
        &["objectives", "remove", "goal"],
        &["plugins", "list"],
        &["plugins", "show", skill],
        &["plugins", "grants", skill],
        &["plugins", "check", skill],
        &["plugins", "touched", skill],
        &["plugins", "profile", "set", skill, "--grant", "secret:global/token hosts=localhost inject=bearer"],
        &["plugins", "profile", "show", skill],
        &["plugins", "profile", "remove", skill, "--yes"],
        &["plugins", "config", "set", skill, "retries=1"],
        &["plugins", "config", "show", skill],
        &["plugins", "config", "remove", skill, "--yes"],
    ] {
        ear.run(arguments);
    }
}

/// Runs commands with a daemon that stops when idle, and others without one.
fn daemon_commands(ear: &mut Ear) {
    let access = "@id(\"all\") @advice(\"everything\") permit (principal, action, resource);\n";
    ear.bench.environment.write("access.cedar", access);
    for arguments in [
        &["up", "--no-examples", "--listen", "127.0.0.1:0", "--idle-exit", "1s"][..],
        &["status"],
        &["logs"],
        &[
            "daemon",
            "run",
            "--listen",
            "127.0.0.1:0",
            "--grpc-listen",
            "127.0.0.1:0",
            "--idle-exit",
            "1s",
            "--log",
            "trace",
            "--log-json",
        ],
        &["mcp", "config", "generic"],
        &["mcp", "serve"],
        &["daemon", "status"],
        &["daemon", "stop"],
        &["tools", "list"],
        &["tools", "show", "palyra.echo_http.fetch"],
        &["tools", "search", "fetch"],
        &["tools", "alias", "fetch", "palyra.echo_http.fetch"],
        &["tools", "unalias", "fetch"],
        &["tokens", "add", "robot", "--scope", "read", "--expires", "1d", "--out", "robot.token"],
        &["tokens", "list"],
        &["tokens", "remove", "robot", "--yes"],
        &["policy", "show"],
        &["policy", "set", "access.cedar"],
        &["policy", "check", "invoke", "--on", "tool:palyra.echo_http.fetch"],
        &["policy", "reset", "--yes"],
        &["hooks", "bind", "--event", "run:failed", "--plugin", ECHO],
        &["hooks", "list"],
        &["hooks", "show", "nothing"],
        &["hooks", "enable", "nothing"],
        &["hooks", "disable", "nothing"],
        &["hooks", "test", "nothing"],
        &["hooks", "apply", "--restore"],
        &["hooks", "unbind", "nothing"],
        &[
            "channels",
            "add",
            "alerts",
            "--to",
            "webhook",
            "--webhook-url",
            "http://127.0.0.1:1/",
            "--allow-address",
            "127.0.0.1/32",
            "--sign-secret",
            "global/token",
        ],
        &["channels", "list"],
        &["channels", "show", "alerts"],
        &["channels", "tail", "alerts"],
        &["deliveries", "list"],
        &["deliveries", "dead-letters", "list", "--channel", "alerts"],
        &["deliveries", "dead-letters", "retry", "1"],
        &["deliveries", "dead-letters", "drop", "1"],
        &["channels", "remove", "alerts", "--yes"],
    ] {
        ear.run(arguments);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_command_tells_a_secret() {
    let (server, _) = serve(|request| {
        let sent = request.headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
        let sent = sent.unwrap_or_default();
        TestReply::ok(format!("{sent} {}", hex::encode(SECRET))).header("x-sent", &sent)
    })
    .await;
    let port = server.address().port();
    tokio::task::spawn_blocking(move || try_every_command(port)).await.unwrap();
    let sent = server.requests()[0].headers.get("authorization").unwrap().to_str().unwrap().to_owned();
    assert_eq!(sent, format!("Bearer {SECRET}"), "the secret was really used");
}

fn try_every_command(port: u16) {
    let bench = SkillBench::new();
    bench.environment.write_private("passphrase", PASSPHRASE);
    let mut ear = Ear { bench, heard: String::new(), tried: Vec::new() };
    ear.run(&["init", "--device-key", "file"]);
    key_commands(&mut ear);
    vault_commands(&mut ear);
    skill_commands(&mut ear, port);
    run_commands(&mut ear, port);
    trust_and_journal_commands(&mut ear);
    daemon_commands(&mut ear);
    record_commands(&mut ear);
    // `chat` started a daemon, which would outlive this test.
    ear.run(&["daemon", "stop"]);

    let environment = &ear.bench.environment;
    let mut commands = Vec::new();
    all_commands(environment, &[], &mut commands);
    assert!(commands.len() > 30, "{commands:?}");
    for command in &commands {
        assert!(ear.tried.iter().any(|tried| tried.starts_with(command)), "{command:?} was not tried");
    }

    let device_key = std::fs::read_to_string(environment.home(".palyra/vault/device.key")).unwrap();
    let device_key = hex::decode(device_key.lines().last().unwrap()).unwrap();
    assert_eq!(device_key.len(), 32);
    let files = environment.all_files();
    for canary in [SECRET.as_bytes(), PASSPHRASE.as_bytes(), &SEED[..], &device_key[..]] {
        for form in forms(canary) {
            let told = ear.heard.lines().find(|line| has(line.as_bytes(), &form));
            assert_eq!(told, None, "an output has a secret");
            for (path, bytes) in &files {
                assert!(may_hold(path) || !has(bytes, &form), "{} has a secret", path.display());
            }
        }
    }
}

/// Returns whether the file is one of the two whose whole content is a secret.
fn may_hold(path: &Path) -> bool {
    path.ends_with("device.key") || path.ends_with("work/passphrase")
}

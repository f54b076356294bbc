//! A refusal names the missing grant, and the grant permits exactly that.

use crate::environment::{TestEnvironment, serve};
use crate::guests::{RELAY, calls, echo};
use insta::assert_snapshot;
use palyra_egress::testing::{TestReply, TestServer};
use serde_json::{Value, json};

fn environment() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("relay.wat", RELAY);
    environment
}

/// Runs with these grants, adding the one that a denial names until nothing is denied; returns the added grants.
fn until_allowed(environment: &TestEnvironment, input: &str, grants: &[&str]) -> (Vec<String>, Value) {
    let mut grants: Vec<String> = grants.iter().map(|grant| (*grant).to_owned()).collect();
    let given = grants.len();
    for _ in 0..4 {
        let flags: Vec<&str> = grants.iter().flat_map(|grant| ["--grant", grant]).collect();
        let ran = environment.run("relay.wat", &[&["--input", input, "--json"], flags.as_slice()].concat());
        if ran.code != 16 {
            return (grants.split_off(given), ran.json()["result"].clone());
        }
        let error = ran.error();
        assert_eq!(error["code"], "capability_denied");
        let grant = error["details"]["grant"].as_str().unwrap_or_else(|| panic!("{error}"));
        assert_eq!(error["hints"][0], format!("allow it with `--grant '{grant}'`"));
        grants.push(grant.to_owned());
    }
    panic!("{grants:?} were not enough");
}

#[test]
fn a_denial_for_people() {
    let input = calls(
        "{'op':'host-capabilities.find','kind':'storage','name':'notes/'}|{'op':'storage.get','handle':-1,'key':'a'}",
    );
    assert_snapshot!(environment().run("relay.wat", &["--input", &input]).shown(), @r#"
    exit 16
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 1 host call · egress 0 B · code compiled in [TIME]
    error: storage `notes/` is not granted: no grant has this name
    hint: allow it with `--grant 'storage:notes/'`
    hint: in skill.toml: add `"notes/"` to `capabilities.storage_prefixes`
    "#);
    let guessed = calls("{'op':'channels.publish','handle':77,'content_type':'text/plain','body_text':'x'}");
    assert_snapshot!(environment().run("relay.wat", &["--input", &guessed]).shown(), @"
    exit 16
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 1 host call · egress 0 B · code compiled in [TIME]
    error: channel `handle 77` is not granted: the guest used a handle that it was never given
    hint: grant a channel with `--grant channel:NAME`
    ");
}

#[test]
fn storage_and_channels_open_when_the_advice_is_followed() {
    let environment = environment();
    let storage = calls(
        "{'op':'host-capabilities.find','kind':'storage','name':'notes/'}|\
         {'op':'storage.put','handle':&,'key':'a','value_text':'kept'}|{'op':'storage.get','handle':&,'key':'a'}",
    );
    let (added, result) = until_allowed(&environment, &storage, &[]);
    assert_eq!(added, ["storage:notes/"]);
    assert_eq!(result["ok"]["value_text"], "kept");
    let channel = calls(
        "{'op':'host-capabilities.find','kind':'channel','name':'alerts'}|\
         {'op':'channels.publish','handle':!,'content_type':'text/plain','body_text':'hello'}",
    );
    let (added, result) = until_allowed(&environment, &channel, &[]);
    assert_eq!(added, ["channel:alerts"]);
    assert_eq!(result, json!({ "ok": null }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn http_opens_when_the_advice_is_followed() {
    let (server, url) = serve(|_| TestReply::ok("served")).await;
    let environment = environment();
    let send =
        format!("{{'op':'http.send','handle':#,'request':{{'method':'GET','url':'{url}/items/1?q=2'}}}}");
    let find = format!("{{'op':'host-capabilities.find','kind':'http','name':'{url}/items/1'}}|{send}");
    let (added, result) = until_allowed(&environment, &calls(&find), &[]);
    assert_eq!(added, [format!("http:GET {url}/items/1")]);
    assert_eq!((&result["ok"]["status"], &result["ok"]["body_text"]), (&json!(200), &json!("served")));
    let seen = server.requests();
    assert_eq!((seen.len(), seen[0].target.as_str()), (1, "/items/1?q=2"));

    // The rule permits another path: the denial names the narrowest rule for this one.
    let narrow = environment
        .run("relay.wat", &["--input", &calls(&send), "--json", "--grant", &format!("http:{url}/other")]);
    assert_eq!(narrow.error()["details"]["grant"], format!("http:GET {url}/items/1"));
    let (added, _) = until_allowed(&environment, &calls(&send), &[&format!("http:GET {url}/items/1")]);
    assert!(added.is_empty());
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_name_for_a_closed_address_needs_the_address_too() {
    let (server, _) = serve(|_| TestReply::ok("served")).await;
    let origin = format!("http://localhost:{}", server.address().port());
    let send =
        calls(&format!("{{'op':'http.send','handle':#,'request':{{'method':'GET','url':'{origin}/'}}}}"));
    let (added, result) = until_allowed(&environment(), &send, &[&format!("http:{origin}")]);
    assert!(
        added.iter().all(|grant| grant.starts_with("address:"))
            && added.contains(&"address:127.0.0.1/32".into()),
        "{added:?}"
    );
    assert_eq!(result["ok"]["status"], 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_root_of_ones_own_is_trusted_when_it_is_named() {
    let server = TestServer::https(&["127.0.0.1"], |_| TestReply::ok("private")).await.unwrap();
    let url = format!("https://{}/", server.address());
    let environment = environment();
    let root = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, server.root().unwrap());
    environment
        .write("root.pem", format!("-----BEGIN CERTIFICATE-----\n{root}\n-----END CERTIFICATE-----\n"));
    let send = calls(&format!("{{'op':'http.send','handle':#,'request':{{'method':'GET','url':'{url}'}}}}"));
    let grant = format!("http:GET {url}");
    let arguments = ["--input", &send, "--grant", &grant, "--json"];
    let stranger = environment.run("relay.wat", &arguments).json();
    assert_eq!(stranger["result"]["error"]["code"], "unavailable");
    let trusted = environment.run("relay.wat", &[&arguments[..], &["--ca-file", "root.pem"]].concat()).json();
    assert_eq!(trusted["result"]["ok"]["body_text"], "private");
    environment.write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    assert_snapshot!(environment.run("relay.wat", &["--ca-file", "broken.pem"]).shown(), @"
    exit 2
    --- stderr
    error: `--ca-file`: cannot use extra root certificate 0: invalid peer certificate: BadEncoding
    ");
}

#[test]
fn palyras_own_directories_cannot_be_granted() {
    let environment = TestEnvironment::new();
    environment.write("echo.wat", echo());
    let home = environment.home("");
    let whole = format!("fs-read:home={}", home.display());
    assert_snapshot!(environment.run("echo.wat", &["--grant", &whole]).shown(), @"
    exit 2
    --- stderr
    error: grant `fs-read:home=[ROOT]/home/` would expose `[ROOT]/home/.config/palyra`, which holds Palyra's own keys, code or state
    hint: choose a directory that neither contains it nor is inside it
    ");
    let documents = format!("fs-read:documents={}", home.join("documents").display());
    assert_eq!(environment.run("echo.wat", &["--grant", &documents]).code, 0);
}

/// By default, by flag and by variable; the root itself, a directory inside it and one above it.
#[test]
fn state_root_cannot_be_granted_to_a_module() {
    let environment = TestEnvironment::with_state();
    environment.write("echo.wat", echo());
    for directory in [".palyra", ".palyra/vault", ".palyra/objects/aa"] {
        for kind in ["fs-read", "fs-write"] {
            let grant = format!("{kind}:d={}", environment.home(directory).display());
            let ran = environment.run("echo.wat", &["--grant", &grant]);
            assert_eq!(ran.code, 2, "{grant}: {}", ran.shown());
            assert!(ran.stderr.contains("holds Palyra's own keys, code or state"), "{}", ran.stderr);
        }
    }
    let elsewhere = environment.path("place/root");
    std::fs::create_dir_all(elsewhere.join("vault")).unwrap();
    let root = elsewhere.to_str().unwrap();
    for directory in ["place", "place/root", "place/root/vault"] {
        let grant = format!("fs-read:d={}", environment.path(directory).display());
        let by_flag = environment.run("echo.wat", &["--grant", &grant, "--state-root", root]);
        assert_eq!(by_flag.code, 2, "{grant}: {}", by_flag.shown());
    }
    let default = format!("fs-read:d={}", environment.home(".palyra").display());
    let other = environment.run("echo.wat", &["--grant", &default, "--state-root", root]);
    assert_eq!(other.code, 2, "the default root stays closed beside another: {}", other.shown());
    let inside = environment.home(".palyra/store");
    let stored = environment.run("echo.wat", &["--storage-dir", inside.to_str().unwrap()]);
    assert_eq!(stored.code, 2, "{}", stored.shown());
    assert!(!inside.exists());
}

#[test]
fn storage_dir_keeps_data_between_runs() {
    let environment = TestEnvironment::new();
    environment.write("counter.wat", include_str!("../../../../examples/skills/counter-wat/guest.wat"));
    let count = |more: &[&str]| {
        let arguments = ["--input", "{\"step\":5}", "--grant", "storage:counter/", "--json"];
        environment.run("counter.wat", &[&arguments, more].concat()).json()["result"]["count"].clone()
    };
    assert_eq!([count(&[]), count(&[])], [5, 5]);
    let kept = ["--storage-dir", "store/below"];
    assert_eq!([count(&kept), count(&kept), count(&kept)], [5, 10, 15]);
    let mode = std::os::unix::fs::MetadataExt::mode(&environment.path("store/below").metadata().unwrap());
    assert_eq!(mode & 0o777, 0o700);
}

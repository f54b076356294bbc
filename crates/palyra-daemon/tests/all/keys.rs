//! Signing keys: their secret halves stay in the vault.

use crate::daemon::Daemon;
use palyra_api::keys::{
    ImportKeyRequest, RevocationStatement, RevokeKeyRequest, RotateRequest, SealKeyRequest,
    SignReleaseRequest,
};
use palyra_api::trust::KeysRequest;
use palyra_api::{ClientError, SecretBytes};
use palyra_common::Scope;
use palyra_journal::{EventKind, Query};
use palyra_skills::signing::dsse::EnvelopeSignature;
use palyra_skills::{BuildRequest, pack_skill_artifact};

const MANIFEST: &str = r#"manifest_version = 1
skill_id = "acme.notes"
name = "Notes"
version = "1.0.0"
publisher = "acme"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "acme.notes.add"
name = "Add"
description = "Adds a note."
module = "modules/notes.wasm"
input_schema = { type = "object" }
output_schema = { type = "object" }
"#;

fn secret(text: &str) -> SecretBytes {
    SecretBytes::new(text.as_bytes())
}

fn rotate(from: &str, to: &str) -> RotateRequest {
    let (from, to) = (vec![from.to_owned()], vec![to.to_owned()]);
    RotateRequest { from, to, from_threshold: 1, to_threshold: 1, epoch: Some(1) }
}

fn code<T: std::fmt::Debug>(result: Result<T, ClientError>) -> String {
    result.unwrap_err().into_problem().code.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_made_once_and_shown_by_their_public_half() {
    let daemon = Daemon::start().await;
    let client = daemon.over_tcp();
    let made = client.new_key("release").await.unwrap();
    assert_eq!((made.state.as_str(), made.since.as_deref()), ("active", None));
    assert_eq!(daemon.over_socket().key("release").await.unwrap(), made);
    assert_eq!(daemon.in_process().keys().await.unwrap().keys, [made]);
    assert_eq!(code(client.new_key("release").await), "already_exists");
    assert_eq!(code(client.new_key("../release").await), "usage");
    assert_eq!(code(client.key("../release").await), "usage");
    assert_eq!(client.key("relaese").await.unwrap_err().into_problem().hints[0], "did you mean `release`?");
    // Many concurrent requests create each name once.
    let many = (0..8).map(|_| {
        let client = daemon.over_tcp();
        tokio::spawn(async move { client.new_key("contested").await.is_ok() })
    });
    let mut made = 0;
    for one in many.collect::<Vec<_>>() {
        made += usize::from(one.await.unwrap());
    }
    assert_eq!(made, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_key_leaves_only_sealed_and_only_for_its_owner_here() {
    let daemon = Daemon::start().await;
    let made = daemon.over_socket().new_key("release").await.unwrap();
    let seal = SealKeyRequest { passphrase: secret("correct horse") };
    for client in [daemon.over_tcp(), daemon.over_tcp_as(&daemon.token_with("admin", &[Scope::Admin]))] {
        assert_eq!(code(client.seal_key("release", &seal).await), "forbidden");
    }
    let sealed = daemon.over_socket().seal_key("release", &seal).await.unwrap();
    assert!(!format!("{sealed:?}").contains("salt"));
    let import = |passphrase: &str| ImportKeyRequest {
        key_file: secret(sealed.key_file.expose()),
        passphrase: secret(passphrase),
    };
    let client = daemon.over_tcp();
    let wrong = client.import_key("copy", &import("battery staple")).await.unwrap_err().into_problem();
    assert_eq!((wrong.code.as_str(), wrong.status, wrong.exit_code()), ("wrong_passphrase", 422, 4));
    assert!(!serde_json::to_string(&wrong).unwrap().contains("battery"));
    let copy = client.import_key("copy", &import("correct horse")).await.unwrap();
    assert_eq!(copy.key_id, made.key_id);
    let loose = ImportKeyRequest { key_file: SecretBytes::new(&[7; 32]), passphrase: secret("x") };
    assert_eq!(code(client.import_key("loose", &loose).await), "bad_key_file");
    assert_eq!(code(client.import_key("copy", &import("")).await), "usage");
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_rotation_returns_the_same_statement() {
    let daemon = Daemon::start().await;
    let client = daemon.over_tcp();
    for name in ["old", "new", "other"] {
        client.new_key(name).await.unwrap();
    }
    assert_eq!(code(client.rotate_keys("acme", &rotate("old", "nwe")).await), "not_found");
    let first = client.rotate_keys("acme", &rotate("old", "new")).await.unwrap();
    assert_eq!(client.key("old").await.unwrap().state, "retired");
    let again = client.rotate_keys("acme", &rotate("old", "new")).await.unwrap();
    assert_eq!(again.statement.get(), first.statement.get());
    assert_eq!(code(client.rotate_keys("acme", &rotate("old", "other")).await), "key_not_active");
    let query = Query { kinds: vec![EventKind::KeysRotated], ..Query::default() };
    assert_eq!(daemon.state().journal().query(&query).unwrap().events.len(), 1);
    let keys = KeysRequest { keys: vec![client.key("old").await.unwrap().public_key], threshold: 1 };
    client.allow_publisher("acme", &keys).await.unwrap();
    let applied = client.apply_statement(first.statement.get().as_bytes().to_vec()).await.unwrap();
    assert_eq!(applied.outcome, "rotated");
}

#[tokio::test(flavor = "multi_thread")]
async fn rotation_takes_the_epoch_from_what_is_known() {
    let daemon = Daemon::start().await;
    let client = daemon.over_tcp();
    for name in ["one", "two", "three", "four"] {
        client.new_key(name).await.unwrap();
    }
    let handover = |from: &str, to: &str, epoch: Option<u64>| RotateRequest { epoch, ..rotate(from, to) };
    // Without known keys, the first keys of a publisher have epoch 0.
    assert_eq!(client.rotate_keys("acme", &handover("one", "two", None)).await.unwrap().from_epoch, 0);
    // Rotations that were signed in this state root are known.
    assert_eq!(code(client.rotate_keys("acme", &handover("two", "three", Some(7))).await), "usage");
    assert_eq!(client.key("two").await.unwrap().state, "active");
    assert_eq!(client.rotate_keys("acme", &handover("two", "three", None)).await.unwrap().from_epoch, 1);
    let succession = client.succession("acme").await.unwrap();
    assert_eq!((succession.statements.len(), succession.keys.len(), succession.epoch), (2, 0, None));
    // The trusted keys of a publisher are known.
    let keys = KeysRequest { keys: vec![client.key("three").await.unwrap().public_key], threshold: 1 };
    client.allow_publisher("acme", &keys).await.unwrap();
    assert_eq!(code(client.rotate_keys("acme", &handover("four", "one", None)).await), "usage");
    assert_eq!(client.rotate_keys("acme", &handover("three", "four", None)).await.unwrap().from_epoch, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn vault_key_signs_only_releases_that_list_it() {
    let daemon = Daemon::start().await;
    let client = daemon.over_tcp();
    client.new_key("release").await.unwrap();
    for statement in ["", "{}", "not a statement", r#"{"_type":"https://in-toto.io/Statement/v1"}"#] {
        let request = SignReleaseRequest { statement: statement.into() };
        assert_eq!(code(client.sign_release("release", &request).await), "bad_statement", "{statement}");
    }
    let signer = palyra_testkit::signing_key(9);
    let request = BuildRequest {
        manifest_toml: MANIFEST,
        modules: vec![("modules/notes.wasm", b"\0asm\x01\0\0\0")],
        ..BuildRequest::default()
    };
    let foreign = pack_skill_artifact(&request, &[signer.public()]).unwrap();
    let sign = |statement: &[u8]| SignReleaseRequest { statement: String::from_utf8_lossy(statement).into() };
    assert_eq!(code(client.sign_release("release", &sign(foreign.statement())).await), "bad_statement");

    let own = client.key("release").await.unwrap().public_key.parse().unwrap();
    let packed = pack_skill_artifact(&request, &[own]).unwrap();
    let signed = client.sign_release("release", &sign(packed.statement())).await.unwrap();
    let keyid = signed.key_id.parse().unwrap();
    let built = packed.finish(vec![EnvelopeSignature { keyid, sig: signed.signature }]).unwrap();
    assert_eq!(built.missing_signatures, 0);
    let reader = daemon.over_tcp_as(&daemon.token_with("reader", &[Scope::Read, Scope::Operate]));
    assert_eq!(code(reader.sign_release("release", &sign(packed.statement())).await), "forbidden");
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_key_is_rejected_and_statement_written() {
    let daemon = Daemon::start().await;
    let client = daemon.over_tcp();
    let made = client.new_key("release").await.unwrap();
    let keys = KeysRequest { keys: vec![made.public_key], threshold: 1 };
    client.allow_publisher("acme", &keys).await.unwrap();
    let statement = RevocationStatement { publisher: "acme".into(), sign_with: Vec::new(), number: None };
    let request = RevokeKeyRequest { reason: "stolen".into(), statement: Some(statement) };
    let revoked = client.revoke_key("release", &request).await.unwrap();
    assert_eq!(revoked.key.state, "revoked");
    let statement = revoked.statement.unwrap();
    assert!(statement.get().contains("signatures"));
    assert_eq!(client.trust().await.unwrap().revocations.len(), 2);
    assert_eq!(code(client.allow_publisher("beta", &keys).await), "trust_refused");
    let again = client.revoke_key("release", &request).await.unwrap();
    let told = again.statement.unwrap();
    assert_eq!(told.get(), statement.get(), "whoever lost the statement asks again");
    let reader = daemon.over_tcp_as(&daemon.token_with("reader", &[Scope::Read, Scope::Operate]));
    assert!(reader.keys().await.is_ok());
    assert_eq!(code(reader.revoke_key("release", &request).await), "forbidden");
}

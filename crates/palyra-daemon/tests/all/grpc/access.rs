//! Authorization of every method. The methods, their first fields and their scopes are read from the descriptors, so a
//! method whose comment has no scope fails.

use super::{Wire, descriptors};
use crate::daemon::{Daemon, config};
use palyra_api::grpc::problem_of;
use palyra_common::{Scope, ScopeSet};
use palyra_daemon::ServerConfig;
use palyra_journal::{EventKind, Query};
use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, FileDescriptorProto, FileDescriptorSet};
use tonic::Code;

/// A method, the bytes of a valid message, and the required scope.
struct Method {
    path: String,
    message: Vec<u8>,
    scope: Scope,
}

fn methods() -> Vec<Method> {
    let set = descriptors();
    let mut methods = Vec::new();
    for file in &set.file {
        for (at, service) in file.service.iter().enumerate() {
            for (index, method) in service.method.iter().enumerate() {
                let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                let scope = scope(file, at, index).unwrap_or_else(|| panic!("{path} names no scope"));
                methods.push(Method { message: sample(&set, method.input_type()), path, scope });
            }
        }
    }
    for path in [
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        "/grpc.health.v1.Health/Watch",
    ] {
        methods.push(Method { path: path.into(), message: Vec::new(), scope: Scope::Read });
    }
    methods
}

/// Returns the scope in the comment of a method.
fn scope(file: &FileDescriptorProto, service: usize, method: usize) -> Option<Scope> {
    let place = [6, i32::try_from(service).ok()?, 2, i32::try_from(method).ok()?];
    let comments = &file.source_code_info.as_ref()?.location;
    let comment = comments.iter().find(|location| location.path == place)?.leading_comments();
    let word = comment.split_once("Requires the scope `")?.1.split('`').next()?;
    Scope::ALL.into_iter().find(|scope| scope.wire_name() == word)
}

/// Encodes a message with its first field set.
fn sample(set: &FileDescriptorSet, type_name: &str) -> Vec<u8> {
    let Some(field) = find(set, type_name).field.iter().find(|field| field.number() == 1) else {
        return Vec::new();
    };
    let text = |bytes: &[u8]| {
        let mut out = vec![0x0a, u8::try_from(bytes.len()).unwrap()];
        out.extend(bytes);
        out
    };
    match field.r#type() {
        Type::String => text(b"some.name"),
        Type::Message => text(&sample(set, field.type_name())),
        _ => vec![0x08, 1],
    }
}

fn find<'s>(set: &'s FileDescriptorSet, type_name: &str) -> &'s DescriptorProto {
    let of = |file: &&FileDescriptorProto| type_name.starts_with(&format!(".{}.", file.package()));
    let mut messages = set.file.iter().filter(of).flat_map(|file| &file.message_type);
    messages.find(|message| type_name.ends_with(&format!(".{}", message.name()))).unwrap()
}

async fn refused(wire: &Wire, method: &Method) -> (Code, String) {
    match wire.raw(&method.path, method.message.clone()).await {
        Ok(_) => (Code::Ok, String::new()),
        Err(status) => (status.code(), problem_of(&status).code.to_string()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_method_needs_a_token_with_its_scope() {
    let daemon = Daemon::with(ServerConfig { failure_burst: 100_000, ..config() }).await;
    let all: ScopeSet = Scope::ALL.into_iter().collect();
    let expired =
        daemon.state().tokens().add("expired", all.clone(), Some(1_700_000_000_001), "owner").unwrap();
    let revoked = daemon.state().tokens().add("revoked", all, None, "owner").unwrap();
    daemon.state().tokens().remove("revoked", "owner").unwrap();
    daemon.advance(10);
    let wires = [
        Wire::new(&daemon, None),
        Wire::new(&daemon, Some("palyra_0000")),
        Wire::new(&daemon, Some(expired.secret.as_str())),
        Wire::new(&daemon, Some(revoked.secret.as_str())),
    ];
    let (narrow, only): (Vec<Wire>, Vec<Wire>) = Scope::ALL
        .into_iter()
        .map(|scope| {
            let others: Vec<Scope> = Scope::ALL.into_iter().filter(|other| *other != scope).collect();
            let others = daemon.token_with(&format!("all-but-{scope}"), &others);
            let only = daemon.token_with(&format!("only-{scope}"), &[scope]);
            (Wire::new(&daemon, Some(&others)), Wire::new(&daemon, Some(&only)))
        })
        .unzip();
    let methods = methods();
    assert!(methods.len() > 50, "{}", methods.len());
    for method in &methods {
        for (at, wire) in wires.iter().enumerate() {
            let told = refused(wire, method).await;
            assert_eq!(told, (Code::Unauthenticated, "authentication".into()), "{} {at}", method.path);
        }
        let of = Scope::ALL.iter().position(|scope| *scope == method.scope).unwrap();
        let told = refused(&narrow[of], method).await;
        assert_eq!(told, (Code::PermissionDenied, "forbidden".into()), "{}", method.path);
        // A token with only this scope is admitted, unless the method needs another one too.
        let needs_two = ["/InstallSkill", "/EnableRoutine", "/FireRoutine"];
        if !needs_two.iter().any(|name| method.path.ends_with(name)) && !method.path.starts_with("/grpc.") {
            let told = refused(&only[of], method).await;
            assert!(
                !matches!(told.0, Code::Unauthenticated | Code::PermissionDenied | Code::Internal),
                "{} {told:?}",
                method.path
            );
        }
    }
    let refusals = daemon.state().journal().query(&Query {
        kinds: vec![EventKind::AccessRefused],
        limit: 1_000,
        ..Query::default()
    });
    assert!(refusals.unwrap().events.len() >= methods.len(), "refusals are told to the journal");
}

#[tokio::test(flavor = "multi_thread")]
async fn guessing_is_bounded_and_pages_and_rebinding_names_are_turned_away() {
    let daemon = Daemon::with(ServerConfig { failure_burst: 3, ..config() }).await;
    let method = Method {
        path: "/palyra.gateway.v1.GatewayService/GetHealth".into(),
        message: Vec::new(),
        scope: Scope::Read,
    };
    let wrong = Wire::new(&daemon, Some("palyra_0000"));
    for _ in 0..3 {
        assert_eq!(refused(&wrong, &method).await.1, "authentication");
    }
    assert_eq!(refused(&wrong, &method).await, (Code::ResourceExhausted, "rate_limited".into()));
    let daemon = Daemon::start().await;
    let rebound = Wire::owner(&daemon).called_as("evil.example:80");
    assert_eq!(refused(&rebound, &method).await, (Code::PermissionDenied, "misdirected".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn whether_it_is_healthy_needs_no_token_and_what_is_not_there_needs_one() {
    use tonic_health::pb::health_client::HealthClient;
    use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus};
    let daemon = Daemon::start().await;
    let nobody = Wire::new(&daemon, None);
    let checked = HealthClient::new(nobody.clone()).check(HealthCheckRequest::default()).await.unwrap();
    assert_eq!(checked.into_inner().status(), ServingStatus::Serving);
    let gateway = HealthCheckRequest { service: "palyra.gateway.v1.GatewayService".into() };
    let checked = HealthClient::new(nobody.clone()).check(gateway).await.unwrap();
    assert_eq!(checked.into_inner().status(), ServingStatus::Serving);
    let nowhere = "/palyra.gateway.v1.GatewayService/Nothing";
    assert_eq!(nobody.raw(nowhere, Vec::new()).await.unwrap_err().code(), Code::Unauthenticated);
    let owner = Wire::owner(&daemon);
    assert_eq!(owner.raw(nowhere, Vec::new()).await.unwrap_err().code(), Code::Unimplemented);
    assert_eq!(
        owner.raw("/no.such.Service/Method", Vec::new()).await.unwrap_err().code(),
        Code::Unimplemented
    );
}

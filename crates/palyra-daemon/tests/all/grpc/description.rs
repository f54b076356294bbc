//! Descriptions of the services: reflection, the types of the HTTP API, and the committed descriptors.

use super::breaking::breaking;
use super::{Wire, descriptors};
use crate::daemon::Daemon;
use palyra_daemon::transport::grpc::operations;
use palyra_daemon::transport::http::openapi_document;
use prost::Message;
use prost_types::{DescriptorProto, FileDescriptorSet};
use serde_json::Value;
use std::collections::BTreeSet;

fn committed() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/proto/descriptor.binpb").to_owned()
}

/// Returns the descriptors without comments, whose changes break nothing.
fn bare() -> FileDescriptorSet {
    let mut set = descriptors();
    set.file.iter_mut().for_each(|file| file.source_code_info = None);
    set
}

#[test]
fn the_committed_descriptors_are_current_and_nothing_of_them_is_broken() {
    let (path, now) = (committed(), bare());
    if let Ok(bytes) = std::fs::read(&path) {
        let before = FileDescriptorSet::decode(bytes.as_slice()).unwrap();
        let broken = breaking(&before, &now);
        assert!(
            broken.is_empty(),
            "clients in use would break: {broken:#?}\nto do it on purpose, remove {path} first"
        );
    }
    if std::env::var_os("PALYRA_WRITE_GENERATED").is_some() {
        std::fs::write(&path, now.encode_to_vec()).unwrap();
    }
    assert!(
        std::fs::read(&path).unwrap() == now.encode_to_vec(),
        "schemas/proto/descriptor.binpb is old: set PALYRA_WRITE_GENERATED=1 to write it anew"
    );
}

/// A type that both APIs have has the same fields in both descriptions.
#[test]
fn messages_have_the_fields_of_the_shapes_they_are_named_after() {
    let document = serde_json::to_value(openapi_document()).unwrap();
    let shapes = &document["components"]["schemas"];
    let mut compared = 0;
    for message in descriptors().file.iter().flat_map(|file| &file.message_type) {
        let shape = &shapes[message.name()];
        // A request combines a path, a query and a body; its conversion is checked by the compiler.
        if shape.is_null() || message.name().ends_with("Request") {
            continue;
        }
        let wanted = properties(shapes, shape);
        if wanted.is_empty() {
            continue;
        }
        assert_eq!(fields(message), wanted, "{}", message.name());
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}

fn fields(message: &DescriptorProto) -> BTreeSet<String> {
    let name = |name: &str| match name {
        // The only field whose name is defined by another specification.
        "component_id" => "componentId".to_owned(),
        name => name.strip_suffix("_json").unwrap_or(name).to_owned(),
    };
    message.field.iter().map(|field| name(field.name())).collect()
}

/// Replaces the names in a path by placeholders.
fn nameless(path: &str) -> String {
    let part = |part: &'_ str| if part.starts_with('{') { "{}".to_owned() } else { part.to_owned() };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Asserts that every operation of the HTTP API has a method, or a row in the table of `docs/grpc.md` with the reason.
#[test]
fn operations_without_a_method_are_listed_with_the_reason() {
    let with_method: BTreeSet<(String, String)> =
        operations().into_iter().map(|one| (one.verb.to_owned(), nameless(one.path))).collect();
    let document = serde_json::to_value(openapi_document()).unwrap();
    let mut without = BTreeSet::new();
    let mut all = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for verb in operations.as_object().unwrap().keys().map(|verb| verb.to_uppercase()) {
            if !with_method.contains(&(verb.clone(), nameless(path))) {
                without.insert(format!("{verb} {path}"));
            }
            all.insert((verb, nameless(path)));
        }
    }
    let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/grpc.md"));
    let section = page.split("## What HTTP has and gRPC does not").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let listed: BTreeSet<String> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .flat_map(|line| line.split('|').nth(1).unwrap().split('`').skip(1).step_by(2).map(str::to_owned))
        .collect();
    assert_eq!(listed, without, "docs/grpc.md lists operations that have no method");
    let gone: Vec<_> = with_method.difference(&all).collect();
    assert!(gone.is_empty(), "methods of operations that do not exist: {gone:?}");
    let described: BTreeSet<String> = descriptors()
        .file
        .iter()
        .flat_map(|file| file.service.iter().map(move |service| (file.package(), service)))
        .flat_map(|(package, service)| {
            let path = move |method: &str| format!("/{package}.{}/{method}", service.name());
            service.method.iter().map(move |method| path(method.name()))
        })
        .collect();
    let methods: BTreeSet<String> = operations().into_iter().map(|one| one.method).collect();
    assert_eq!(methods, described, "every method stands for an operation");
}

fn properties(shapes: &Value, shape: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Some(named) = shape["$ref"].as_str() {
        return properties(shapes, &shapes[named.rsplit('/').next().unwrap()]);
    }
    for part in ["allOf", "oneOf"].iter().flat_map(|parts| shape[parts].as_array().into_iter().flatten()) {
        found.extend(properties(shapes, part));
    }
    found.extend(shape["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn reflection_lists_every_service() {
    use tonic_reflection::pb::v1::ServerReflectionRequest;
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
    let daemon = Daemon::start().await;
    let mut client = ServerReflectionClient::new(Wire::owner(&daemon));
    let ask =
        |what: MessageRequest| ServerReflectionRequest { host: String::new(), message_request: Some(what) };
    let questions = [
        ask(MessageRequest::ListServices(String::new())),
        ask(MessageRequest::FileContainingSymbol("palyra.gateway.v1.GatewayService".into())),
    ];
    let mut answers =
        client.server_reflection_info(futures::stream::iter(questions)).await.unwrap().into_inner();
    let Some(MessageResponse::ListServicesResponse(list)) =
        answers.message().await.unwrap().unwrap().message_response
    else {
        panic!("no list")
    };
    let names: BTreeSet<String> = list.service.into_iter().map(|service| service.name).collect();
    for file in &descriptors().file {
        for service in &file.service {
            assert!(names.contains(&format!("{}.{}", file.package(), service.name())), "{names:?}");
        }
    }
    assert!(names.contains("grpc.health.v1.Health"), "{names:?}");
    let Some(MessageResponse::FileDescriptorResponse(files)) =
        answers.message().await.unwrap().unwrap().message_response
    else {
        panic!("no file")
    };
    assert!(!files.file_descriptor_proto.is_empty());
}

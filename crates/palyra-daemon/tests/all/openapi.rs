//! Checks that the committed OpenAPI document matches this build.

use crate::daemon::Daemon;
use palyra_daemon::transport::http::{openapi_document, routes};
use serde_json::Value;

fn path() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/openapi/palyra.json").to_owned()
}

#[test]
fn the_committed_document_is_current() {
    let text = serde_json::to_string_pretty(&openapi_document()).unwrap() + "\n";
    if std::env::var_os("PALYRA_WRITE_GENERATED").is_some() {
        std::fs::create_dir_all(std::path::Path::new(&path()).parent().unwrap()).unwrap();
        std::fs::write(path(), &text).unwrap();
    }
    let committed = std::fs::read_to_string(path()).unwrap();
    assert!(
        committed == text,
        "schemas/openapi/palyra.json is old: set PALYRA_WRITE_GENERATED=1 to write it anew"
    );
}

#[test]
fn every_route_and_every_shape_is_described() {
    let document = serde_json::to_value(openapi_document()).unwrap();
    for route in routes() {
        let operation = &document["paths"][route.path][route.method.as_str().to_lowercase()];
        assert!(
            !operation["summary"].as_str().unwrap_or_default().is_empty(),
            "{} {}",
            route.method,
            route.path
        );
        assert!(operation["responses"]["200"].is_object(), "{}", route.path);
    }
    let mut references = Vec::new();
    collect(&document, &mut references);
    for reference in references {
        let name = reference.strip_prefix("#/components/schemas/").unwrap();
        assert!(document["components"]["schemas"][name].is_object(), "{name}");
    }
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            references.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| collect(value, references));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, references)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_daemon_serves_the_same_document_and_its_counters() {
    let daemon = Daemon::with_bench().await;
    let served: Value = daemon.over_tcp().get("/v1/openapi.json").await.unwrap();
    assert_eq!(served, serde_json::to_value(openapi_document()).unwrap());
    daemon.over_tcp().invoke("acme.bench.echo", &Default::default()).await.unwrap();
    let reply = crate::raw::ask(&daemon, "GET", "/v1/metrics", Some(&daemon.token), &[], "").await;
    assert_eq!(reply.status, 200);
    for line in [
        "palyra_calls_total{outcome=\"ok\"} 1",
        "palyra_http_requests_total{method=\"POST\",route=\"/v1/tools/{tool}/invoke\",status=\"200\"} 1",
        "palyra_journal_events ",
    ] {
        assert!(reply.body.contains(line), "{line}\n{}", reply.body);
    }
}

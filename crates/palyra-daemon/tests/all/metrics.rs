//! What is counted, what the document says about it, and what the dashboard shows.

use crate::daemon::Daemon;
use crate::raw::ask;
use palyra_api::tools::InvokeRequest;
use std::collections::BTreeSet;

const DOCUMENT: &str = include_str!("../../../../docs/observability.md");
const DASHBOARD: &str = include_str!("../../../../infra/grafana/palyra.json");

/// Every word of a text that is the name of a metric.
fn names(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    words.filter(|word| word.starts_with("palyra_") && *word != "palyra_state").collect()
}

/// A metric by the name its family has in documents.
fn family(sample: &str) -> &str {
    ["_bucket", "_sum", "_count"].iter().find_map(|part| sample.strip_suffix(part)).unwrap_or(sample)
}

#[tokio::test(flavor = "multi_thread")]
async fn document_and_dashboard_name_what_is_counted() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    client.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    assert_eq!(daemon.over_tcp_as("wrong").tools().await.unwrap_err().into_problem().code, "authentication");
    let text = ask(&daemon, "GET", "/v1/metrics", Some(&daemon.token), &[], "").await.body;
    let samples = text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    let counted: BTreeSet<&str> = names(&samples).into_iter().map(family).collect();
    let table: String = DOCUMENT.lines().filter(|line| line.starts_with("| `palyra_")).collect();
    let told: BTreeSet<&str> = names(&table).into_iter().collect();
    assert_eq!(told, counted);
    let shown: BTreeSet<&str> = names(DASHBOARD).into_iter().map(family).collect();
    assert_eq!(shown, counted, "the dashboard shows all of it");
    for stage in ["resolve", "begin", "execute", "receipt"] {
        let line = format!("palyra_call_stage_seconds_count{{stage=\"{stage}\"}} 1");
        assert!(text.contains(&line), "{line}\n{text}");
    }
    assert!(text.contains("palyra_call_memory_bytes_count 1"), "{text}");
}

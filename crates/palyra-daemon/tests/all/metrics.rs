//! Metrics, their documentation, and the dashboard.

use crate::daemon::Daemon;
use crate::hooks::{bind, daemon as daemon_with_hooks, quick, told, until};
use crate::raw::ask;
use palyra_api::tools::InvokeRequest;
use std::collections::BTreeSet;

const DOCUMENT: &str = include_str!("../../../../docs/observability.md");
const DASHBOARD: &str = include_str!("../../../../infra/grafana/palyra.json");

/// Returns every metric name in a text.
fn names(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    words.filter(|word| word.starts_with("palyra_") && *word != "palyra_state").collect()
}

/// Returns the documented name of a metric.
fn family(sample: &str) -> &str {
    ["_bucket", "_sum", "_count"].iter().find_map(|part| sample.strip_suffix(part)).unwrap_or(sample)
}

#[tokio::test(flavor = "multi_thread")]
async fn document_and_dashboard_name_what_is_counted() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    client.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    assert_eq!(
        daemon.over_tcp_as("wrong").tools().await.unwrap_err().into_problem().code.as_str(),
        "authentication"
    );
    let text = ask(&daemon, "GET", "/v1/metrics", Some(&daemon.token), &[], "").await.body;
    let samples = text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    let counted: BTreeSet<&str> = names(&samples).into_iter().map(family).collect();
    let table: String = DOCUMENT.lines().filter(|line| line.starts_with("| `palyra_")).collect();
    let told: BTreeSet<&str> = names(&table).into_iter().collect();
    assert_eq!(told, counted);
    let shown: BTreeSet<&str> = names(DASHBOARD).into_iter().map(family).collect();
    assert_eq!(shown, counted, "the dashboard shows all of it");
    for stage in ["resolve", "compile", "begin", "execute", "receipt"] {
        let line = format!("palyra_call_stage_seconds_count{{stage=\"{stage}\"}} 1");
        assert!(text.contains(&line), "{line}\n{text}");
    }
    assert!(text.contains("palyra_call_memory_bytes_count 1"), "{text}");
}

/// Returns the value of a sample.
fn sample(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name}\n{text}")).parse().unwrap()
}

fn lookups(text: &str, cache: &str) -> (u64, u64) {
    let of = |result| format!("palyra_cache_lookups_total{{cache=\"{cache}\",result=\"{result}\"}}");
    (sample(text, &of("hit")), sample(text, &of("miss")))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_call_finds_what_the_first_one_proved() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let text = || async { ask(&daemon, "GET", "/v1/metrics", Some(&daemon.token), &[], "").await.body };
    client.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    let first = text().await;
    for cache in ["tool", "ready_tool", "schema", "verified_skill", "module"] {
        assert!(lookups(&first, cache).1 >= 1, "{cache}\n{first}");
    }
    for _ in 0..3 {
        client.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    }
    let second = text().await;
    let grown = |cache| {
        let ((hits, misses), (hits_before, misses_before)) =
            (lookups(&second, cache), lookups(&first, cache));
        (hits - hits_before, misses - misses_before)
    };
    // Storing the descriptions changed the state once, so the second call may verify the module again.
    let (hits, misses) = grown("ready_tool");
    assert!(hits >= 2 && hits + misses == 3, "{hits} {misses}");
    assert_eq!(grown("module").1, 0, "loaded once");
    assert!(grown("policy").0 >= 3, "{second}");
    for queue in ["calls", "sandbox", "journal", "hooks", "channels"] {
        assert_eq!(sample(&second, &format!("palyra_queue_depth{{queue=\"{queue}\"}}")), 0, "{queue}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn observers_are_counted_by_what_they_do_and_dead_letters_stand() {
    let daemon = daemon_with_hooks().await;
    bind(&daemon, "trap", "run:completed").await;
    bind(&daemon, "agree", "run:completed").await;
    daemon.app.become_gateway(quick());
    daemon.over_socket().invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    until(&daemon, "one took it", |daemon| told(daemon, "agree").len() == 1).await;
    let given_up = [palyra_journal::EventKind::HookDeadLettered];
    until(&daemon, "one gave it up", |daemon| crate::hooks::events(daemon, &given_up).len() == 1).await;
    let text = || async { ask(&daemon, "GET", "/v1/metrics", Some(&daemon.token), &[], "").await.body };
    let idle = "palyra_hook_bindings{state=\"idle\"}";
    let counted = async {
        while sample(&text().await, idle) != 2 {
            tokio::task::yield_now().await;
        }
    };
    assert!(
        tokio::time::timeout(std::time::Duration::from_secs(30), counted).await.is_ok(),
        "{}",
        text().await
    );
    let text = text().await;
    assert_eq!(sample(&text, "palyra_dead_letters{queue=\"hooks\"}"), 1);
    assert_eq!(sample(&text, "palyra_dead_letters{queue=\"channels\"}"), 0);
    assert_eq!(sample(&text, "palyra_queue_depth{queue=\"hooks\"}"), 0);
}

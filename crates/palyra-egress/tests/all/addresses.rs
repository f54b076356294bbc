//! G09: names, the addresses they resolve to, and the address that is connected to.

use crate::support::{Call, LOOPBACK, guard, guard_with, header, url};
use palyra_egress::testing::{FixedResolver, TestReply, TestServer};
use palyra_egress::{EgressConfig, EgressError, EgressGuard};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// Creates a guard that does not cache addresses.
fn forgetful(resolver: &Arc<FixedResolver>) -> EgressGuard {
    let resolver = Arc::clone(resolver);
    EgressGuard::new(EgressConfig {
        resolver,
        resolution_lifetime: Duration::ZERO,
        ..EgressConfig::default()
    })
    .unwrap()
}

#[tokio::test]
async fn g09_a_granted_name_with_a_closed_address_is_denied() {
    for (answer, why) in [
        ("127.0.0.1", "a loopback address"),
        ("10.0.0.7", "a private address"),
        ("169.254.169.254", "a cloud metadata address"),
        ("fd00:ec2::254", "a cloud metadata address"),
        ("100.64.3.4", "a shared (CGNAT) address"),
        ("0.0.0.0", "the unspecified address"),
        ("::ffff:127.0.0.1", "an IPv4-mapped address"),
        ("64:ff9b::7f00:1", "a NAT64 address"),
    ] {
        let guard = guard_with(FixedResolver::new().with("api.example.com", [address(answer)]));
        let denial = Call::get("https://api.example.com/x").allow(&[]).denial(&guard).await;
        assert!(denial.reason.contains(why), "{}", denial.reason);
        assert!(!denial.reason.contains(answer), "the address is for the operator: {}", denial.reason);
        let range = if answer.contains(':') { "128" } else { "32" };
        assert_eq!(denial.grant, Some(format!("address:{}/{range}", address(answer))));
        assert_eq!(denial.manifest, None, "only an operator opens an address");
    }
}

#[tokio::test]
async fn g09_one_closed_answer_among_open_ones_denies_the_name() {
    let server = TestServer::http(|_| TestReply::ok("x")).await.unwrap();
    let guard = guard_with(FixedResolver::new().with("api.example.com", [LOOPBACK, address("10.0.0.1")]));
    let denial = Call::get(url(&server, "/")).allow(&["127.0.0.0/8"]).denial(&guard).await;
    assert_eq!(denial.grant.as_deref(), Some("address:10.0.0.1/32"));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn g09_the_first_address_that_accepts_is_used() {
    let server = TestServer::http(|_| TestReply::ok("x")).await.unwrap();
    let guard = guard_with(FixedResolver::new().with("api.example.com", [address("127.0.0.9"), LOOPBACK]));
    let response = Call::get(url(&server, "/")).send(&guard).await.unwrap();
    assert_eq!(response.address, server.address());
}

#[tokio::test]
async fn g09_rebinding_connects_to_the_pinned_address() {
    let honest = TestServer::http(|_| TestReply::ok("honest")).await.unwrap();
    let port = honest.address().port();
    let elsewhere = SocketAddr::new(address("127.0.0.2"), port);
    let trap = TestServer::http_on(elsewhere, |_| TestReply::ok("trap")).await.unwrap();
    let answers = [vec![LOOPBACK], vec![address("127.0.0.2")]];
    let resolver = Arc::new(FixedResolver::new().with_sequence("api.example.com", answers));
    let call = Call::get(url(&honest, "/")).allow(&["127.0.0.1/32"]);

    let guard = forgetful(&resolver);
    let response = call.send(&guard).await.unwrap();
    assert_eq!((&response.body[..], response.address), (&b"honest"[..], honest.address()));
    assert_eq!(resolver.lookups("api.example.com"), 1, "resolved once, connected to that answer");

    let denial = call.denial(&guard).await;
    assert_eq!(denial.grant.as_deref(), Some("address:127.0.0.2/32"));
    assert_eq!(resolver.lookups("api.example.com"), 2);
    assert_eq!((honest.requests().len(), trap.connections()), (1, 0));
}

#[tokio::test]
async fn g09_an_answer_is_remembered_for_a_while_only() {
    let server = TestServer::http(|_| TestReply::ok("x")).await.unwrap();
    let answers = [vec![LOOPBACK], vec![address("10.0.0.1")]];
    let resolver = Arc::new(FixedResolver::new().with_sequence("api.example.com", answers));
    let config = EgressConfig { resolver: Arc::clone(&resolver) as _, ..EgressConfig::default() };
    let guard = EgressGuard::new(config).unwrap();
    for _ in 0..3 {
        Call::get(url(&server, "/")).send(&guard).await.unwrap();
    }
    assert_eq!(resolver.lookups("api.example.com"), 1);
}

#[tokio::test]
async fn g09_redirect_is_returned_and_checked_again() {
    for location in ["http://169.254.169.254/latest/meta-data/", "https://evil.example/", "/other"] {
        let server =
            TestServer::http(move |_| TestReply::status(302).header("location", location)).await.unwrap();
        let guard = guard();
        let response = Call::get(url(&server, "/start")).send(&guard).await.unwrap();
        assert_eq!((response.status, header(&response, "location")), (302, Some(location)));
        assert_eq!(server.requests().len(), 1, "nothing followed it");
        if location.starts_with("http") {
            let next = Call::get(location).rule(url(&server, "")).denial(&guard).await;
            assert!(next.reason.contains("no rule covers the host"), "{}", next.reason);
        }
    }
}

#[tokio::test]
async fn g09_an_address_literal_needs_rule_and_address() {
    let server = TestServer::http(|_| TestReply::ok("x")).await.unwrap();
    let literal = format!("http://{}/x", server.address());
    let guard = guard_with(FixedResolver::new());
    assert_eq!(Call::get(&literal).allow(&["127.0.0.1/32"]).send(&guard).await.unwrap().status, 200);
    let denial = Call::get(&literal).allow(&[]).denial(&guard).await;
    assert_eq!(denial.reason, "`127.0.0.1` is a loopback address");
    assert_eq!(denial.grant.as_deref(), Some("address:127.0.0.1/32"));
    assert_eq!(Call::get(&literal).allow(&["127.0.0.2/32"]).denial(&guard).await.grant, denial.grant);
}

#[tokio::test]
async fn g09_own_listeners_are_refused_even_where_the_address_is_open() {
    let server = TestServer::http(|_| TestReply::ok("x")).await.unwrap();
    let port = server.address().port();
    for listener in [server.address(), SocketAddr::new(address("0.0.0.0"), port)] {
        let config = EgressConfig {
            resolver: Arc::new(FixedResolver::new().with("api.example.com", [LOOPBACK])),
            refused_listeners: vec![listener],
            ..EgressConfig::default()
        };
        let guard = EgressGuard::new(config).unwrap();
        for host in ["api.example.com", "127.0.0.1", "0.0.0.0", "[::ffff:127.0.0.1]"] {
            let call = Call::get(format!("http://{host}:{port}/")).allow(&["0.0.0.0/0", "::/0"]);
            let denial = call.denial(&guard).await;
            assert!(denial.reason.contains("a listener of Palyra"), "{host}: {}", denial.reason);
            assert_eq!(denial.grant, None);
        }
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn g09_a_name_without_an_address_is_unavailable() {
    let guard = guard_with(FixedResolver::new().with("empty.example", []));
    for host in ["empty.example", "missing.example"] {
        let result = Call::get(format!("https://{host}/")).send(&guard).await;
        assert!(matches!(result, Err(EgressError::Unavailable(_))), "{host}: {result:?}");
    }
}

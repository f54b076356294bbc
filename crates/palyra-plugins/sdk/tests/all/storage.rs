//! `storage` against the harness.

use palyra_plugins_sdk::serde_json::json;
use palyra_plugins_sdk::storage::{self, Store};
use palyra_plugins_sdk::testing::{Harness, RunError};
use palyra_plugins_sdk::{HostError, Plugin, ToolError};
use std::collections::BTreeMap;

static PLUGIN: Plugin = Plugin::new(&[], &[]);

fn harness(grant: &str) -> Harness {
    Harness::new(&PLUGIN).with_grants([grant]).unwrap()
}

fn within<T>(harness: &mut Harness, code: impl FnOnce(Store) -> Result<T, ToolError>) -> Result<T, RunError> {
    harness.within("a.b", || code(storage::open("notes/")))
}

#[test]
fn values_of_every_kind_survive_the_call() {
    let mut harness = harness("storage:notes/");
    within(&mut harness, |store| {
        store.put("bytes", [0xff, 0])?;
        store.put("text", "héllo")?;
        store.put_json("json", &BTreeMap::from([("a", 1)]))?;
        Ok(())
    })
    .unwrap();
    within(&mut harness, |store| {
        assert_eq!(store.get("bytes")?, Some(vec![0xff, 0]));
        assert_eq!(store.get_string("text")?.as_deref(), Some("héllo"));
        assert_eq!(store.get_json("json")?, Some(json!({ "a": 1 })));
        assert_eq!(store.get_json::<u8>("none")?, None);
        assert_eq!(store.get_string("bytes").unwrap_err().code, "invalid_data");
        assert_eq!(store.get_json::<u8>("text").unwrap_err().code, "invalid_data");
        assert!(store.delete("text")?);
        assert!(!store.delete("text")?);
        Ok(())
    })
    .unwrap();
    assert_eq!(harness.stored("notes/json"), Some(br#"{"a":1}"#.as_slice()));
    assert_eq!(harness.stored("notes/text"), None);
}

#[test]
fn keys_over_pages() {
    let mut harness = harness("storage:notes/").with_stored("other/a", "").with_stored("notes/z", "");
    for number in 0..2_500 {
        harness = harness.with_stored(&format!("notes/k/{number:04}"), "");
    }
    let keys =
        within(&mut harness, |store| Ok(store.keys("k/").collect::<Result<Vec<String>, HostError>>()?))
            .unwrap();
    assert_eq!(
        (keys.len(), keys.first().map(String::as_str), keys.last().map(String::as_str)),
        (2_500, Some("k/0000"), Some("k/2499"))
    );
    let none = within(&mut harness, |store| Ok(store.keys("missing").count())).unwrap();
    assert_eq!(none, 0);
}

#[test]
fn a_refused_listing_is_one_error() {
    let mut harness = harness("storage:other/");
    let mut seen = Vec::new();
    let result = within(&mut harness, |store| {
        seen.extend(store.keys(""));
        Ok(())
    });
    assert!(matches!(seen.as_slice(), [Err(HostError::Denied(_))]), "{seen:?}");
    assert!(matches!(result, Err(RunError::CapabilityDenied(_))));
}

#[test]
fn bad_keys_are_the_guests_mistake() {
    let mut harness = harness("storage:notes/");
    let long = "k".repeat(1_024);
    for key in ["", "../x", "a/../b", "a/.", "a\0b", "a\nb", &long] {
        let error = within(&mut harness, |store| Ok(store.put(key, "").unwrap_err()));
        assert!(matches!(error, Ok(HostError::InvalidArgument(_))), "{key:?}: {error:?}");
    }
}

#[test]
fn quotas() {
    let put = |grant: &str, pairs: &[(&str, &str)]| {
        let mut harness = harness(grant);
        within(&mut harness, |store| {
            for (key, value) in pairs {
                store.put(key, value)?;
            }
            Ok(())
        })
    };
    assert_eq!(put("storage:notes/ keys=1", &[("a", "1"), ("a", "2")]), Ok(()));
    assert!(matches!(put("storage:notes/ keys=1", &[("a", ""), ("b", "")]), Err(RunError::QuotaExceeded(_))));
    assert_eq!(put("storage:notes/ bytes=10", &[("a", "123")]), Ok(()));
    assert!(matches!(put("storage:notes/ bytes=10", &[("a", "1234")]), Err(RunError::QuotaExceeded(_))));
}

//! Models an operator set up.

use palyra_common::ErrorCode;
use palyra_journal::{EventKind, Query};
use palyra_models::{Protocol, Usage};
use palyra_state::DefinitionError;
use palyra_state::models::{ModelPrice, ModelRecord};
use palyra_testkit::Home;

fn record(name: &str) -> ModelRecord {
    ModelRecord {
        small: false,
        name: name.into(),
        protocol: Protocol::Messages,
        base_url: "https://api.example.com/".into(),
        model: "big-1".into(),
        key: Some("global/key".into()),
        allow_loopback: false,
        context_tokens: Some(200_000),
        max_output_tokens: None,
        price: Some(ModelPrice { input: 250_000, output: 2_000_000 }),
    }
}

#[test]
fn models_survive_a_restart_and_every_change_has_an_event() {
    let home = Home::new();
    let state = home.open();
    assert_eq!((state.models().list(), state.models().default_name()), (Vec::new(), None));
    let added = state.models().add(record("first"), "owner").unwrap();
    assert_eq!(added.base_url, "https://api.example.com/v1");
    state.models().add(record("second"), "owner").unwrap();
    assert_eq!(state.models().default_name().as_deref(), Some("first"));
    state.models().set_default("second", "owner").unwrap();
    state.close().unwrap();

    let state = home.open();
    let names: Vec<String> = state.models().list().into_iter().map(|model| model.name).collect();
    assert_eq!(names, ["first", "second"]);
    assert_eq!(state.models().get("first").unwrap(), added);
    assert_eq!(state.models().default_name().as_deref(), Some("second"));
    state.models().remove("second", "owner").unwrap();
    assert_eq!(state.models().default_name(), None);
    let query = Query { kinds: vec![EventKind::ModelsChanged], ..Query::default() };
    assert_eq!(state.journal().query(&query).unwrap().events.len(), 4);
}

#[test]
fn bad_models_are_refused_by_field_and_change_nothing() {
    let home = Home::new();
    let state = home.open();
    state.models().add(record("there"), "owner").unwrap();
    for (change, field) in [
        (&(|record: &mut ModelRecord| record.name = "No Name".into()) as &dyn Fn(&mut ModelRecord), "name"),
        (&|record| record.name = "a".repeat(65), "name"),
        (&|record| record.model = " ".into(), "model"),
        (&|record| record.base_url = "http://api.example.com".into(), "base_url"),
        (&|record| record.base_url = "https://127.0.0.1:8080".into(), "base_url"),
        (&|record| record.key = Some("not a key".into()), "key"),
        (&|record| record.context_tokens = Some(0), "context_tokens"),
    ] {
        let mut bad = record("new");
        change(&mut bad);
        let Err(DefinitionError::Bad { field: found, .. }) = state.models().add(bad, "owner") else {
            panic!("{field}")
        };
        assert_eq!(found, field);
    }
    let again = state.models().add(record("there"), "owner").unwrap_err();
    assert_eq!(again.code(), ErrorCode::AlreadyExists);
    for unknown in [
        state.models().remove("thre", "owner").unwrap_err(),
        state.models().set_default("thre", "owner").unwrap_err(),
        state.models().get("thre").unwrap_err(),
    ] {
        assert!(matches!(unknown, DefinitionError::Unknown { known, .. } if known == ["there"]));
    }
    assert_eq!(state.models().list().len(), 1);
}

#[test]
fn cost_is_counted_in_millionths_and_rounded_up() {
    let usage = Usage { input_tokens: 1_000, output_tokens: 10, ..Usage::default() };
    assert_eq!(record("m").cost(usage), Some(270));
    assert_eq!(record("m").cost(Usage { input_tokens: 1, ..Usage::default() }), Some(1));
    assert_eq!(ModelRecord { price: None, ..record("m") }.cost(usage), None);
}

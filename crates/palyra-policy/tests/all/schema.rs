//! The words of the code equal those of the schema.

use cedar_policy::{Schema, SchemaFragment};
use palyra_common::InformationLabels;
use palyra_policy::{Action, Face, PrincipalKind, ResourceKind, SCHEMA, Scope, TrustState, resources};
use std::collections::BTreeSet;
use std::str::FromStr;

#[test]
fn enumerations_are_the_same() {
    let json = SchemaFragment::from_str(SCHEMA).unwrap().to_json_value().unwrap();
    let words = |entity: &str| -> Vec<String> {
        let list = json[""]["entityTypes"][entity]["enum"].as_array().unwrap();
        list.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let texts =
        |list: &mut dyn Iterator<Item = &'static str>| -> Vec<String> { list.map(str::to_owned).collect() };
    assert_eq!(words(PrincipalKind::ENTITY), texts(&mut PrincipalKind::ALL.iter().map(|word| word.as_str())));
    assert_eq!(words("Scope"), texts(&mut Scope::ALL.iter().map(|word| word.wire_name())));
    assert_eq!(words(Face::ENTITY), texts(&mut Face::ALL.iter().map(|word| word.as_str())));
    let labels = InformationLabels { private: true, untrusted: true };
    assert_eq!(words("Label"), texts(&mut labels.names()));
    assert_eq!(words(TrustState::ENTITY), texts(&mut TrustState::ALL.iter().map(|word| word.as_str())));
}

#[test]
fn every_action_is_about_what_the_schema_says() {
    let schema = Schema::from_str(SCHEMA).unwrap();
    let actions: BTreeSet<String> =
        schema.actions().map(|action| action.id().unescaped().to_owned()).collect();
    assert_eq!(actions, Action::ALL.iter().map(|action| action.as_str().to_owned()).collect());
    for uid in schema.actions() {
        let action = Action::ALL.iter().find(|action| action.as_str() == uid.id().unescaped()).unwrap();
        let about: BTreeSet<String> =
            schema.resources_for_action(uid).unwrap().map(|name| name.basename().to_owned()).collect();
        let known: BTreeSet<String> =
            resources(*action).iter().map(|kind: &ResourceKind| kind.as_str().to_owned()).collect();
        assert_eq!(about, known, "{action}");
    }
}

//! Compares the representation with the contract of the validator and with an owned tree.

use jsonschema::json::conformance;
use jsonschema::{Validator, json::SerdeJson};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(text: &str) -> Instance<'_> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn it_keeps_the_contract_of_the_validator() {
    let (document, text) = (conformance::document(), conformance::document().to_string());
    conformance::assert_conformance::<Borrowed>(&&read(&text));
    conformance::assert_conformance::<Borrowed>(&&Instance::from(&document));
}

#[test]
fn texts_are_borrowed_unless_they_have_escapes() {
    let Instance::Object(Members(members)) = read(r#"{"a":"plain","\u0062":"a\nb"}"#) else { panic!() };
    let borrowed = |text: &Cow<'_, str>| matches!(text, Cow::Borrowed(_));
    let kinds: Vec<(bool, bool)> = members
        .iter()
        .map(|(name, value)| match value {
            Instance::Text(text) => (borrowed(name), borrowed(text)),
            _ => panic!(),
        })
        .collect();
    assert_eq!(kinds, [(true, true), (false, false)]);
}

#[test]
fn duplicate_keys_are_rejected_in_small_and_large_objects() {
    let refused = |text: &str| serde_json::from_str::<Instance<'_>>(text).unwrap_err().to_string();
    assert!(refused(r#"{"a":1,"b":2,"\u0061":3}"#).contains("duplicate key `a`"));
    let members = |count: usize| (0..count).map(|n| format!("\"m{n}\":{n}")).collect::<Vec<_>>().join(",");
    assert!(refused(&format!("{{{},\"m7\":0}}", members(40))).contains("`m7`"));
    assert!(refused(&format!("[{{\"m\":{{{},\"m0\":0}}}}]", members(3))).contains("`m0`"));
    let text = format!("{{{}}}", members(40));
    let Instance::Object(members) = read(&text) else { panic!() };
    assert_eq!((members.0.len(), read(&text).owned()), (40, serde_json::from_str(&text).unwrap()));
    assert_eq!(members.find("m7").map(Instance::owned), Some(json!(7)));
    assert_eq!((members.find("m39").map(Instance::owned), members.find("m40")), (Some(json!(39)), None));
}

/// Schemas with every kind of rule, for values near their bounds.
fn schemas() -> Vec<Value> {
    vec![
        json!({"type": "object", "required": ["a"], "additionalProperties": false,
               "properties": {"a": {"type": "integer", "minimum": -1}, "b": {"type": "string", "maxLength": 2}}}),
        json!({"propertyNames": {"maxLength": 1}, "patternProperties": {"^[ab]$": {"type": ["number", "null"]}}}),
        json!({"enum": [0, "a", null, true, [1, 2], {"a": 1.0}]}),
        json!({"const": {"a": [1, "b"]}}),
        json!({"type": "array", "uniqueItems": true, "minItems": 1, "maxItems": 3, "contains": {"type": "string"}}),
        json!({"prefixItems": [{"type": "string"}, {"multipleOf": 0.5}], "items": {"exclusiveMaximum": 10}}),
        json!({"oneOf": [{"type": "string", "pattern": "^a+$"}, {"type": "number", "maximum": 2}, {"type": "object"}]}),
        json!({"if": {"required": ["a"]}, "then": {"minProperties": 2}, "else": {"maxProperties": 1}}),
        json!({"dependentRequired": {"a": ["b"]}, "not": {"required": ["ab"]}, "unevaluatedProperties": {"type": "integer"}}),
        json!({"$defs": {"tree": {"type": "object", "additionalProperties": {"$ref": "#/$defs/tree"}}}, "$ref": "#/$defs/tree"}),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..12).prop_map(Value::from),
        prop_oneof![Just(0.5), Just(1.0), Just(2.5), Just(1e300)].prop_map(Value::from),
        "[ab\"\\\\é]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[ab]{0,2}", inner.clone(), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
            prop::collection::btree_map("[a-c]{3}", inner, 0..27)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn it_is_judged_as_the_tree_that_owns_everything(value in any_value()) {
        let text = value.to_string();
        let instance = read(&text);
        prop_assert_eq!(instance.owned(), value.clone());
        prop_assert_eq!(Instance::from(&value).in_order(), instance.clone().in_order());
        for schema in schemas() {
            let owned: Validator<SerdeJson> = jsonschema::options().offline().build(&schema).unwrap();
            let borrowed = jsonschema::options_for::<Borrowed>().offline().build(&schema).unwrap();
            prop_assert_eq!(borrowed.is_valid(&instance), owned.is_valid(&value), "{} under {}", text, schema);
            let ordered = instance.clone().in_order();
            prop_assert_eq!(borrowed.is_valid(&ordered), owned.is_valid(&value));
        }
    }
}

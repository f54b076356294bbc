//! The constants of `abi` against the WIT, both ways.

use palyra_plugins_sdk::abi::{self, exports, host_capabilities, interfaces, operations};
use std::collections::{BTreeMap, BTreeSet};
use wit_parser::Resolve;

/// Full interface name → function names, as the WIT has them.
fn interfaces_of_the_wit() -> BTreeMap<String, BTreeSet<String>> {
    let mut resolve = Resolve::default();
    resolve.push_str("palyra-sdk.wit", abi::WIT).unwrap();
    resolve
        .interfaces
        .iter()
        .map(|(id, interface)| {
            let name = resolve.id_of(id).unwrap();
            (name, interface.functions.keys().cloned().collect())
        })
        .collect()
}

fn names<const N: usize>(list: [&str; N]) -> BTreeSet<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn interfaces_are_those_of_the_wit() {
    let ours: BTreeSet<String> =
        interfaces::IMPORTS.iter().chain(&interfaces::EXPORTS).map(|s| (*s).to_owned()).collect();
    assert_eq!(ours, interfaces_of_the_wit().into_keys().collect());
    assert_eq!(interfaces::TOOLS, format!("{}/tools@{}", abi::PACKAGE, abi::VERSION));
}

#[test]
fn functions_are_those_of_the_wit() {
    let wit = interfaces_of_the_wit();
    assert_eq!(names([exports::INVOKE]), wit[interfaces::TOOLS]);
    assert_eq!(names([exports::DESCRIBE]), wit[interfaces::DESCRIBE]);
    assert_eq!(names([exports::ON_EVENT]), wit[interfaces::HOOKS]);

    let mut tier_a = names(host_capabilities::COUNTS);
    tier_a.extend(names(host_capabilities::HANDLES));
    tier_a.extend(names([host_capabilities::FIND, host_capabilities::NAME]));
    assert_eq!(tier_a, wit[interfaces::HOST_CAPABILITIES]);
}

/// Counts and handles are separate functions in a core module. Everything else is an operation of `host-call`.
#[test]
fn operations_are_every_other_import() {
    let direct: Vec<&str> = host_capabilities::COUNTS.into_iter().chain(host_capabilities::HANDLES).collect();
    let mut expected = BTreeSet::new();
    for (interface, functions) in interfaces_of_the_wit() {
        if interfaces::EXPORTS.contains(&interface.as_str()) {
            continue;
        }
        let short = interface.split(['/', '@']).nth(1).unwrap().to_owned();
        let functions = functions.iter().filter(|function| !direct.contains(&function.as_str()));
        expected.extend(functions.map(|function| format!("{short}.{function}")));
    }
    assert_eq!(names(operations::ALL), expected);
}

//! A JSON value during validation. Strings are borrowed from the text and objects are not hashed.
//!
//! Each call validates two values, and building a tree that owns its strings costs more than all rules of a typical
//! schema.

mod read;

use std::borrow::Cow;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, Node, NodeIdentity, Object};
use serde_json::{Number, Value};

/// Objects with more members are sorted and searched by bisection.
const FEW: usize = 16;

/// A JSON value whose strings are borrowed from its text if they have no escapes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Instance<'a> {
    Null,
    Boolean(bool),
    Number(Number),
    Text(Cow<'a, str>),
    List(Vec<Self>),
    Object(Members<'a>),
}

/// The members of an object, each name once.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Members<'a>(Vec<Member<'a>>);

type Member<'a> = (Cow<'a, str>, Instance<'a>);

impl<'a> Members<'a> {
    /// Refuses duplicate names, and returns the first one: programs differ in which of the values they use, and a
    /// person who approves one value must not have approved another.
    fn new(members: Vec<Member<'a>>) -> Result<Self, Cow<'a, str>> {
        let twice = |at: usize, name: &str| members.iter().skip(at + 1).any(|(later, _)| later == name);
        if members.len() <= FEW {
            let twice = members.iter().enumerate().find(|(at, (name, _))| twice(*at, name));
            return match twice.map(|(_, (name, _))| name.clone()) {
                Some(name) => Err(name),
                None => Ok(Self(members)),
            };
        }
        let members = Self::in_order(members);
        let pairs = members.0.iter().zip(members.0.iter().skip(1));
        let mut twice = pairs.filter(|((name, _), (next, _))| name == next);
        match twice.next().map(|((name, _), _)| name.clone()) {
            Some(name) => Err(name),
            None => Ok(members),
        }
    }

    fn in_order(mut members: Vec<Member<'a>>) -> Self {
        members.sort_by(|(left, _), (right, _)| left.cmp(right));
        Self(members)
    }

    fn find(&self, name: &str) -> Option<&Instance<'a>> {
        let members = &self.0;
        if members.len() > FEW {
            let at = members.binary_search_by(|(found, _)| found.as_ref().cmp(name)).ok()?;
            return members.get(at).map(|(_, value)| value);
        }
        members.iter().find(|(found, _)| found == name).map(|(_, value)| value)
    }
}

impl Instance<'_> {
    /// Returns the same value with the members of all objects sorted by name.
    pub(super) fn in_order(self) -> Self {
        match self {
            Self::List(items) => Self::List(items.into_iter().map(Self::in_order).collect()),
            Self::Object(Members(members)) => {
                let members = members.into_iter().map(|(name, value)| (name, value.in_order()));
                Self::Object(Members::in_order(members.collect()))
            }
            other => other,
        }
    }

    /// Returns whether it equals a value, with numbers compared numerically; without a copy, because an `enum` compares
    /// with each of its values.
    fn is(&self, expected: &Value) -> bool {
        match (self, expected) {
            (Self::Null, Value::Null) => true,
            (Self::Boolean(found), Value::Bool(expected)) => found == expected,
            (Self::Number(_), Value::Number(_)) => jsonschema::json::cmp::equal(&self.owned(), expected),
            (Self::Text(found), Value::String(expected)) => found == expected,
            (Self::List(found), Value::Array(expected)) => {
                found.len() == expected.len()
                    && found.iter().zip(expected).all(|(found, expected)| found.is(expected))
            }
            (Self::Object(Members(found)), Value::Object(expected)) => {
                found.len() == expected.len()
                    && found.iter().all(|(name, found)| {
                        expected.get(name.as_ref()).is_some_and(|expected| found.is(expected))
                    })
            }
            _ => false,
        }
    }

    fn owned(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Boolean(boolean) => Value::Bool(*boolean),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone().into_owned()),
            Self::List(items) => items.iter().map(Instance::owned).collect(),
            Self::Object(Members(members)) => {
                members.iter().map(|(name, value)| (name.clone().into_owned(), value.owned())).collect()
            }
        }
    }
}

impl<'a> From<&'a Value> for Instance<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(boolean) => Self::Boolean(*boolean),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::Text(text.into()),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                let members = members.iter().map(|(name, value)| (name.into(), value.into()));
                // Each name is there once.
                Self::Object(Members::in_order(members.collect()))
            }
        }
    }
}

/// The representation, as the validator calls it.
pub(super) struct Borrowed;

impl Json for Borrowed {
    type Node<'a> = &'a Instance<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(Self::Node<'_>) -> T) -> T {
        f(&Instance::Text(string.into()))
    }
}

impl<'a> Node<'a, Borrowed> for &'a Instance<'a> {
    type Object = &'a Members<'a>;
    type Array = &'a [Instance<'a>];
    type Number = &'a Number;

    fn as_object(&self) -> Option<&'a Members<'a>> {
        match self {
            Instance::Object(members) => Some(members),
            _ => None,
        }
    }

    fn as_array(&self) -> Option<&'a [Instance<'a>]> {
        match self {
            Instance::List(items) => Some(items),
            _ => None,
        }
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self {
            Instance::Text(text) => Some(Cow::Borrowed(text)),
            _ => None,
        }
    }

    fn as_number(&self) -> Option<&'a Number> {
        match self {
            Instance::Number(number) => Some(number),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self {
            Instance::Boolean(boolean) => Some(*boolean),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self, Instance::Null)
    }

    fn json_type(&self) -> JsonType {
        match self {
            Instance::Null => JsonType::Null,
            Instance::Boolean(_) => JsonType::Boolean,
            Instance::Number(_) => JsonType::Number,
            Instance::Text(_) => JsonType::String,
            Instance::List(_) => JsonType::Array,
            Instance::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        self.is(expected)
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(self.owned())
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref::<Instance<'_>>(self) as usize))
    }
}

/// The members one by one.
pub(super) struct EachMember<'a>(std::slice::Iter<'a, Member<'a>>);

impl<'a> Iterator for EachMember<'a> {
    type Item = (&'a str, &'a Instance<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (name.as_ref(), value))
    }
}

impl<'a> Object<'a, Borrowed> for &'a Members<'a> {
    type Node = &'a Instance<'a>;
    type MemberName = &'a str;
    type MembersIter = EachMember<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, key: &String) -> Option<&'a Instance<'a>> {
        self.find(key)
    }

    fn members(&self) -> EachMember<'a> {
        EachMember(self.0.iter())
    }
}

impl<'a> Array<'a, Borrowed> for &'a [Instance<'a>] {
    type Node = &'a Instance<'a>;
    type ElementsIter = std::slice::Iter<'a, Instance<'a>>;

    fn len(&self) -> usize {
        <[Instance<'_>]>::len(self)
    }

    fn elements(&self) -> Self::ElementsIter {
        self.iter()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;

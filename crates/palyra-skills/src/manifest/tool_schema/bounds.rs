//! How often a schema can be applied to one value, counted without a value.
//!
//! A validator follows `$ref` and `allOf` wherever they lead. Two references per level double the work with
//! each level; a reference to itself never ends. Counting the ways to reach one place of a value, level by
//! level, finds both and leaves ordinary recursive schemas alone: `left` and `right` of a tree are two places.

use std::collections::HashMap;

use palyra_common::limits::MAX_JSON_DEPTH;
use serde_json::{Map, Value};

use super::SchemaProblem;
use crate::manifest::error::clip;

/// Most rules applied along one path of a value.
pub(super) const MAX_VISITS: u64 = 1_000;
const MAX_COUNTED: usize = 200_000;
const MAX_CHAIN: usize = 300;
const FORBIDDEN: [&str; 6] =
    ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"];

/// Refuses schemas that refer outside, loop or explode.
pub(super) fn check_bounds(root: &Value) -> Result<(), SchemaProblem> {
    let mut counter = Counter { root, counted: HashMap::new(), chain: 0 };
    counter.visits(root, "", MAX_JSON_DEPTH).map(|_| ())?;
    // Definitions nothing refers to are compiled by nobody, but are held to the same rules.
    for group in ["$defs", "definitions"] {
        for (name, schema) in root.get(group).and_then(Value::as_object).into_iter().flatten() {
            counter.visits(schema, &format!("/{group}/{}", clip(name)), MAX_JSON_DEPTH)?;
        }
    }
    Ok(())
}

struct Counter<'s> {
    root: &'s Value,
    /// By schema and remaining depth; `None` while it is being counted.
    counted: HashMap<(usize, usize), Option<u64>>,
    chain: usize,
}

impl<'s> Counter<'s> {
    fn visits(&mut self, schema: &'s Value, pointer: &str, depth: usize) -> Result<u64, SchemaProblem> {
        let Value::Object(keywords) = schema else { return Ok(1) };
        if depth == 0 {
            return Ok(1);
        }
        let key = (std::ptr::from_ref(schema).addr(), depth);
        match self.counted.get(&key) {
            Some(Some(visits)) => return Ok(*visits),
            Some(None) => return Err(SchemaProblem::Endless { pointer: pointer.to_owned() }),
            None => {}
        }
        if self.counted.len() >= MAX_COUNTED || self.chain >= MAX_CHAIN {
            return Err(SchemaProblem::TooMuchWork);
        }
        self.counted.insert(key, None);
        self.chain += 1;
        let visits = self.count(keywords, pointer, depth)?;
        self.chain -= 1;
        if visits > MAX_VISITS {
            return Err(SchemaProblem::TooMuchWork);
        }
        self.counted.insert(key, Some(visits));
        Ok(visits)
    }

    fn count(
        &mut self,
        keywords: &'s Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) -> Result<u64, SchemaProblem> {
        if let Some(keyword) = FORBIDDEN.iter().find(|keyword| keywords.contains_key(**keyword)) {
            return Err(SchemaProblem::Keyword {
                pointer: pointer.to_owned(),
                keyword: (*keyword).to_owned(),
            });
        }
        let same_value = self.on_the_same_value(keywords, pointer, depth)?;
        // What is "unevaluated" is found by applying the neighbours once more.
        let again =
            keywords.contains_key("unevaluatedProperties") || keywords.contains_key("unevaluatedItems");
        let same_value = if again { same_value.saturating_mul(2) } else { same_value };
        let object = self.on_a_member(keywords, pointer, depth - 1)?;
        let array = self.on_an_item(keywords, pointer, depth - 1)?;
        Ok(same_value.saturating_add(object.max(array)).saturating_add(1))
    }

    fn on_the_same_value(
        &mut self,
        keywords: &'s Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) -> Result<u64, SchemaProblem> {
        let mut sum = 0_u64;
        if let Some(target) = keywords.get("$ref") {
            let (target, place) = self.resolve(target, pointer)?;
            sum = sum.saturating_add(self.visits(target, &place, depth)?);
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for (index, schema) in list(keywords, keyword).enumerate() {
                let place = format!("{pointer}/{keyword}/{index}");
                sum = sum.saturating_add(self.visits(schema, &place, depth)?);
            }
        }
        for (name, schema) in members(keywords, "dependentSchemas") {
            let place = format!("{pointer}/dependentSchemas/{}", clip(name));
            sum = sum.saturating_add(self.visits(schema, &place, depth)?);
        }
        for keyword in ["not", "if", "then", "else"] {
            sum = sum.saturating_add(self.single(keywords, keyword, pointer, depth)?);
        }
        Ok(sum)
    }

    fn on_a_member(
        &mut self,
        keywords: &'s Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) -> Result<u64, SchemaProblem> {
        let mut named = 0;
        for (name, schema) in members(keywords, "properties") {
            let place = format!("{pointer}/properties/{}", clip(name));
            named = named.max(self.visits(schema, &place, depth)?);
        }
        let mut sum: u64 = named;
        for (name, schema) in members(keywords, "patternProperties") {
            let place = format!("{pointer}/patternProperties/{}", clip(name));
            sum = sum.saturating_add(self.visits(schema, &place, depth)?);
        }
        for keyword in ["additionalProperties", "unevaluatedProperties", "propertyNames"] {
            sum = sum.saturating_add(self.single(keywords, keyword, pointer, depth)?);
        }
        Ok(sum)
    }

    fn on_an_item(
        &mut self,
        keywords: &'s Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) -> Result<u64, SchemaProblem> {
        let mut placed = 0;
        for (index, schema) in list(keywords, "prefixItems").enumerate() {
            placed = placed.max(self.visits(schema, &format!("{pointer}/prefixItems/{index}"), depth)?);
        }
        let mut sum: u64 = placed;
        for keyword in ["items", "contains", "unevaluatedItems"] {
            sum = sum.saturating_add(self.single(keywords, keyword, pointer, depth)?);
        }
        Ok(sum)
    }

    fn single(
        &mut self,
        keywords: &'s Map<String, Value>,
        keyword: &str,
        pointer: &str,
        depth: usize,
    ) -> Result<u64, SchemaProblem> {
        match keywords.get(keyword) {
            Some(schema) => self.visits(schema, &format!("{pointer}/{keyword}"), depth),
            None => Ok(0),
        }
    }

    fn resolve(&self, target: &Value, pointer: &str) -> Result<(&'s Value, String), SchemaProblem> {
        let refuse = || SchemaProblem::Reference {
            pointer: pointer.to_owned(),
            target: clip(target.as_str().unwrap_or_default()),
        };
        let inside = target.as_str().and_then(|text| text.strip_prefix('#')).ok_or_else(refuse)?;
        if inside.contains('%') {
            return Err(refuse());
        }
        let schema = self.root.pointer(inside).ok_or_else(refuse)?;
        Ok((schema, clip(inside)))
    }
}

fn list<'s>(keywords: &'s Map<String, Value>, keyword: &str) -> impl Iterator<Item = &'s Value> {
    keywords.get(keyword).and_then(Value::as_array).into_iter().flatten()
}

fn members<'s>(
    keywords: &'s Map<String, Value>,
    keyword: &str,
) -> impl Iterator<Item = (&'s String, &'s Value)> {
    keywords.get(keyword).and_then(Value::as_object).into_iter().flatten()
}

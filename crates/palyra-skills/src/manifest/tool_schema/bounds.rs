//! Bounds on how often a schema is applied to one value and on its cost, counted without a value.
//!
//! A validator follows every `$ref` and `allOf`. Two references per level double the work with
//! each level; a reference to itself never ends. Counting the ways to reach one position of a value, level by
//! level, finds both and accepts ordinary recursive schemas: `left` and `right` of a tree are two positions.

use std::collections::HashMap;

use palyra_common::limits::MAX_JSON_DEPTH;
use serde_json::{Map, Value};

use super::SchemaProblem;
use super::work::{PatternCosts, SchemaCost};
use crate::manifest::error::clip;

/// Maximum rules applied along one path of a value.
pub(super) const MAX_VISITS: u64 = 1_000;
const MAX_COUNTED: usize = 200_000;
const MAX_CHAIN: usize = 300;
const FORBIDDEN: [&str; 6] =
    ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"];

/// Refuses schemas with outside references, loops or exponential cost, and returns the cost of the others.
pub(super) fn check_bounds(root: &Value) -> Result<SchemaCost, SchemaProblem> {
    let patterns = PatternCosts::default();
    let mut counter = Counter { root, counted: HashMap::new(), chain: 0, patterns };
    let cost = counter.cost(root, "", MAX_JSON_DEPTH)?;
    // Unused definitions are not compiled, but the same rules apply.
    for group in ["$defs", "definitions"] {
        for (name, schema) in root.get(group).and_then(Value::as_object).into_iter().flatten() {
            counter.cost(schema, &format!("/{group}/{}", clip(name)), MAX_JSON_DEPTH)?;
        }
    }
    Ok(cost)
}

struct Counter<'s> {
    root: &'s Value,
    /// By schema and remaining depth; `None` while it is being counted.
    counted: HashMap<(usize, usize), Option<SchemaCost>>,
    chain: usize,
    patterns: PatternCosts,
}

impl<'s> Counter<'s> {
    fn cost(&mut self, schema: &'s Value, pointer: &str, depth: usize) -> Result<SchemaCost, SchemaProblem> {
        let Value::Object(keywords) = schema else { return Ok(SchemaCost::ONE) };
        if depth == 0 {
            return Ok(SchemaCost::ONE);
        }
        let key = (std::ptr::from_ref(schema).addr(), depth);
        match self.counted.get(&key) {
            Some(Some(cost)) => return Ok(*cost),
            Some(None) => return Err(SchemaProblem::Endless { pointer: pointer.to_owned() }),
            None => {}
        }
        if self.counted.len() >= MAX_COUNTED || self.chain >= MAX_CHAIN {
            return Err(SchemaProblem::TooMuchWork);
        }
        self.counted.insert(key, None);
        self.chain += 1;
        let cost = self.count(keywords, pointer, depth)?;
        self.chain -= 1;
        if cost.visits > MAX_VISITS {
            return Err(SchemaProblem::TooMuchWork);
        }
        self.counted.insert(key, Some(cost));
        Ok(cost)
    }

    fn count(
        &mut self,
        keywords: &'s Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) -> Result<SchemaCost, SchemaProblem> {
        if let Some(keyword) = FORBIDDEN.iter().find(|keyword| keywords.contains_key(**keyword)) {
            return Err(SchemaProblem::Keyword {
                pointer: pointer.to_owned(),
                keyword: (*keyword).to_owned(),
            });
        }
        let same_value = self.on_the_same_value(keywords, pointer, depth)?;
        // `unevaluated…` keywords apply the neighbours a second time.
        let again =
            keywords.contains_key("unevaluatedProperties") || keywords.contains_key("unevaluatedItems");
        let same_value = if again { same_value.plus(same_value) } else { same_value };
        let object = self.on_a_member(keywords, pointer, depth - 1)?;
        let array = self.on_an_item(keywords, pointer, depth - 1)?;
        let own = SchemaCost::of_keywords(keywords, &mut self.patterns)?;
        Ok(same_value.plus(object.max(array)).plus(own))
    }

    fn on_the_same_value(
        &mut self,
        keywords: &'s Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) -> Result<SchemaCost, SchemaProblem> {
        let mut sum = SchemaCost::NONE;
        if let Some(target) = keywords.get("$ref") {
            let (target, place) = self.resolve(target, pointer)?;
            sum = sum.plus(self.cost(target, &place, depth)?);
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for (index, schema) in list(keywords, keyword).enumerate() {
                let place = format!("{pointer}/{keyword}/{index}");
                sum = sum.plus(self.cost(schema, &place, depth)?);
            }
        }
        for (name, schema) in members(keywords, "dependentSchemas") {
            let place = format!("{pointer}/dependentSchemas/{}", clip(name));
            sum = sum.plus(self.cost(schema, &place, depth)?);
        }
        for keyword in ["not", "if", "then", "else"] {
            sum = sum.plus(self.single(keywords, keyword, pointer, depth)?);
        }
        Ok(sum)
    }

    fn on_a_member(
        &mut self,
        keywords: &'s Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) -> Result<SchemaCost, SchemaProblem> {
        let mut named = SchemaCost::NONE;
        for (name, schema) in members(keywords, "properties") {
            let place = format!("{pointer}/properties/{}", clip(name));
            named = named.max(self.cost(schema, &place, depth)?);
        }
        let mut sum = named;
        for (name, schema) in members(keywords, "patternProperties") {
            let place = format!("{pointer}/patternProperties/{}", clip(name));
            sum = sum.plus(self.cost(schema, &place, depth)?);
        }
        for keyword in ["additionalProperties", "unevaluatedProperties", "propertyNames"] {
            sum = sum.plus(self.single(keywords, keyword, pointer, depth)?);
        }
        Ok(sum)
    }

    fn on_an_item(
        &mut self,
        keywords: &'s Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) -> Result<SchemaCost, SchemaProblem> {
        let mut placed = SchemaCost::NONE;
        for (index, schema) in list(keywords, "prefixItems").enumerate() {
            placed = placed.max(self.cost(schema, &format!("{pointer}/prefixItems/{index}"), depth)?);
        }
        let mut sum = placed;
        for keyword in ["items", "contains", "unevaluatedItems"] {
            sum = sum.plus(self.single(keywords, keyword, pointer, depth)?);
        }
        Ok(sum)
    }

    fn single(
        &mut self,
        keywords: &'s Map<String, Value>,
        keyword: &str,
        pointer: &str,
        depth: usize,
    ) -> Result<SchemaCost, SchemaProblem> {
        match keywords.get(keyword) {
            Some(schema) => self.cost(schema, &format!("{pointer}/{keyword}"), depth),
            None => Ok(SchemaCost::NONE),
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

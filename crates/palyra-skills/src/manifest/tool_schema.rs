//! JSON Schema 2020-12 of a tool's input and output: self-contained, bounded, compiled.
//!
//! A schema is untrusted and is applied to every value of every call. It can refer only to itself, its patterns run on
//! an engine without backtracking, and its cost is bounded before it is used.

mod bounds;
mod instance;
mod work;

use jsonschema::{Draft, PatternOptions, Validator};
use palyra_common::{InOrder, JsonText};
use serde_json::Value;

use bounds::check_bounds;
use instance::{Borrowed, Instance};
use work::{SchemaCost, count_values};

/// Maximum size of a schema as JSON, in bytes.
pub const MAX_SCHEMA_BYTES: usize = 128 << 10;
const DRAFT_URI: &str = "https://json-schema.org/draft/2020-12/schema";
const MAX_PATTERN_BYTES: usize = 1 << 20;
/// Maximum size of the lazy DFA that a pattern fills while it matches and keeps afterwards, in bytes.
const MAX_PATTERN_TABLE_BYTES: usize = 128 << 10;
/// Maximum number of value copies made while locating a mismatch.
const MAX_EXPLAINED_COPIES: u64 = 100_000;
/// Maximum number of steps for checking one example of a manifest.
const MAX_EXAMPLE_STEPS: u64 = 1 << 20;

/// A compiled schema that is safe to apply to untrusted values.
#[derive(Debug, Clone)]
pub struct ToolSchema {
    validator: std::sync::Arc<Validator<Borrowed>>,
    cost: SchemaCost,
}

/// A value that does not match its schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at `{pointer}`: {reason}")]
pub struct SchemaMismatch {
    /// JSON pointer into the value; `/` for the whole value.
    pub pointer: String,
    /// The violated rule, without the value itself.
    pub reason: String,
}

/// The reason why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum SchemaProblem {
    /// The schema is not a table, or the input schema is not of type `object`.
    #[error("the schema lacks `type = \"object\"`")]
    NotAnObject,
    /// The schema is longer than [`MAX_SCHEMA_BYTES`].
    #[error("the schema has {bytes} bytes")]
    TooLarge { bytes: usize },
    /// `$schema` names another dialect.
    #[error("the schema uses the dialect `{found}`")]
    Dialect { found: String },
    /// A keyword such as `$id` would make the schema depend on its surroundings.
    #[error("`{pointer}` uses `{keyword}`")]
    Keyword { pointer: String, keyword: String },
    /// A reference points out of the schema, or to a missing definition.
    #[error("`{pointer}` refers to `{target}`")]
    Reference { pointer: String, target: String },
    /// A reference leads back to itself on the same value, so validation would not end.
    #[error("`{pointer}` refers to itself without descending into the value")]
    Endless { pointer: String },
    /// The schema applies too many rules to one value.
    #[error("the schema applies more than {} rules to one value", bounds::MAX_VISITS)]
    TooMuchWork,
    /// The patterns of the schema would need too much memory.
    #[error(
        "the schema has more than {} patterns, or they match more than {} characters together",
        work::MAX_PATTERNS,
        work::MAX_PATTERN_POSITIONS
    )]
    Patterns,
    /// The schema is not valid JSON Schema 2020-12.
    #[error("`{pointer}` is not valid: {reason}")]
    Invalid { pointer: String, reason: String },
    /// An example does not match the input schema.
    #[error("example {number} does not match the input schema {mismatch}")]
    Example { number: usize, mismatch: SchemaMismatch },
}

impl ToolSchema {
    /// Checks and compiles a schema.
    ///
    /// # Errors
    /// The schema is too long, uses another dialect, refers out of itself, or exceeds a bound.
    pub fn compile(schema: &Value) -> Result<Self, SchemaProblem> {
        let bytes = schema.to_string().len();
        if bytes > MAX_SCHEMA_BYTES {
            return Err(SchemaProblem::TooLarge { bytes });
        }
        check_dialect(schema)?;
        let cost = check_bounds(schema)?;
        let patterns =
            PatternOptions::regex().size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_PATTERN_TABLE_BYTES);
        let options = jsonschema::options_for::<Borrowed>()
            .with_draft(Draft::Draft202012)
            .with_pattern_options(patterns)
            .offline();
        let validator = options.build(schema).map_err(|error| SchemaProblem::Invalid {
            pointer: whole(error.instance_path().as_str()),
            reason: super::error::clip(&error.to_string()),
        })?;
        Ok(Self { validator: validator.into(), cost })
    }

    /// Compiles the schema of an input, which must have `type = "object"`.
    pub fn compile_input(schema: &Value) -> Result<Self, SchemaProblem> {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(SchemaProblem::NotAnObject);
        }
        Self::compile(schema)
    }

    /// Checks an example of a manifest.
    ///
    /// # Errors
    /// The first mismatch, or that checking takes too many steps.
    pub fn check(&self, value: &Value) -> Result<(), SchemaMismatch> {
        let text = value.to_string();
        let steps = self.cost.steps(count_values(&text), text.len() as u64);
        if steps > MAX_EXAMPLE_STEPS {
            let reason = format!("checking it takes {steps} steps, more than {MAX_EXAMPLE_STEPS}");
            return Err(SchemaMismatch { pointer: whole(""), reason });
        }
        self.judge(value.into(), count_values(&text))
    }

    /// Returns an upper bound of the steps of [`Self::check_text`], computed from the length of the text only.
    pub fn steps_by_length(&self, text: &JsonText) -> u64 {
        let bytes = text.as_str().len() as u64;
        self.cost.steps(bytes / 2 + 1, bytes)
    }

    /// Returns an upper bound of the steps of [`Self::check_text`]. Reads the text once.
    pub fn steps(&self, text: &JsonText) -> u64 {
        self.cost.steps(count_values(text.as_str()), text.as_str().len() as u64)
    }

    /// Checks a value in its JSON text. Validation cannot be interrupted, so callers check [`Self::steps`] first.
    pub fn check_text(&self, text: &JsonText) -> Result<(), SchemaMismatch> {
        let read = serde_json::from_str(text.as_str());
        let unreadable =
            |error: serde_json::Error| SchemaMismatch { pointer: whole(""), reason: error.to_string() };
        self.judge(read.map_err(unreadable)?, text.as_str().len() as u64 / 2 + 1)
    }

    fn judge(&self, value: Instance<'_>, values: u64) -> Result<(), SchemaMismatch> {
        if self.validator.is_valid(&value) {
            return Ok(());
        }
        // While the validator explains a mismatch, each alternative of a schema keeps a copy of the rejected value.
        if self.cost.visits.saturating_mul(values) > MAX_EXPLAINED_COPIES {
            return Err(SchemaMismatch {
                pointer: whole(""),
                reason: "it does not match the schema".to_owned(),
            });
        }
        // The reported position must not depend on the order of object members.
        self.validator.validate(&value.in_order()).map_err(|error| SchemaMismatch {
            pointer: whole(error.instance_path().as_str()),
            reason: super::error::clip(&error.masked().to_string()),
        })
    }
}

impl SchemaProblem {
    /// Returns a description of the expected schema.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Self::NotAnObject => "a JSON Schema of an object".to_owned(),
            Self::TooLarge { .. } => format!("a schema of at most {MAX_SCHEMA_BYTES} bytes as JSON"),
            Self::Dialect { .. } => format!("`{DRAFT_URI}`, or no `$schema`"),
            Self::Keyword { .. } | Self::Reference { .. } => {
                "references within the schema, such as `#/$defs/item`".to_owned()
            }
            Self::Endless { .. } => "a reference that terminates".to_owned(),
            Self::TooMuchWork => "a schema whose cost is linear in the value".to_owned(),
            Self::Patterns => "fewer or shorter patterns".to_owned(),
            Self::Invalid { .. } => "JSON Schema 2020-12".to_owned(),
            Self::Example { .. } => "an input that the tool accepts".to_owned(),
        }
    }

    /// Returns a suggested fix, if there is one.
    #[must_use]
    pub fn fix(&self) -> Option<String> {
        Some(match self {
            Self::NotAnObject => "add `type = \"object\"` and list the inputs under `properties`".to_owned(),
            Self::Keyword { keyword, .. } => format!("remove `{keyword}`"),
            Self::Reference { .. } => "copy the schema into `$defs` and refer to it there".to_owned(),
            Self::Endless { .. } => "remove the reference".to_owned(),
            Self::TooMuchWork => "combine fewer schemas with `allOf`, `anyOf`, `oneOf` and `$ref`".to_owned(),
            Self::Patterns => "use `minLength` and `maxLength` instead of `{n,m}` in patterns".to_owned(),
            Self::Example { .. } => "correct the example or the schema".to_owned(),
            Self::TooLarge { .. } | Self::Dialect { .. } | Self::Invalid { .. } => return None,
        })
    }
}

fn check_dialect(schema: &Value) -> Result<(), SchemaProblem> {
    match schema.get("$schema") {
        None => Ok(()),
        Some(Value::String(uri)) if uri.trim_end_matches('#') == DRAFT_URI => Ok(()),
        Some(other) => Err(SchemaProblem::Dialect { found: super::error::clip(&InOrder(other).to_string()) }),
    }
}

fn whole(pointer: &str) -> String {
    if pointer.is_empty() { "/".to_owned() } else { super::error::clip(pointer) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn honest_schemas_compile() {
        for schema in [
            json!({"type": "object"}),
            json!({"$schema": DRAFT_URI, "type": "object", "properties": {"a": {"type": "string", "pattern": "^a+$"}}}),
            json!({"type": "object", "$defs": {"tree": {"properties": {
                "left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"},
                "rest": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}, "$ref": "#/$defs/tree"}),
            json!({"type": "object", "properties": {"$ref": {"type": "string"}, "$id": {"type": "integer"}}}),
            json!({"type": "object", "default": {"$id": "x"}, "enum": [{"$ref": "http://x.example"}]}),
        ] {
            ToolSchema::compile_input(&schema).unwrap_or_else(|problem| panic!("{schema}: {problem}"));
        }
    }

    #[test]
    fn schemas_that_reach_out_loop_or_explode_are_refused() {
        let doubling = |levels: usize| {
            let definitions: serde_json::Map<String, Value> = (0..levels)
                .map(|n| {
                    let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
                    (format!("d{n}"), json!({"allOf": [next, next]}))
                })
                .chain([(format!("d{levels}"), json!(true))])
                .collect();
            json!({"type": "object", "$defs": definitions, "$ref": "#/$defs/d0"})
        };
        let chain: serde_json::Map<String, Value> =
            (0..2_000).map(|n| (format!("c{n}"), json!({"$ref": format!("#/$defs/c{}", n + 1)}))).collect();
        for schema in [
            json!({"type": "string"}),
            json!({"type": "object", "$id": "https://a.example/x"}),
            json!({"type": "object", "properties": {"a": {"$ref": "https://a.example/x"}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}),
            json!({"type": "object", "properties": {"a": {"$dynamicRef": "#x"}}}),
            json!({"type": "object", "$ref": "#"}),
            json!({"type": "object", "allOf": [{"anyOf": [{"$ref": "#"}]}]}),
            json!({"type": "object", "properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "#"}}, "patternProperties": {"": {"$ref": "#"}}}),
            doubling(40),
            json!({"type": "object", "$defs": chain, "$ref": "#/$defs/c0"}),
            json!({"type": "object", "properties": {"a": {"pattern": "(?=x)"}}}),
            json!({"type": "object", "properties": {"a": {"pattern": "((a{1000}){1000}){1000}"}}}),
            json!({"type": "object", "properties": {"a": {"type": "text"}}}),
            json!({"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"}),
            json!({"type": "object", "description": "x".repeat(MAX_SCHEMA_BYTES)}),
        ] {
            let text = schema.to_string();
            let problem = ToolSchema::compile_input(&schema).err();
            assert!(problem.is_some(), "{}", text.get(..200).unwrap_or(&text));
            assert!(!problem.unwrap().expected().is_empty());
        }
    }

    #[test]
    fn steps_grow_with_rules_values_and_patterns() {
        let text = |value: &Value| JsonText::from(value);
        let many = text(&json!(vec![1; 10_000]));
        let plain = ToolSchema::compile(&json!({"items": {"type": "integer"}})).unwrap();
        let alternatives: Vec<Value> = (2..902).map(|n| json!({"multipleOf": n})).collect();
        let costly = ToolSchema::compile(&json!({"items": {"anyOf": alternatives}})).unwrap();
        assert!(plain.steps(&many) <= plain.steps_by_length(&many));
        assert!(costly.steps(&many) > 10 * plain.steps(&many));
        assert!(costly.steps(&many) > 900 * 10_000);
        let names: Vec<String> = (0..2_000).map(|n| format!("n{n}")).collect();
        let listed = ToolSchema::compile(&json!({"items": {"enum": names}})).unwrap();
        assert!(listed.steps(&many) > 2_000 * 10_000);
        let long = text(&json!("a".repeat(10_000)));
        let repeated = ToolSchema::compile(&json!({"pattern": "[ab]*a[ab]{400}"})).unwrap();
        assert!(repeated.steps(&long) > 100 * 10_000 && plain.steps(&long) < 10_000);
    }

    #[test]
    fn schemas_with_too_many_patterns_are_refused() {
        let patterns = |count: usize, text: &str| {
            let any: Vec<Value> = (0..count).map(|n| json!({"pattern": format!("{text}{n}")})).collect();
            ToolSchema::compile(&json!({"anyOf": any})).err()
        };
        assert_eq!(patterns(200, "a"), None);
        assert_eq!(patterns(300, "a"), Some(SchemaProblem::Patterns));
        assert_eq!(patterns(20, "[ab]{1000}"), Some(SchemaProblem::Patterns));
    }

    #[test]
    fn large_mismatches_are_refused_without_copies_of_the_value() {
        let alternatives: Vec<Value> = (2..902).map(|n| json!({"type": "string", "minLength": n})).collect();
        let schema = ToolSchema::compile(&json!({"anyOf": alternatives})).unwrap();
        let mismatch = schema.check_text(&JsonText::from(&json!(vec![1; 30_000]))).unwrap_err();
        assert_eq!(mismatch.reason, "it does not match the schema");
    }

    #[test]
    fn a_mismatch_names_the_place_and_not_the_value() {
        let schema = ToolSchema::compile(&json!({"properties": {"a": {"type": "integer"}}})).unwrap();
        assert_eq!(schema.check(&json!({"a": 1})), Ok(()));
        let mismatch = schema.check(&json!({"a": "hunter2"})).unwrap_err();
        assert_eq!(mismatch.pointer, "/a");
        assert!(!mismatch.reason.contains("hunter2"), "{mismatch}");
    }
}

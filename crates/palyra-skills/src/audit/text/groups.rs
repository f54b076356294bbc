//! Groups of texts that a model reads together. The values of a list, the keys of an object or all texts of a tool
//! form one group, so an instruction that is split over several values is still detected.

use serde_json::Value;

use crate::manifest::{SkillManifest, ToolEntrypoint};

/// Keywords of JSON Schema. They are structure and not text, so they do not separate the texts around them.
const SCHEMA_KEYWORDS: [&str; 44] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "array",
    "boolean",
    "const",
    "contains",
    "default",
    "dependentRequired",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "integer",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "null",
    "number",
    "object",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "required",
    "string",
    "then",
    "title",
    "type",
];

/// Texts in reading order, with the JSON pointer of their position.
pub(super) struct Group<'m> {
    pub(super) pointer: String,
    pub(super) texts: Vec<&'m str>,
}

/// The groups of one part of a manifest, ending with the group of all texts of the part.
pub(super) type Part<'m> = Vec<Group<'m>>;

/// Returns the groups of the skill's own texts, then those of each tool.
pub(super) fn parts(manifest: &SkillManifest) -> impl Iterator<Item = Part<'_>> {
    std::iter::once(of_skill(manifest)).chain(manifest.entrypoints.tools.iter().map(of_tool))
}

fn of_skill<'m>(manifest: &'m SkillManifest) -> Part<'m> {
    let lists = [("/categories", &manifest.categories), ("/tags", &manifest.tags)];
    let group = |(pointer, words): (&str, &'m Vec<String>)| Group {
        pointer: pointer.to_owned(),
        texts: words.iter().map(String::as_str).collect(),
    };
    let mut part: Part<'m> = lists.into_iter().map(group).collect();
    let own = [Some(&manifest.name), manifest.summary.as_ref(), manifest.description.as_ref()];
    let own = own.into_iter().flatten().map(String::as_str);
    let lists = part.iter().flat_map(|group| group.texts.iter().copied());
    let texts = own.chain(lists).collect();
    part.push(Group { pointer: "/".to_owned(), texts });
    part
}

fn of_tool(tool: &ToolEntrypoint) -> Part<'_> {
    let at = |key: &str| format!("/tools/{}/{key}", tool.id);
    let mut walk = Walk { part: Vec::new(), texts: vec![&tool.id, &tool.name, &tool.description] };
    walk.visit(&mut at("input_schema"), &tool.input_schema);
    walk.visit(&mut at("output_schema"), &tool.output_schema);
    for (index, example) in tool.examples.iter().enumerate() {
        walk.visit(&mut at(&format!("examples/{index}")), example);
    }
    let Walk { mut part, texts } = walk;
    part.push(Group { pointer: format!("/tools/{}", tool.id), texts });
    part
}

struct Walk<'m> {
    part: Part<'m>,
    texts: Vec<&'m str>,
}

impl<'m> Walk<'m> {
    /// Visits a JSON value. The manifest parser bounds the depth.
    fn visit(&mut self, pointer: &mut String, value: &'m Value) {
        let length = pointer.len();
        match value {
            Value::String(text) => self.add(text),
            Value::Array(items) => {
                self.group(pointer, items.iter().filter_map(Value::as_str).collect());
                for (index, item) in items.iter().enumerate() {
                    pointer.push_str(&format!("/{index}"));
                    self.visit(pointer, item);
                    pointer.truncate(length);
                }
            }
            Value::Object(members) => {
                self.group(pointer, members.keys().map(String::as_str).collect());
                for (name, member) in members {
                    self.add(name);
                    pointer.push('/');
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                    self.visit(pointer, member);
                    pointer.truncate(length);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn group(&mut self, pointer: &str, texts: Vec<&'m str>) {
        if texts.len() > 1 {
            self.part.push(Group { pointer: pointer.to_owned(), texts });
        }
    }

    fn add(&mut self, text: &'m str) {
        if SCHEMA_KEYWORDS.binary_search(&text).is_err() {
            self.texts.push(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_keywords_are_sorted() {
        assert!(SCHEMA_KEYWORDS.is_sorted());
    }
}

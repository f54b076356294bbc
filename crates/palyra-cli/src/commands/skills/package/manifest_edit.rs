//! Writes the descriptions of components into `skill.toml`, preserving comments and order.

use crate::error::CliError;
use palyra_skills::{DescribeDifference, DescribeProblem};
use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

#[derive(Debug)]
pub(in crate::commands::skills) struct Edited {
    pub(in crate::commands::skills) text: String,
    /// Descriptions of the changes.
    pub(in crate::commands::skills) changes: Vec<String>,
}

/// Applies every difference for which the component has a value.
pub(in crate::commands::skills) fn with_descriptions(
    text: &str,
    differences: &[DescribeDifference],
) -> Result<Edited, CliError> {
    let mut document: DocumentMut =
        text.parse().map_err(|error| CliError::usage(format!("cannot edit skill.toml: {error}")))?;
    let mut changes = Vec::new();
    for difference in differences {
        let id = &difference.id;
        match &difference.what {
            DescribeProblem::Field { field, described, .. } => {
                let list = if *field == "events" { "hooks" } else { "tools" };
                let Some(entry) = find(&mut document, list, id) else { continue };
                set(entry, field, described)?;
                changes.push(format!("`{field}` of `{id}` replaced"));
            }
            DescribeProblem::NotInManifest { described } => {
                let mut entry = Table::new();
                entry.insert("id", value(id));
                entry.insert("name", value(id.rsplit('.').next().unwrap_or(id)));
                entry.insert("description", value(described.description.as_deref().unwrap_or_default()));
                entry.insert("module", value(&difference.module));
                for (field, schema) in
                    [("input_schema", &described.input_schema), ("output_schema", &described.output_schema)]
                {
                    let any = Json::Object(serde_json::Map::new());
                    entry.insert(field, Item::Value(to_toml(schema.as_ref().unwrap_or(&any), field)?));
                }
                if add(&mut document, entry) {
                    changes.push(format!("tool `{id}` added"));
                }
            }
            DescribeProblem::Duplicate
            | DescribeProblem::HookNotInManifest
            | DescribeProblem::NotDescribed => {}
        }
    }
    Ok(Edited { text: document.to_string(), changes })
}

/// Returns the tool or hook with an id.
fn find<'d>(document: &'d mut DocumentMut, list: &str, id: &str) -> Option<&'d mut dyn TableLike> {
    let has_id = |entry: &dyn TableLike| entry.get("id").and_then(Item::as_str) == Some(id);
    match document.get_mut("entrypoints")?.get_mut(list)? {
        Item::ArrayOfTables(tables) => {
            let found = tables.iter_mut().find(|table| has_id(*table));
            found.map(|table| table as &mut dyn TableLike)
        }
        Item::Value(Value::Array(items)) => {
            let tables = items.iter_mut().filter_map(Value::as_inline_table_mut);
            let found = tables.into_iter().find(|table| has_id(*table));
            found.map(|table| table as &mut dyn TableLike)
        }
        _ => None,
    }
}

/// Adds a tool; returns false if the manifest lists its tools in a form that cannot be extended.
fn add(document: &mut DocumentMut, entry: Table) -> bool {
    let Some(entrypoints) = document.entry("entrypoints").or_insert(Item::Table(Table::new())).as_table_mut()
    else {
        return false;
    };
    let tools = entrypoints.entry("tools").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let Item::ArrayOfTables(tools) = tools else { return false };
    tools.push(entry);
    true
}

/// Replaces a value; a table in its own section keeps that form.
fn set(entry: &mut dyn TableLike, field: &str, described: &Json) -> Result<(), CliError> {
    match (entry.get_mut(field), described) {
        (Some(Item::Table(table)), Json::Object(fields)) => {
            table.clear();
            for (key, field_value) in fields {
                table.insert(key, Item::Value(to_toml(field_value, field)?));
            }
        }
        _ => drop(entry.insert(field, Item::Value(to_toml(described, field)?))),
    }
    Ok(())
}

fn to_toml(json: &Json, field: &str) -> Result<Value, CliError> {
    let cannot =
        |what: &str| CliError::usage(format!("cannot write `{field}` to skill.toml: TOML has no {what}"));
    Ok(match json {
        Json::Null => return Err(cannot("null")),
        Json::Bool(flag) => (*flag).into(),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => number.into(),
            (None, Some(number)) if !json.is_u64() => number.into(),
            _ => return Err(cannot("numbers of more than 63 bits")),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => {
            let items: Result<Vec<Value>, CliError> = items.iter().map(|item| to_toml(item, field)).collect();
            Array::from_iter(items?).into()
        }
        Json::Object(fields) => {
            let mut table = InlineTable::new();
            for (key, field_value) in fields {
                table.insert(key, to_toml(field_value, field)?);
            }
            table.into()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn differs(field: &'static str, described: Json) -> DescribeDifference {
        let what = DescribeProblem::Field { field, manifest: Json::Null, described };
        DescribeDifference { module: "modules/a.wasm".into(), id: "acme.a.add".into(), what }
    }

    #[test]
    fn fields_are_replaced_and_comments_stay() {
        let text = "# mine\n[[entrypoints.tools]]\nid = \"acme.a.add\" # this one\n\
            description = \"old\"\n\n[entrypoints.tools.input_schema]\ntype = \"array\"\n\n[compat]\nx = 1\n";
        let edited = with_descriptions(
            text,
            &[
                differs("description", json!("new")),
                differs("input_schema", json!({"type": "object", "properties": {"n": {"type": "integer"}}})),
                differs("output_schema", json!({"type": "string"})),
            ],
        )
        .unwrap();
        insta::assert_snapshot!(edited.text);
        assert_eq!(edited.changes.len(), 3);
        let null = with_descriptions(text, &[differs("input_schema", json!({"const": null}))]);
        assert!(null.unwrap_err().to_string().contains("TOML has no null"));
    }
}

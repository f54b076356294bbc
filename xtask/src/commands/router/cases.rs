//! The cases of the benchmark package: a sentence, the offered tools, and the right call.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use palyra_router::ToolText;
use serde_json::Value;

/// One case of the benchmark.
pub(super) struct Case {
    pub(super) sentence: String,
    pub(super) tools: Vec<Tool>,
    /// Name of the right tool.
    pub(super) right: String,
    /// Accepted values of each of its arguments.
    pub(super) answer: Value,
}

/// A tool with its JSON Schema.
#[derive(Clone)]
pub(super) struct Tool {
    pub(super) name: String,
    description: String,
    pub(super) schema: Value,
}

impl Tool {
    pub(super) fn text(&self) -> ToolText<'_> {
        ToolText {
            id: &self.name,
            name: "",
            description: &self.description,
            input_schema: &self.schema,
            examples: &[],
        }
    }
}

/// Returns every tool of the cases once, by name.
pub(super) fn distinct_tools(cases: &[Case]) -> Vec<Tool> {
    let mut names = BTreeSet::new();
    let tools = cases.iter().flat_map(|case| &case.tools);
    tools.filter(|tool| names.insert(tool.name.clone())).cloned().collect()
}

pub(super) fn read(folder: &Path, slice: &str) -> Result<Vec<Case>> {
    let data = format!("bfcl_eval/data/BFCL_v4_{slice}.json");
    let questions = lines(folder, &data)?;
    let answers = lines(folder, &data.replace("data/", "data/possible_answer/"))?;
    let answers: BTreeMap<&str, &Value> = answers
        .iter()
        .filter_map(|line| Some((line["id"].as_str()?, line.pointer("/ground_truth/0")?)))
        .collect();
    let case = |line: &Value| {
        let (right, answer) = answers.get(line["id"].as_str()?)?.as_object()?.iter().next()?;
        let messages = line.pointer("/question/0")?.as_array()?;
        let messages_of_user = messages.iter().filter(|message| message["role"] == "user");
        let sentence: Vec<&str> =
            messages_of_user.filter_map(|message| message["content"].as_str()).collect();
        let tools = line["function"].as_array()?.iter().map(tool).collect::<Option<Vec<Tool>>>()?;
        Some(Case { sentence: sentence.join("\n"), tools, right: right.clone(), answer: answer.clone() })
    };
    questions
        .iter()
        .map(|line| case(line).with_context(|| format!("unexpected format of a case of `{slice}`")))
        .collect()
}

fn tool(value: &Value) -> Option<Tool> {
    let mut schema = value["parameters"].clone();
    to_json_schema(&mut schema);
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    Some(Tool { name: text("name")?, description: text("description")?, schema })
}

/// Converts Python type names of the package to those of JSON Schema.
fn to_json_schema(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(kind)) = members.get_mut("type") {
                let name = match kind.as_str() {
                    "dict" => "object",
                    "float" => "number",
                    "tuple" => "array",
                    "any" => "string",
                    other => other,
                };
                *kind = name.to_owned();
            }
            members.values_mut().for_each(to_json_schema);
        }
        Value::Array(values) => values.iter_mut().for_each(to_json_schema),
        _ => {}
    }
}

/// Reads a file of JSON lines in the package.
fn lines(folder: &Path, name: &str) -> Result<Vec<Value>> {
    let wheel = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .context("pip left no wheel")?;
    let read = "import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))";
    let output = Command::new("python3").args(["-c", read]).arg(&wheel).arg(name).output()?;
    ensure!(output.status.success(), "cannot read `{name}` of `{}`", wheel.display());
    let text = String::from_utf8(output.stdout)?;
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| Ok(serde_json::from_str(line)?)).collect()
}

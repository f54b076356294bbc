//! `palyra.todo.add`, `palyra.todo.done` and `palyra.todo.remove`.

use crate::document::Document;
use crate::tasks::Tasks;
use palyra_plugins_sdk::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddInput {
    /// What is to be done.
    task: String,
    /// The day it is due.
    #[schemars(extend("format" = "date"))]
    due: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskInput {
    /// The number of the task in the list.
    #[schemars(range(min = 1))]
    number: u32,
}

#[tool(
    id = "palyra.todo.add",
    description = "Adds a task to the to-do list, with the day it is due if there is one"
)]
pub(crate) fn add(input: AddInput) -> Result<Document, ToolError> {
    let mut tasks = Tasks::read()?;
    let number = tasks.add(&input.task, input.due)?;
    tasks.write()?;
    Ok(shown(format!("Added task {number}."), &tasks))
}

#[tool(id = "palyra.todo.done", description = "Marks a task of the to-do list as done")]
pub(crate) fn done(input: TaskInput) -> Result<Document, ToolError> {
    let mut tasks = Tasks::read()?;
    tasks.find(input.number)?.done = true;
    tasks.write()?;
    Ok(shown(format!("Task {} is done.", input.number), &tasks))
}

#[tool(id = "palyra.todo.remove", description = "Removes a task from the to-do list for good")]
pub(crate) fn remove(input: TaskInput) -> Result<Document, ToolError> {
    let mut tasks = Tasks::read()?;
    let removed = tasks.remove(input.number)?;
    tasks.write()?;
    Ok(shown(format!("Removed task {}: {}", removed.number, removed.text), &tasks))
}

/// What is open after a change.
fn shown(line: String, tasks: &Tasks) -> Document {
    Document::new(line, tasks.iter().filter(|task| !task.done))
}

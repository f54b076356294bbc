//! The list as a document for people; `docs/a2ui.md` has its format and limits.

use crate::tasks::Task;
use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::serde_json::{Value, json};

/// A document that the host checks and clients draw.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document {
    v: u32,
    surface: String,
    components: Vec<Value>,
}

impl Document {
    /// The tasks below one line; always the same surface, so that clients change what they show.
    pub(crate) fn new<'t>(line: String, tasks: impl Iterator<Item = &'t Task>) -> Self {
        let columns = json!([
            { "key": "number", "label": "No.", "type": "number" },
            { "key": "task", "label": "Task" },
            { "key": "due", "label": "Due", "type": "date" },
            { "key": "done", "label": "Done", "type": "boolean" },
        ]);
        let rows: Vec<Value> = tasks.map(row).collect();
        let parts = [
            ("message", "text", json!({ "value": line })),
            ("tasks", "table", json!({ "columns": columns, "rows": rows, "page_size": 25 })),
        ];
        let component =
            |(id, kind, props): (&str, &str, Value)| json!({ "id": id, "type": kind, "props": props });
        Self { v: 1, surface: "todo".to_owned(), components: parts.map(component).to_vec() }
    }
}

fn row(task: &Task) -> Value {
    let mut row = json!({ "number": task.number, "task": task.text, "done": task.done });
    if let Some(due) = &task.due {
        row["due"] = due.as_str().into();
    }
    row
}

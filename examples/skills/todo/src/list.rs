//! `palyra.todo.list`: reads and changes nothing, and its manifest lets it do no more.

use crate::document::Document;
use crate::tasks::Tasks;
use palyra_plugins_sdk::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListInput {
    /// Which tasks to show.
    #[serde(default)]
    show: Show,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Show {
    #[default]
    Open,
    Done,
    All,
}

#[tool(
    id = "palyra.todo.list",
    description = "Shows the tasks of the to-do list: the open ones, those that are done, or all"
)]
pub(crate) fn list(input: ListInput) -> Result<Document, ToolError> {
    let tasks = Tasks::read()?;
    let open = tasks.iter().filter(|task| !task.done).count();
    let line = format!("{open} open, {} done", tasks.iter().count() - open);
    let wanted = tasks.iter().filter(|task| match input.show {
        Show::Open => !task.done,
        Show::Done => task.done,
        Show::All => true,
    });
    Ok(Document::new(line, wanted))
}

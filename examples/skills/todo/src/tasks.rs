//! Tasks as they are kept: one value, so that a change is one write.

use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::storage;

const PREFIX: &str = "todo/";
const KEY: &str = "tasks";
/// Most tasks that are kept, open and done.
const MAX_TASKS: usize = 500;
/// Longest task in characters.
const MAX_CHARACTERS: usize = 500;

/// Every task, oldest first.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Tasks {
    /// The number of the newest task; numbers are never used twice.
    last: u32,
    tasks: Vec<Task>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) number: u32,
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) due: Option<String>,
    #[serde(default)]
    pub(crate) done: bool,
}

impl Tasks {
    pub(crate) fn read() -> Result<Self, ToolError> {
        Ok(storage::open(PREFIX).get_json(KEY)?.unwrap_or_default())
    }

    pub(crate) fn write(&self) -> Result<(), ToolError> {
        storage::open(PREFIX).put_json(KEY, self)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter()
    }

    pub(crate) fn add(&mut self, text: &str, due: Option<String>) -> Result<u32, ToolError> {
        let text = checked_text(text)?;
        if let Some(due) = due.as_deref().filter(|due| !is_date(due)) {
            let message = format!("`{}` is no day like 2026-01-31", due.escape_debug());
            return Err(ToolError::new("bad_date", message));
        }
        if self.tasks.len() >= MAX_TASKS {
            let message = format!("the list has {MAX_TASKS} tasks; remove some that are done");
            return Err(ToolError::new("list_full", message));
        }
        self.last += 1;
        self.tasks.push(Task { number: self.last, text, due, done: false });
        Ok(self.last)
    }

    pub(crate) fn find(&mut self, number: u32) -> Result<&mut Task, ToolError> {
        let index = self.index(number)?;
        Ok(&mut self.tasks[index])
    }

    pub(crate) fn remove(&mut self, number: u32) -> Result<Task, ToolError> {
        let index = self.index(number)?;
        Ok(self.tasks.remove(index))
    }

    fn index(&self, number: u32) -> Result<usize, ToolError> {
        let found = self.tasks.iter().position(|task| task.number == number);
        found.ok_or_else(|| ToolError::new("no_task", format!("there is no task {number}")))
    }
}

/// One line that a document can show.
fn checked_text(text: &str) -> Result<String, ToolError> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
    };
    let length = text.chars().count();
    match () {
        () if length == 0 => Err(ToolError::new("empty_task", "the task has no text")),
        () if length > MAX_CHARACTERS => {
            let message = format!("the task has {length} characters; at most {MAX_CHARACTERS} are kept");
            Err(ToolError::new("too_long", message))
        }
        () if text.contains(hidden) => {
            Err(ToolError::new("hidden_characters", "the task has characters that hide or reorder text"))
        }
        () => Ok(text),
    }
}

/// Whether a text is a day of the calendar, as `2026-01-31`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let &[year, month, day] = &parts[..] else { return false };
    let number = |part: &str, length: usize| -> Option<u32> {
        let digits = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse().ok().filter(|_| digits)
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => return false,
    };
    (1..=days).contains(&day)
}

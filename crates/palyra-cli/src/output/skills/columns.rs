//! Formats old and new values side by side.

use palyra_common::redact::escape_untrusted;
use palyra_skills::update::{Change, DiffRow, DiffSection};

/// Width of a column; two with their margin fit into 100 characters.
const WIDTH: usize = 46;
/// Maximum number of lines in a cell, because a schema can be very long.
const MOST_LINES: usize = 12;

/// Formats differences row by row: a title, and below it the old and the new value in two columns.
pub(crate) fn two_columns(rows: &[DiffRow], old: &str, new: &str) -> String {
    if rows.is_empty() {
        return "nothing differs\n".to_owned();
    }
    let head = side_by_side(&[escape_untrusted(old)], &[escape_untrusted(new)]);
    let rows = rows.iter().map(row);
    std::iter::once(head).chain(rows).collect()
}

fn row(row: &DiffRow) -> String {
    let mark = match row.change {
        Change::Growth => '+',
        Change::Text => '~',
        Change::Narrowing => '-',
        Change::Neutral => ' ',
    };
    let title = format!("{mark} {}: {}\n", section(row.section), escape_untrusted(&row.subject));
    title + &side_by_side(&cell(row.old.as_deref()), &cell(row.new.as_deref()))
}

fn side_by_side(old: &[String], new: &[String]) -> String {
    let line = |index: usize| {
        let at = |column: &[String]| column.get(index).cloned().unwrap_or_default();
        let text = format!("    {:<WIDTH$}  {}", at(old), at(new));
        format!("{}\n", text.trim_end())
    };
    (0..old.len().max(new.len())).map(line).collect()
}

fn cell(text: Option<&str>) -> Vec<String> {
    let Some(text) = text else { return vec!["(none)".to_owned()] };
    let mut lines: Vec<String> = text.lines().flat_map(|line| wrapped(&escape_untrusted(line))).collect();
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        lines.push("…".to_owned());
    }
    lines
}

/// Wraps a line at spaces where possible.
fn wrapped(line: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest: Vec<char> = line.chars().collect();
    while rest.len() > WIDTH {
        let space = rest.iter().take(WIDTH + 1).rposition(|letter| *letter == ' ').filter(|at| *at > 0);
        let tail = rest.split_off(space.unwrap_or(WIDTH));
        lines.push(rest.iter().collect());
        rest = tail.into_iter().skip(usize::from(space.is_some())).collect();
    }
    lines.push(rest.iter().collect());
    lines
}

fn section(section: DiffSection) -> &'static str {
    match section {
        DiffSection::Release => "release",
        DiffSection::Http => "http",
        DiffSection::Secrets => "secret",
        DiffSection::Storage => "storage",
        DiffSection::Channels => "channel",
        DiffSection::Filesystem => "files",
        DiffSection::Devices => "device",
        DiffSection::Quotas => "limit",
        DiffSection::Tools => "tool",
        DiffSection::Hooks => "hook",
        DiffSection::Config => "setting",
        DiffSection::Compat => "needs",
        DiffSection::Text => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrapped("short"), ["short"]);
        let words = "one ".repeat(20);
        assert!(wrapped(&words).iter().all(|line| line.len() <= WIDTH && !line.starts_with(' ')));
        assert_eq!(wrapped(&"x".repeat(100)).iter().map(String::len).collect::<Vec<_>>(), [46, 46, 8]);
        assert_eq!(wrapped(""), [""]);
    }

    #[test]
    fn rows_say_what_they_are_about() {
        let row = |change, old: Option<&str>, new: Option<&str>| DiffRow {
            section: DiffSection::Storage,
            subject: "notes/".into(),
            old: old.map(Into::into),
            new: new.map(Into::into),
            change,
        };
        let rows = [row(Change::Growth, None, Some("storage:notes/\u{1b}[31m"))];
        let shown = two_columns(&rows, "a 1.0.0", "a 1.1.0");
        insta::assert_snapshot!(shown, @r"
            a 1.0.0                                         a 1.1.0
        + storage: notes/
            (none)                                          storage:notes/\u{1b}[31m
        ");
        assert_eq!(two_columns(&[], "a", "b"), "nothing differs\n");
    }
}

//! Tables and labelled facts. A cell never spans lines, and on a terminal every row fits the width.

use super::display::Display;
use palyra_common::redact::escape_untrusted;

/// Columns whose cells are coloured by their first word.
const STATUS: [&str; 3] = ["status", "state", "daemon"];
/// Width to which a cell can be truncated, unless its title is longer.
const MIN_WIDTH: usize = 8;
/// Characters between two columns.
const GAP: usize = 2;

/// Formats rows under a head; returns an empty string for no rows.
///
/// If the table is wider than the terminal, the widest columns are truncated. The first column contains ids: it keeps
/// enough of each to distinguish them, and commands accept such a prefix.
pub(crate) fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    draw(head, rows, Display::current())
}

/// Formats pairs of label and text with aligned texts; pairs without text are skipped.
pub(crate) fn facts(pairs: &[(&str, String)]) -> String {
    let filled = || pairs.iter().filter(|(_, text)| !text.is_empty());
    let width = filled().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    let shown = |label: &str, text: &str| {
        let text = escape_untrusted(text);
        if STATUS.contains(&label) { Display::current().status(&text, &text) } else { text }
    };
    filled().map(|(label, text)| format!("{label:<width$}  {}\n", shown(label, text))).collect()
}

fn draw<const N: usize>(head: [&str; N], rows: &[[String; N]], display: &Display) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| row.each_ref().map(|cell| escape_untrusted(cell))).collect();
    let mut widths = head.map(|title| title.chars().count());
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    if let Some(terminal) = display.width() {
        let mut least = head.map(|title| title.chars().count().max(MIN_WIDTH));
        if let Some(first) = least.first_mut() {
            *first = (*first).max(distinct(&rows) + 1);
        }
        fit(&mut widths, &least, terminal);
    }
    let mut text = line(&head.map(str::to_uppercase), &widths, |_, shown, _| shown);
    for row in &rows {
        text.push_str(&line(row, &widths, |column, shown, cell| {
            let coloured = head.get(column).is_some_and(|title| STATUS.contains(title));
            if coloured { display.status(&shown, cell) } else { shown }
        }));
    }
    text
}

/// Shrinks the widest column that can be shrunk until the row fits.
fn fit<const N: usize>(widths: &mut [usize; N], least: &[usize; N], terminal: usize) {
    let gaps = GAP * N.saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > terminal {
        let columns = widths.iter_mut().zip(least).filter(|(width, least)| **width > **least);
        match columns.max_by_key(|(width, _)| **width) {
            Some((width, _)) => *width -= 1,
            None => return,
        }
    }
}

/// Returns the number of leading characters that distinguish all different first cells.
fn distinct<const N: usize>(rows: &[[String; N]]) -> usize {
    let mut ids: Vec<&str> = rows.iter().filter_map(|row| row.first().map(String::as_str)).collect();
    ids.sort_unstable();
    ids.dedup();
    let common = |pair: &[&str]| match pair {
        [one, other] => one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    ids.windows(2).map(common).max().map_or(0, |shared| shared + 1)
}

fn line<const N: usize>(
    cells: &[String; N],
    widths: &[usize; N],
    style: impl Fn(usize, String, &str) -> String,
) -> String {
    let mut text = String::new();
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let shown = cut(cell, *width);
        let rest = width - shown.chars().count();
        text.push_str(&style(column, shown, cell));
        text.push_str(&" ".repeat(rest + GAP));
    }
    format!("{}\n", text.trim_end())
}

fn cut(cell: &str, width: usize) -> String {
    match cell.char_indices().nth(width) {
        None => cell.to_owned(),
        Some(_) => cell.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_cells_stay_on_their_line() {
        let rows = [["a".to_owned(), "long name".to_owned()], ["b\nc".to_owned(), String::new()]];
        assert_eq!(table(["x", "name"], &rows), "X        NAME\na        long name\nb\\u{a}c\n");
        assert_eq!(table::<1>(["x"], &[]), "");
    }

    #[test]
    fn facts_line_up_and_empty_ones_are_left_out() {
        let shown = facts(&[("key id", "1".into()), ("blocked", String::new()), ("name", "é\u{1b}".into())]);
        assert_eq!(shown, "key id  1\nname    é\\u{1b}\n");
    }

    #[test]
    fn rows_fit_the_terminal_and_ids_stay_distinct() {
        let row = |id: &str, text: &str| [id.to_owned(), "completed".to_owned(), text.to_owned()];
        let rows = [row("run_01a1ec0011", &"x".repeat(60)), row("run_01a1ec0022", "short")];
        let display = Display::with_width(40);
        let shown = draw(["run", "status", "text"], &rows, &display);
        assert!(shown.lines().all(|line| line.chars().count() <= 40), "{shown}");
        assert!(shown.contains("run_01a1ec001") && shown.contains("run_01a1ec002"), "{shown}");
        assert!(shown.contains('…'), "{shown}");
        let wide = draw(["run", "status", "text"], &rows, &Display::default());
        assert!(wide.contains(&"x".repeat(60)) && !wide.contains('…'));
    }
}

//! Columns and labelled facts. Every cell stays on its line.

use palyra_common::redact::escape_untrusted;

/// Rows under a head, columns as wide as their widest cell; nothing at all for no rows.
pub(crate) fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
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
    let mut text = line(head.map(|title| title.to_uppercase()), widths);
    rows.into_iter().for_each(|row| text.push_str(&line(row, widths)));
    text
}

/// A label and a text each, the texts below each other; facts without text are left out.
pub(crate) fn facts(pairs: &[(&str, String)]) -> String {
    let filled = || pairs.iter().filter(|(_, text)| !text.is_empty());
    let width = filled().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    filled().map(|(label, text)| format!("{label:<width$}  {}\n", escape_untrusted(text))).collect()
}

fn line<const N: usize>(cells: [String; N], widths: [usize; N]) -> String {
    let mut text = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        text.push_str(&format!("{cell:<width$}  "));
    }
    format!("{}\n", text.trim_end())
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
}

//! Formats rows as text.

use crate::row::Row;
use std::fmt::Write;

/// Formats all rows as a table, with notes below.
pub fn table(rows: &[Row]) -> String {
    let mut out = format!(
        "{:<30} {:>12} {:>12} {:<10} {:>9} {:>9}\n",
        "row", "ours", "baseline", "unit", "ratio", "goal"
    );
    for row in rows {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}", line(row));
    }
    for row in rows {
        if let Some(note) = &row.note {
            let _ = writeln!(out, "  {}: {note}", row.name);
        }
    }
    let missed: Vec<&str> = rows.iter().filter(|row| !row.ok).map(|row| row.name).collect();
    let _ = match missed.len() {
        0 => writeln!(out, "all {} rows reach their goal", rows.len()),
        count => writeln!(out, "{count} of {} rows miss their goal: {}", rows.len(), missed.join(", ")),
    };
    out
}

/// Formats one row for the output during a measurement.
pub fn line(row: &Row) -> String {
    let (ours, baseline, ratio) = (number(row.ours), number(row.baseline), number(row.ratio));
    let mark = if row.ok { "ok" } else { "MISSED" };
    format!(
        "{:<30} {ours:>12} {baseline:>12} {:<10} {ratio:>9} {:>9}  {mark}",
        row.name,
        row.unit,
        row.goal.to_string()
    )
}

fn number(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(value) if value.abs() >= 1_000.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.2}"),
    }
}

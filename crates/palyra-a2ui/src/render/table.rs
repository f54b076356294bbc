//! A table that fits its width: cells are cut, and where the columns do not fit at all, each row is a record.

use comfy_table::{CellAlignment, ContentArrangement, Row as TextRow, Table as TextTable, presets};

use super::{cell, clip};
use crate::table::{Align, Column, ColumnType, Row, Table};

/// Fewest terminal columns of a cell, with the space beside it.
const MIN_CELL_WIDTH: usize = 8;

pub(super) fn render(table: &Table, width: usize) -> String {
    let body =
        if table.columns.len() * MIN_CELL_WIDTH > width { records(table, width) } else { grid(table, width) };
    let caption = table.caption.as_ref().map(|caption| clip(caption, width));
    caption.into_iter().chain([body]).collect::<Vec<_>>().join("\n")
}

fn grid(table: &Table, width: usize) -> String {
    let mut grid = TextTable::new();
    grid.load_preset(presets::UTF8_HORIZONTAL_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(u16::MAX))
        .set_truncation_indicator("…");
    grid.set_header(one_line(table.columns.iter().map(|column| column.label.clone())));
    for row in &table.rows {
        grid.add_row(one_line(table.columns.iter().map(|column| text(row, column))));
    }
    for (column, shown) in table.columns.iter().zip(grid.column_iter_mut()) {
        shown.set_cell_alignment(match column.align {
            Some(Align::Start) => CellAlignment::Left,
            Some(Align::Center) => CellAlignment::Center,
            Some(Align::End) => CellAlignment::Right,
            None if column.kind == ColumnType::Number => CellAlignment::Right,
            None => CellAlignment::Left,
        });
    }
    grid.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

fn one_line(cells: impl Iterator<Item = String>) -> TextRow {
    let mut row = TextRow::from(cells.map(|text| text.replace(['\n', '\t'], " ")).collect::<Vec<_>>());
    row.max_height(1);
    row
}

fn records(table: &Table, width: usize) -> String {
    let record = |row: &Row| {
        let lines = table.columns.iter().map(|column| format!("{}: {}", column.label, text(row, column)));
        lines.map(|line| clip(&line, width)).collect::<Vec<_>>().join("\n")
    };
    table.rows.iter().map(record).collect::<Vec<_>>().join("\n\n")
}

fn text(row: &Row, column: &Column) -> String {
    row.0.get(&column.key).map(cell).unwrap_or_default()
}

//! What a document may hold at most. A document over a limit is refused with the place that is too large; nothing is cut.

/// Bytes of a document or patch as JSON, checked before anything is parsed.
pub const MAX_DOCUMENT_BYTES: usize = 1 << 20;
/// Components of a document, and operations of a patch.
pub const MAX_COMPONENTS: usize = 128;
/// Levels of nesting in the properties of a component of an unknown type; every other type has a fixed depth.
pub const MAX_DEPTH: usize = 16;
/// Bytes that the properties of a component of an unknown type have as JSON.
pub const MAX_UNKNOWN_BYTES: usize = 16 << 10;
/// Rows of a table.
pub const MAX_ROWS: usize = 1_000;
/// Columns of a table.
pub const MAX_COLUMNS: usize = 32;
/// Items of a list.
pub const MAX_ITEMS: usize = 1_000;
/// Series of a chart.
pub const MAX_SERIES: usize = 16;
/// Points of each series of a chart.
pub const MAX_POINTS: usize = 1_000;
/// Fields of a form.
pub const MAX_FIELDS: usize = 64;
/// Options of one field.
pub const MAX_OPTIONS: usize = 256;
/// Bytes of an id, a field name or the key of a column.
pub const MAX_NAME_BYTES: usize = 64;
/// Bytes of a label, title, caption, hint or option.
pub const MAX_LABEL_BYTES: usize = 512;
/// Bytes of a cell, an item of a list, or a default value.
pub const MAX_CELL_BYTES: usize = 4 << 10;
/// Bytes of a text component, and of one submitted value.
pub const MAX_TEXT_BYTES: usize = 16 << 10;
/// Bytes of a markdown component.
pub const MAX_MARKDOWN_BYTES: usize = 64 << 10;

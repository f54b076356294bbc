//! Limits of a document. A document that exceeds one is rejected with the pointer of the large value; nothing is
//! truncated.

/// Maximum size of a document or patch as JSON in bytes, checked before parsing.
pub const MAX_DOCUMENT_BYTES: usize = 1 << 20;
/// Maximum number of components in a document, and of operations in a patch.
pub const MAX_COMPONENTS: usize = 128;
/// Maximum nesting in the properties of a component of an unknown type. Known types have a fixed depth.
pub const MAX_DEPTH: usize = 16;
/// Maximum size of the properties of a component of an unknown type as JSON, in bytes.
pub const MAX_UNKNOWN_BYTES: usize = 16 << 10;
/// Maximum number of rows in a table.
pub const MAX_ROWS: usize = 1_000;
/// Maximum number of columns in a table.
pub const MAX_COLUMNS: usize = 32;
/// Maximum number of items in a list.
pub const MAX_ITEMS: usize = 1_000;
/// Maximum number of series in a chart.
pub const MAX_SERIES: usize = 16;
/// Maximum number of points in each series of a chart.
pub const MAX_POINTS: usize = 1_000;
/// Maximum number of fields in a form.
pub const MAX_FIELDS: usize = 64;
/// Maximum number of options of a field.
pub const MAX_OPTIONS: usize = 256;
/// Maximum length of an id, a field name or a column key, in bytes.
pub const MAX_NAME_BYTES: usize = 64;
/// Maximum length of a label, title, caption, hint or option, in bytes.
pub const MAX_LABEL_BYTES: usize = 512;
/// Maximum length of a cell, a list item or a default value, in bytes.
pub const MAX_CELL_BYTES: usize = 4 << 10;
/// Maximum length of a text component and of one submitted value, in bytes.
pub const MAX_TEXT_BYTES: usize = 16 << 10;
/// Maximum length of a markdown component, in bytes.
pub const MAX_MARKDOWN_BYTES: usize = 64 << 10;

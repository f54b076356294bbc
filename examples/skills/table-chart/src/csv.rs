//! CSV as RFC 4180 has it, with commas, semicolons, tabs or bars between the fields.

use palyra_plugins_sdk::prelude::*;

const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];

/// Reads the records of a text; blank lines are left out.
pub(crate) fn records(text: &str) -> Result<Vec<Vec<String>>, ToolError> {
    let delimiter = delimiter(text);
    let mut letters = text.chars().peekable();
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut line) = (false, 1_u64);
    while let Some(c) = letters.next() {
        line += u64::from(c == '\n');
        match c {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => quoted = true,
            '"' => {
                let message = format!("line {line} has a quote inside of a field; put the field in quotes");
                return Err(ToolError::new("invalid_csv", message));
            }
            _ if quoted => field.push(c),
            c if c == delimiter => record.push(std::mem::take(&mut field)),
            '\r' if letters.peek() == Some(&'\n') => {}
            '\n' => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            c => field.push(c),
        }
    }
    if quoted {
        return Err(ToolError::new("invalid_csv", "a quote is opened and not closed"));
    }
    record.push(field);
    records.push(record);
    records.retain(|record| record.iter().any(|field| !field.trim().is_empty()));
    Ok(records)
}

/// The delimiter that the first line has most of, outside of quotes.
fn delimiter(text: &str) -> char {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut quoted = false;
    let outside: String = first
        .chars()
        .filter(|c| {
            quoted ^= *c == '"';
            !quoted
        })
        .collect();
    let count = |delimiter: char| outside.matches(delimiter).count();
    let most = DELIMITERS.into_iter().rev().max_by_key(|delimiter| count(*delimiter));
    most.unwrap_or(',')
}

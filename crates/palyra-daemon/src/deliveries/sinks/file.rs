//! Appends messages of a channel to a file, one JSON object per line.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use palyra_common::fs::open_append_without_links;
use palyra_state::channels::PublishedMessage;
use serde_json::json;

/// Appends a message, after completing a partial line that a killed daemon left.
pub(super) fn append(path: &Path, message: &PublishedMessage) -> io::Result<()> {
    // A folder may have been replaced by a link into the state root since the channel was defined.
    let mut file = open_append_without_links(path)?;
    let mut text = if ends_with_a_line(&mut file)? { String::new() } else { "\n".to_owned() };
    text.push_str(&line(message));
    file.write_all(text.as_bytes())?;
    file.sync_data()
}

fn line(message: &PublishedMessage) -> String {
    let (body, encoding) = super::body_text(&message.body);
    let value = json!({ "message": message.id, "channel": message.channel, "at_ms": message.at_ms,
        "skill_id": message.skill_id, "run_id": message.run_id, "content_type": message.content_type,
        "body": body, "encoding": encoding });
    format!("{value}\n")
}

fn ends_with_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

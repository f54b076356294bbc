//! Formats an error and its causes as one sentence.

use std::error::Error;

/// Returns the message, followed by each cause that it does not contain already.
pub fn sentence(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let message = next.to_string();
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        cause = next.source();
    }
    text
}

//! Names of a new skill, from flags, the directory and the user name.

use crate::error::CliError;
use std::path::Path;

/// Publisher name for `root`, and for user names without letters.
const NO_PUBLISHER: &str = "local";

/// The parts of a new skill's id.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) publisher: String,
    /// Part of the skill id after the dot.
    pub(super) name: String,
}

impl Names {
    /// Uses the given names, and derives the others.
    pub(super) fn choose(
        directory: &Path,
        id: Option<&str>,
        publisher: Option<&str>,
    ) -> Result<Self, CliError> {
        if let Some(id) = id {
            let (publisher, name) = id.split_once('.').ok_or_else(|| {
                let message = format!("`{id}` is not a skill id");
                CliError::usage_with_hint(message, "write it as `PUBLISHER.NAME`, for example `acme.hello`")
            })?;
            return Ok(Self { publisher: publisher.to_owned(), name: name.to_owned() });
        }
        let absolute = std::path::absolute(directory);
        let absolute = absolute.map_err(CliError::io("cannot find the current directory"))?;
        let folder = absolute.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = word(&folder).ok_or_else(|| {
            let message = format!("the name of the directory `{folder}` makes no skill id");
            CliError::usage_with_hint(message, "choose one with `--id PUBLISHER.NAME`")
        })?;
        let publisher =
            publisher.map_or_else(|| publisher_of_user(|name| std::env::var(name).ok()), str::to_owned);
        Ok(Self { publisher, name })
    }

    /// Returns the skill id, such as `acme.hello`.
    pub(super) fn skill_id(&self) -> String {
        format!("{}.{}", self.publisher, self.name)
    }

    /// Returns the id of the example tool.
    pub(super) fn tool(&self) -> String {
        format!("{}.{}.greet", self.publisher, self.name.replace('-', "_"))
    }

    /// Returns the display name: `Hello world` for `hello_world`.
    pub(super) fn title(&self) -> String {
        let text = self.name.replace(['_', '-'], " ");
        let mut letters = text.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect()
    }
}

fn publisher_of_user(variable: impl Fn(&str) -> Option<String>) -> String {
    let user = variable("USER").or_else(|| variable("LOGNAME")).filter(|user| user != "root");
    user.and_then(|user| word(&user)).unwrap_or_else(|| NO_PUBLISHER.to_owned())
}

/// Converts to lower-case letters and digits that start with a letter, with single underscores for everything else.
fn word(text: &str) -> Option<String> {
    let mut word = String::new();
    for letter in text.to_lowercase().chars() {
        match letter {
            'a'..='z' => word.push(letter),
            '0'..='9' if !word.is_empty() => word.push(letter),
            _ if !word.is_empty() && !word.ends_with('_') => word.push('_'),
            _ => {}
        }
    }
    let word = word.trim_end_matches('_');
    (!word.is_empty()).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_any_text() {
        let cases = [
            ("hello", Some("hello")),
            ("Hello World", Some("hello_world")),
            ("my--skill.", Some("my_skill")),
            ("2fast", Some("fast")),
            ("v2", Some("v2")),
            ("李", None),
            ("..", None),
        ];
        for (text, expected) in cases {
            assert_eq!(word(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn publisher_is_the_user_unless_it_is_the_administrator() {
        let of =
            |user: Option<&str>| publisher_of_user(|name| user.filter(|_| name == "USER").map(str::to_owned));
        assert_eq!(of(Some("Jane.Doe")), "jane_doe");
        assert_eq!((of(Some("root")), of(None)), ("local".into(), "local".into()));
    }

    #[test]
    fn flags_come_before_the_directory() {
        let choose = |id, publisher| Names::choose(Path::new("some/Hello-World"), id, publisher).unwrap();
        let names = choose(Some("acme.notes-js"), None);
        assert_eq!((names.skill_id(), names.tool()), ("acme.notes-js".into(), "acme.notes_js.greet".into()));
        let names = choose(None, Some("acme"));
        assert_eq!((names.skill_id(), names.title()), ("acme.hello_world".into(), "Hello world".into()));
        assert!(Names::choose(Path::new("x"), Some("notes"), None).is_err());
        assert!(Names::choose(Path::new("李"), None, None).is_err());
    }
}

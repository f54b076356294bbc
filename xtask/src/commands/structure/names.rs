//! Finds identifiers with words that do not describe the thing.

use std::collections::{BTreeMap, BTreeSet};

use super::source::Source;

/// Metaphors, which a search for the actual concept never finds.
const WORDS: [&str; 12] = [
    "book", "corridor", "door", "face", "heard", "knock", "look", "room", "said", "standing", "told", "words",
];

/// Returns one failure for each identifier with a listed word that is not allowed, and for each allowed name that is no
/// longer used.
pub(super) fn check(sources: &[Source], allowed: &str) -> Vec<String> {
    let allowed: BTreeSet<&str> = allowed
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|name| !name.is_empty())
        .collect();
    let mut found = BTreeMap::<String, &str>::new();
    for source in sources {
        let mut note = |name: String| {
            if segments(&name).any(|segment| WORDS.contains(&segment.as_str())) {
                found.entry(name).or_insert(&source.path);
            }
        };
        source.each_identifier(&mut note);
        for part in source.path.trim_end_matches(".rs").split('/') {
            note(part.to_owned());
        }
    }
    let stale = allowed.iter().filter(|name| !found.contains_key(**name));
    let stale = stale.map(|name| format!("`{name}` is in the list of allowed names but not used; remove it"));
    let unknown = found.iter().filter(|(name, _)| !allowed.contains(name.as_str()));
    let unknown = unknown.map(|(name, path)| {
        format!(
            "`{name}` in {path} is a listed word; choose a name that says what the \
            thing is"
        )
    });
    unknown.chain(stale).collect()
}

/// Returns the lower-case parts of a snake_case or CamelCase identifier.
fn segments(name: &str) -> impl Iterator<Item = String> {
    let mut parts = vec![String::new()];
    let mut before_is_lower = false;
    for character in name.chars() {
        let starts = character == '_' || character == '-' || (character.is_uppercase() && before_is_lower);
        if starts {
            parts.push(String::new());
        }
        before_is_lower = character.is_lowercase() || character.is_numeric();
        if character.is_alphanumeric()
            && let Some(part) = parts.last_mut()
        {
            part.extend(character.to_lowercase());
        }
    }
    parts.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(text: &str) -> [Source; 1] {
        let file = syn::parse_file(text).unwrap();
        [Source { path: "crates/a/src/lib.rs".into(), items: file.items, code_lines: 0 }]
    }

    #[test]
    fn listed_words_are_found_as_parts_of_identifiers_only() {
        let sources =
            sources(r#"struct FileStanding; fn lookup(interface: u8) { let _ = "told"; was_told() }"#);
        let failures = check(&sources, "");
        let names: Vec<_> = failures.iter().filter_map(|line| line.split('`').nth(1)).collect();
        assert_eq!(names, ["FileStanding", "was_told"]);
    }

    #[test]
    fn allowed_names_pass_and_stale_entries_fail() {
        let sources = sources("fn count_words() {}");
        assert!(check(&sources, "count_words # words of a text\n").is_empty());
        assert_eq!(check(&sources, "count_words\nlast_words # gone\n").len(), 1);
    }
}

//! Suggests similar names for an unknown one.

use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_common::text::clip_untrusted;
use serde_json::json;

/// Minimum similarity of two names for a suggestion.
const ALIKE: f64 = 0.75;
/// Maximum number of known names in an error.
const MOST_KNOWN: usize = 50;

/// Returns the known name most similar to the given one, if one is similar enough.
pub fn closest<'a>(written: &str, known: &'a [String]) -> Option<&'a str> {
    let scored = known.iter().map(|name| (strsim::jaro_winkler(written, name), name.as_str()));
    let best = scored.filter(|(score, _)| *score > ALIKE).max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.map(|(_, name)| name)
}

/// Returns the problem of an unknown name, with a suggestion and the names that exist.
pub fn not_found(kind: &str, name: &str, mut known: Vec<String>) -> Problem {
    let name = clip_untrusted(name, 100);
    let meant = closest(&name, &known).map(|name| format!("did you mean `{name}`?"));
    let all = (1..=10).contains(&known.len()).then(|| format!("choose from `{}`", known.join("`, `")));
    known.truncate(MOST_KNOWN);
    Problem::new(ErrorCode::NotFound, format!("{kind} `{name}` does not exist"))
        .hints(meant.into_iter().chain(all))
        .details(json!({ "kind": kind, "name": name, "known": known }))
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn only_near_names_are_offered() {
        let known = ["word.count", "word.split", "slug.make"].map(str::to_owned);
        assert_eq!(closest("word.cuont", &known), Some("word.count"));
        assert_eq!(closest("slug", &known), Some("slug.make"));
        assert_eq!(closest("zzz", &known), None);
        assert_eq!(closest("word.count", &[]), None);
    }
}

//! Did you mean.

/// How alike two names must be before one is offered for the other.
const ALIKE: f64 = 0.75;

/// The known name most like the one that was written, if any is.
pub(crate) fn closest<'a>(written: &str, known: &'a [String]) -> Option<&'a str> {
    let scored = known.iter().map(|name| (strsim::jaro_winkler(written, name), name.as_str()));
    let best = scored.filter(|(score, _)| *score > ALIKE).max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.map(|(_, name)| name)
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

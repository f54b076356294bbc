//! The query of a path, from what is there.

use super::segment;

/// Names and values of a query, percent-encoded.
#[derive(Default)]
pub(super) struct Pairs(Vec<String>);

impl Pairs {
    /// Adds a parameter if it has a value.
    pub(super) fn with(mut self, name: &str, value: Option<impl ToString>) -> Self {
        self.0.extend(value.map(|value| format!("{name}={}", segment(&value.to_string()))));
        self
    }

    /// Returns the path with the query appended.
    pub(super) fn after(&self, path: &str) -> String {
        if self.0.is_empty() { path.to_owned() } else { format!("{path}?{}", self.0.join("&")) }
    }
}

#[cfg(test)]
mod tests {
    use super::Pairs;

    #[test]
    fn what_is_not_there_is_not_asked_for() {
        assert_eq!(Pairs::default().with("a", None::<&str>).after("/x"), "/x");
        assert_eq!(Pairs::default().with("a", Some("b&c")).with("n", Some(2)).after("/x"), "/x?a=b%26c&n=2");
    }
}

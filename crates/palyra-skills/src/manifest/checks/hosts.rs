//! Hosts a manifest may name: no addresses and no names that look like another one.

use palyra_common::capabilities::HostPattern;
use unicode_security::{MixedScript, skeleton};

use crate::manifest::error::ManifestProblem;

/// Parses a host with the common grammar and applies the restrictions of manifests.
pub(in crate::manifest) fn manifest_host(text: &str) -> Result<HostPattern, ManifestProblem> {
    let host: HostPattern = text.parse().map_err(ManifestProblem::Grant)?;
    let name = match &host {
        HostPattern::Address(_) => {
            return Err(ManifestProblem::text(text, "a host name")
                .with_fix("only an operator can allow an address; use a name"));
        }
        HostPattern::Name(name) | HostPattern::Wildcard(name) => name,
    };
    let (shown, _) = idna::domain_to_unicode(name);
    if shown.split('.').any(looks_like_another) {
        return Err(ManifestProblem::text(text, "a name that cannot be confused with another one").with_fix(
            format!("`{name}` reads as `{}`; use a plain name", super::super::error::clip(&shown)),
        ));
    }
    Ok(host)
}

/// Returns whether a label outside ASCII mixes scripts or is confusable with an ASCII one.
fn looks_like_another(label: &str) -> bool {
    !label.is_ascii() && (!label.is_single_script() || skeleton(label).all(|c| c.is_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_other_scripts_are_fine_and_disguises_are_not() {
        for text in [
            "api.example.com",
            "*.example.com",
            "bücher.example",
            "xn--bcher-kva.example",
            "例え.jp",
            "пример.рф",
        ] {
            assert!(manifest_host(text).is_ok(), "{text}");
        }
        for text in
            ["127.0.0.1", "[::1]", "xn--80ak6aa92e.com", "аpple.com", "раураl.com", "xn--pple-43d.com"]
        {
            assert!(manifest_host(text).is_err(), "{text}");
        }
    }
}

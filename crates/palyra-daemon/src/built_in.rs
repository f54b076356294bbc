//! Releases that are embedded in this program, for the trust step of installations.

use palyra_built_in_skills::EMBEDDED;
use palyra_skills::trust::BuiltInReleases;

/// Returns the payload digests of the embedded skills, for [`StateOptions::built_in`](palyra_state::StateOptions).
pub fn built_in_releases() -> BuiltInReleases {
    let digests = EMBEDDED.iter().filter_map(|skill| skill.payload_sha256.parse().ok());
    BuiltInReleases::new(digests.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_skill_is_a_built_in_release() {
        assert_eq!(built_in_releases().len(), EMBEDDED.len());
    }
}
